pd-diff a
