pd-diff --keep all a b
