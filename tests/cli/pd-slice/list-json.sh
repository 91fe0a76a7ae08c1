gzip -dc "$TESTDATA/sections/sections.data.gz" | pd-slice --list=json - | python3 -m json.tool
