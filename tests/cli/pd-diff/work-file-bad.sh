printf 'a 1\nb\n' >works
pd-diff --work-file works a b
printf 'a 1\nb x\n' >works
pd-diff --work-file works a b
pd-diff --work-file nowhere a b
