printf 'x;app::work::h3a810ec202ef5dd4 5\nx;f.constprop.0 7\nx;clock@GLIBC_2.2.5 1\n' >one
printf 'x;app::work::h89a5dba09f6d8c67 5\nx;f 3\nx;f.isra.0 4\nx;clock 1\n' >two
pd-diff -q --fixed-work --show-merged one two
echo
pd-diff -q --fixed-work --keep rusthash --format folded one two
echo
pd-diff -q --match exact --format folded one two
