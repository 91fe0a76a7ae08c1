pd-fold --version
