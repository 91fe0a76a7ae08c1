pd-fold no-such-file
