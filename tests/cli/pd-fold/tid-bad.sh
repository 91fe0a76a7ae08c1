pd-fold --tid 7-4
