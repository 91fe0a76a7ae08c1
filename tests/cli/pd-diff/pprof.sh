echo 'a 1' | gzip >a.gz
pd-diff a.gz a.gz
