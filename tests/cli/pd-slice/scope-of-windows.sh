echo 1,2 >w; pd-slice --windows w --scope cpu
