printf 'f ignore\ng max-effect 3\n' >rules
pd-diff --rules rules a b
