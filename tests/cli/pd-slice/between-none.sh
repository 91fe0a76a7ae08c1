gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice --between probe_sections:import_start probe_sections:import_end__return --nth 99 | pd-slice --list | sed -n 1p
