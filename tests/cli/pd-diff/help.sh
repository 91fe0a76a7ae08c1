pd-diff --help
