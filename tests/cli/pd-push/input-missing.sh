pd-push --app a --dry-run nowhere.data
