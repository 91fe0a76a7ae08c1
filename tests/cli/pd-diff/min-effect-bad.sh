pd-diff --min-effect 1x a b
