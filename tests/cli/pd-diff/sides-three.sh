pd-diff a b c
