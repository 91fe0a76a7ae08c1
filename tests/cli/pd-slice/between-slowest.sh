gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice -v --between probe_sections:import_start probe_sections:import_end__return --slowest 1 | pd-slice --list
