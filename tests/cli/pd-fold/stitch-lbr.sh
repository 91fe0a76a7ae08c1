# The stacks of this recording fit into its LBR: there is nothing to stitch.
fold() {
	gzip -dc "$TESTDATA/recordings/lbr-call-stack-perf-6.12.data.gz" |
	    pd-fold -q --symfs /nonexistent --kallsyms /dev/null --buildid-dir /nonexistent "$@"
}
fold >plain
fold --stitch-lbr | cmp - plain && echo same
