demo=$TESTDATA/demo/demo.data
pd-fold -q --meta --no-inline "$demo" >demo.folded
pd-diff -q --fixed-work --no-inline "$demo" demo.folded
cat "$demo" | pd-diff -q --fixed-work --no-inline --format folded --match exact - demo.folded |
    awk '$(NF - 1) != $NF'
