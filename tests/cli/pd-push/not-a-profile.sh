printf '\037\213\010\000rubbish' | pd-push --app a --dry-run -o out
echo $? and $(ls | wc -l) files
