pd-fold --help
