for map in build=/src /build /build= =; do
	pd-fold --path-map "$map" "$TESTDATA/demo/demo.data"
	echo "exit $?"
done
