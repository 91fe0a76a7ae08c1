gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice -v --around probe_sections:import_start:height==42 --before 3ms --after 1ms | pd-slice --list | sed -n '1p;/^time/p'
