pd-fold --no-such-option
