pd-slice --list --time 10%/2
