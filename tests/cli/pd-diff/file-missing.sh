echo 'a 1' >a
pd-diff a nowhere
