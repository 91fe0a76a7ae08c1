pd-fold --annotate colour
