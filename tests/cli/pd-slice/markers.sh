gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice -v --markers "$TESTDATA/sections/marker-8198.txt" --marker 'import 4[23]' | pd-slice --list | sed -n '1p;/^SECTIONS/,/^LONGEST/p'
