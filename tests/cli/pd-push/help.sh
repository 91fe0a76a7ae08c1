pd-push --help
