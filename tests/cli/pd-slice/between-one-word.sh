gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice --between probe_sections:import_start --slowest 1
