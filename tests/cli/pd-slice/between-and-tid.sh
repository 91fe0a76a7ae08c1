# Markers are kept whatever event is selected, but not of other threads.
between() {
	gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice -q --between \
	    probe_sections:import_start probe_sections:import_end__return "$@" |
	    pd-slice --list=json | jq -c '.events|map(.samples)'
}
between -e none
between -e none --tid 1
