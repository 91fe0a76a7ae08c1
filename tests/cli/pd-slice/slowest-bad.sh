pd-slice --between a b --slowest 0
