# Each hit of a probe is a unit of work, in a recording and its stacks.
gzip -dc "$TESTDATA/sections/sections.data.gz" >sections.data
pd-fold -q --meta --work-event '*import_start' sections.data >sections.folded
head -n 1 sections.folded | tr ' ' '\n' | grep work
# What the functions are called depends on the files of the machine.
pd-diff -q --work-event '*import_start' sections.data sections.folded |
    grep -e '\[total\]' -e ^pd-diff:
