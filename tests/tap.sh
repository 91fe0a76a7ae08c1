# Sourced by the shell tests: TAP output, and where things are when a test is
# run by hand instead of by `make check`.
top=$(cd "$(dirname "$0")" && while [ ! -e Makefile ]; do cd ..; done && pwd)
: "${PD_BIN:=$top/build/gcc/bin}" "${PD_TESTS:=${PD_BIN%/bin}/tests}"
: "${PD_SHARED:=$top/../shared}" "${TESTDATA:=$top/testdata}" "${PD_SAN:=}"
LC_ALL=C PATH=$PD_BIN:$PATH
export PD_BIN PD_TESTS PD_SHARED TESTDATA PD_SAN LC_ALL PATH

tap_n=0 tap_failed=0

# ok NAME COMMAND...: passes when the command succeeds.
ok() {
	tap_name=$1
	shift
	tap_n=$((tap_n + 1))
	if "$@"; then
		echo "ok $tap_n - $tap_name"
	else
		echo "not ok $tap_n - $tap_name"
		tap_failed=1
	fi
}

skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

tap_done() {
	echo "1..$tap_n"
	exit $tap_failed
}

# workdir: an empty directory in $tmp that is removed at the end.
workdir() {
	tmp=$(mktemp -d) || exit 1
	trap 'rm -rf "$tmp"' EXIT
}
