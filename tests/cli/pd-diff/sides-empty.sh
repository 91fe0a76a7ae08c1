pd-diff a b --vs
