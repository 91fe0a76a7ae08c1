echo 'a 1' | pd-diff - -
