pd-diff --pairs a b c
