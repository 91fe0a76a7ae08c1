pd-slice --around x
