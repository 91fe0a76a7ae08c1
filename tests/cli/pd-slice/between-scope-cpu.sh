gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice --between probe_sections:import_start probe_sections:import_end__return --scope cpu
