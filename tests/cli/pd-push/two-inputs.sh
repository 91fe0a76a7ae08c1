pd-push --app a --dry-run a.data b.data
