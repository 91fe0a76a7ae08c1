pd-slice --markers missing
