pd-slice --between a:b=1 c
