# A file for each time, of its thread only; what they hold is told by a table.
gzip -dc "$TESTDATA/sections/sections.data.gz" >sections.data
pd-slice --between probe_sections:import_start probe_sections:import_end__return \
    --longer-than 7ms --each parts sections.data
cat parts/index.tsv
for f in parts/*.data; do
	pd-slice --list=json $f | python3 -c 'import json, sys
d = json.load(sys.stdin)
print([(t["tid"], t["samples"]) for t in d["threads"]])'
done
