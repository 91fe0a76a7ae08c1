echo 'x;f;g;f 100' >one
echo 'x;f;g;f 200' >two
pd-diff -q --fixed-work --total one two
pd-diff -q --fixed-work one two
