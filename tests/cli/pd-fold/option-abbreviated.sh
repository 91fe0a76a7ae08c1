pd-fold --vers
