pd-fold --compat python
