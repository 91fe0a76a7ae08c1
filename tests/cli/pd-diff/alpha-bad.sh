pd-diff --alpha 2 a b
