pd-slice --version
