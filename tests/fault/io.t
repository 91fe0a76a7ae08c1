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

full_disk() { pd-fold "$@" "$data" >/dev/full; }
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

# ---- pd-slice: a slice is whole, or it is not there

slice_full_disk() { pd-slice -q "$data" >/dev/full; }
slice_full_disk_o() { pd-slice -q -o /dev/full "$data"; }
slice_to_terminal() {
	script -qec "pd-slice '$data'" /dev/null >"$tmp/out" 2>"$tmp/err"
	local rc=$?
	[ $rc = 2 ] && grep -q 'not for a terminal' "$tmp/out"
}

slice_closed_pipe() {
	(pd-slice -q "$tmp/big"; echo "exit $?" >"$tmp/rc") 2>"$tmp/err" | head -c 9 >"$tmp/out"
	[ ! -s "$tmp/err" ] || { note "$(cat "$tmp/err")"; return 1; }
}

slice_no_debris() {
	rm -rf "$tmp/d"
	mkdir "$tmp/d"
	pd-slice -q -o "$tmp/d/bad" "$tmp/whole" 2>/dev/null
	pd-slice -q -o "$tmp/d/bad" --time 12:00 "$data" 2>/dev/null
	pd-slice -q -o "$tmp/d/bad" --time @1,@2 "$tmp/big" 2>/dev/null
	pd-slice -q -o "$tmp/d/out" "$data"
	[ "$(ls -A "$tmp/d")" = out ] && return
	note "directory holds: $(ls -A "$tmp/d")"
	return 1
}

# Its reader takes nothing until the slice is interrupted.
slice_interrupted() {
	rm -f "$tmp/fifo"
	mkfifo "$tmp/fifo"
	# shells ignore the interrupt for what is in the background
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' pd-slice $1 "$tmp/big" \
	    >"$tmp/fifo" 2>"$tmp/err" &
	local pid=$!
	exec 7<"$tmp/fifo"
	sleep .2
	kill -INT $pid
	cat <&7 >"$tmp/cut"
	exec 7<&-
	wait $pid || { note "exit $?: $(cat "$tmp/err")"; return 1; }
	local n=$("$PD_TESTS/pd-dump" "$tmp/cut" 2>"$tmp/dump.err" | wc -l)
	note "$n samples"
	[ ! -s "$tmp/dump.err" ] && grep -q interrupted "$tmp/err" &&
	[ "$n" -gt 0 ] && [ "$n" -lt "$(wc -l <"$tmp/big.txt")" ]
}

# A recorder that was killed, or still writes: what is whole is sliced.
slice_growing() {
	for size in 200 4000 30000 65000; do
		head -c $size "$data" >"$tmp/part"
		"$PD_TESTS/pd-dump" "$tmp/part" 2>/dev/null >"$tmp/part.txt"
		pd-slice -q -o "$tmp/cut" "$tmp/part" 2>/dev/null || continue
		"$PD_TESTS/pd-dump" "$tmp/cut" 2>&1 | cmp - "$tmp/part.txt" || return 1
	done
	"$PD_TESTS/pd-dump" "$tmp/cut" | grep -q .
}

slice_from_slow_pipe() {
	perl -e '$| = 1; local $/ = \977; while (<STDIN>) { print; select(undef, undef, undef, .001) }' \
	    <"$data" | pd-slice -q --time 20%, | pd-fold - >"$tmp/out" 2>"$tmp/err"
	pd-slice -q --time 20%, "$data" | pd-fold - 2>/dev/null | cmp - "$tmp/out"
}

# What a pipe has is passed on before it has more.
slice_passes_on() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	pd-slice -q --comm '*' <"$tmp/in" |
	    timeout 30 head -c 300000 >"$tmp/out" 8>&- &
	local pid=$! rc
	exec 8>"$tmp/in"
	head -c 500000 "$tmp/big" >&8
	wait $pid
	rc=$?
	exec 8>&-
	return $rc
}

to_terminal() {
	script -qec "pd-fold --format pprof '$data'" /dev/null >"$tmp/out" 2>&1
	[ $? = 2 ] && grep -q binary "$tmp/out"
}

read_only() { trouble "$tmp/ro/out" pd-fold -o "$tmp/ro/out" "$data"; }

ok "a full disk on stdout is trouble" trouble 'No space' full_disk
for f in pprof speedscope json firefox; do
	ok "a full disk is trouble for $f" trouble 'No space' full_disk --format $f
done
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
	ok "a terminal is given no pprof" to_terminal
else
	skip "without an operand ./perf.data is read" "no script(1)"
	skip "a terminal is given no pprof" "no script(1)"
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

"$PD_TESTS/repeat" 60 "$data" >"$tmp/big"
"$PD_TESTS/pd-dump" "$tmp/big" >"$tmp/big.txt"
ok "pd-slice: a full disk on stdout is trouble" trouble 'No space' slice_full_disk
ok "pd-slice: a full disk behind -o is trouble" trouble 'No space' slice_full_disk_o
ok "pd-slice: a reader that left is not worth a message" slice_closed_pipe
ok "pd-slice: -o leaves only whole files behind" slice_no_debris
ok "pd-slice: an interrupted copy is a recording" slice_interrupted ""
ok "pd-slice: an interrupted slice is a recording" slice_interrupted "--time 0,"
ok "pd-slice: a recording that still grows is read as far as it is" slice_growing
ok "pd-slice: short reads make no difference" slice_from_slow_pipe
ok "pd-slice: a pipe that waits holds nothing back" slice_passes_on
if command -v script >/dev/null; then
	ok "pd-slice: a recording is not for a terminal" slice_to_terminal
else
	skip "pd-slice: a recording is not for a terminal" "no script(1)"
fi
tap_done
