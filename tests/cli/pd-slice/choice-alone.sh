pd-slice --slowest 1
