pd-diff --fixed-work --work 3 a b
