# What perf archive makes: the links in .build-id, and where they lead.
id=29389b4333c239bf82479af57fd03022842130a6
dir=tmp/pd-demo/demo/$id
mkdir -p $dir .build-id/29
cp "$TESTDATA"/demo/debug/.build-id/29/*/elf $dir/elf
: >$dir/probes
ln -s ../../$dir .build-id/29/${id#29}
tar cf perf.data.tar .build-id/29/${id#29} $dir
gzip -k perf.data.tar
bzip2 -k perf.data.tar 2>/dev/null || cp perf.data.tar perf.data.tar.bz2
rm -r tmp .build-id
fold() {
	pd-fold --archive "$1" --buildid-dir /nonexistent --symfs /nonexistent \
	    --root none --max-stack 1 "$TESTDATA/demo/demo.data"
}
fold perf.data.tar.bz2 2>err >out
if grep -q 'cannot load' err; then
	cat err >&2
	exit 77
fi
cat out
fold perf.data.tar.gz 2>/dev/null | cmp - out && echo same
fold perf.data.tar 2>/dev/null | cmp - out && echo same
# An archive that is cut, and what is none, are warned of.
head -c 5000 perf.data.tar >cut.tar
fold cut.tar
fold err
