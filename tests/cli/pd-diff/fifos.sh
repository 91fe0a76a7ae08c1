# What a pipe holds is found out without taking it.
demo=$TESTDATA/demo/demo.data
mkfifo recording folded
pd-fold -q --meta "$demo" >stacks
cat "$demo" >recording &
cat stacks >folded &
pd-diff -q --fixed-work --format folded --match exact recording folded | awk '$(NF - 1) != $NF'
(printf P; sleep .2; printf 'ERF;x 7\n') >folded &
echo 'x;y 1' >stacks
pd-diff -q --fixed-work --format folded folded stacks
