#!/bin/bash
# Files and pipes that misbehave.
. "$(dirname "$0")/../tap.sh"
data=$TESTDATA/demo/demo.data
workdir
pd-fold "$data" >"$tmp/whole" 2>/dev/null

# trouble MESSAGE COMMAND...: exit 2, nothing on stdout, and a message.
trouble() {
	local say=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	local rc=$?
	[ $rc = 2 ] && [ ! -s "$tmp/out" ] && grep -q "$say" "$tmp/err" && return
	note "exit $rc, message: $(head -n 2 "$tmp/err")"
	return 1
}

full_disk() { pd-fold "$data" >/dev/full; }
full_disk_o() { pd-fold -o /dev/full "$data"; }
stdout_closed() { pd-fold "$data" >&-; }

closed_pipe() {
	(pd-fold "$data"; echo "exit $?" >"$tmp/rc") 2>"$tmp/err" | true
	[ ! -s "$tmp/err" ] || { note "$(cat "$tmp/err")"; return 1; }
}

no_debris() {
	mkdir -p "$tmp/d"
	pd-fold -o "$tmp/d/out" "$data" 2>/dev/null
	pd-fold -o "$tmp/d/bad" "$tmp/whole" 2>/dev/null
	[ "$(ls -A "$tmp/d")" = out ] && cmp -s "$tmp/d/out" "$tmp/whole" && return
	note "directory holds: $(ls -A "$tmp/d")"
	return 1
}

old_output_stays() {
	echo precious >"$tmp/keep"
	pd-fold -o "$tmp/keep" "$tmp/whole" 2>/dev/null
	[ "$(cat "$tmp/keep")" = precious ]
}

same() {
	cmp -s "$tmp/out" "$tmp/whole" || { note "$(head -n 3 "$tmp/err")"; return 1; }
}

slowly() {
	perl -e '$| = 1; local $/ = \977; while (<STDIN>) { print; select(undef, undef, undef, .001) }' \
	    <"$data" | pd-fold - >"$tmp/out" 2>"$tmp/err"
	same
}

from_fifo() {
	mkfifo "$tmp/fifo"
	cat "$data" >"$tmp/fifo" &
	pd-fold "$tmp/fifo" >"$tmp/out" 2>"$tmp/err"
	wait $!
	same
}

from_stdin_file() {
	pd-fold <"$data" >"$tmp/out" 2>"$tmp/err"
	same
}

from_dash() {
	pd-fold - <"$data" >"$tmp/out" 2>"$tmp/err"
	same
}

from_cwd() {
	cp "$data" "$tmp/perf.data"
	# A terminal as standard input means ./perf.data; script(1) makes one.
	(cd "$tmp" && script -qec "pd-fold -o out" /dev/null >/dev/null 2>err) &&
	same
}

read_only() { trouble "$tmp/ro/out" pd-fold -o "$tmp/ro/out" "$data"; }

ok "a full disk on stdout is trouble" trouble 'No space' full_disk
ok "a full disk behind -o is trouble" trouble 'No space' full_disk_o
ok "a closed stdout is trouble" trouble . stdout_closed
ok "a reader that left is not worth a message" closed_pipe
ok "no input file is trouble" trouble no-such pd-fold "$tmp/no-such"
ok "an empty input is trouble" trouble . pd-fold /dev/null
ok "a directory without a recording is trouble" trouble "$tmp" pd-fold "$tmp"
ok "-o leaves only whole files behind" no_debris
ok "-o keeps the old file when the input is bad" old_output_stays
ok "short reads make no difference" slowly
ok "a FIFO is as good as a file" from_fifo
ok "standard input may be a file" from_stdin_file
ok "- is standard input" from_dash
if command -v script >/dev/null; then
	ok "without an operand ./perf.data is read" from_cwd
else
	skip "without an operand ./perf.data is read" "no script(1)"
fi
mkdir "$tmp/ro"
chmod 555 "$tmp/ro"
if touch "$tmp/ro/x" 2>/dev/null; then
	rm -f "$tmp/ro/x"
	skip "a read-only directory is trouble" "root may write everywhere"
	ok "a missing directory is trouble" trouble nowhere/out \
	    pd-fold -o "$tmp/nowhere/out" "$data"
else
	ok "a read-only directory is trouble" read_only
fi
tap_done
