pd-diff --format xml a b
