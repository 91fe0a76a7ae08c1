pd-fold --root moon
