echo yesterday >w; pd-slice --windows w
