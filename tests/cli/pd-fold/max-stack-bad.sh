pd-fold --max-stack -1
