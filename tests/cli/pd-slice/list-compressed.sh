pd-slice --list -z
