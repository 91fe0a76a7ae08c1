pd-slice --help
