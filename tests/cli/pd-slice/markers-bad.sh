echo 1 2 >m; pd-slice --markers m
