gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice -v --marker 'import 42' | pd-slice --list | sed -n 1p
