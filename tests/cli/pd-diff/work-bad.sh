pd-diff --work 0 a b
