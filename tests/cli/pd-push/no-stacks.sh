: | pd-push --app a --dry-run -o out
