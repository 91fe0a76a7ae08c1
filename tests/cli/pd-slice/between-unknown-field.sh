gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice --between probe_sections:import_start:hight==42 probe_sections:import_end__return
