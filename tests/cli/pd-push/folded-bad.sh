printf 'main;a 1\nmain;b\n' | pd-push --app a --dry-run -o out
echo $? and $(ls | wc -l) files
