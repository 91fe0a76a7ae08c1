pd-slice a b
