#!/bin/bash
# What users of other tools complain about, on recordings made here and now.
# Each of the tests was wrong elsewhere; man perfdata(7) has the rules.
. "$(dirname "$0")/tap.sh"
# Else perf waits a second for programs that it does not need.
PERF="perf record --no-bpf-event -q"
$PERF -e cpu-clock:u -o - true >/dev/null 2>&1 ||
    skip_all "perf may not record here: nothing below was tested"
workdir
cd "$tmp" || exit 1

cat >work.h <<'X'
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void
spin(int ms)
{
	struct timespec a, b;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do {
		for (int i = 0; i < 100000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000 +
	    (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
}
X
cat >t.c <<'X'
#include "work.h"
#include <stdlib.h>
__attribute__((noinline)) void phase_a(int ms) { spin(ms); sink++; }
__attribute__((noinline)) void phase_b(int ms) { spin(ms); sink++; }
int
main(int argc, char **argv)
{
	int ms = argc > 1 ? atoi(argv[1]) : 100;

	phase_a(ms);
	pthread_setname_np(pthread_self(), "renamed one");
	phase_b(ms);
	return 0;
}
X
CFLAGS="-O1 -fno-omit-frame-pointer -pthread"
"${CC:-gcc}" $CFLAGS -o t t.c || exit 1

# record OPTION... PROGRAM...: perf.data, a sample each millisecond; with an
# empty environment, as recordings should be made.
record() {
	rm -rf perf.data
	env -i PATH="$PATH" HOME="$tmp" $PERF -c 1000000 -o perf.data "$@" \
	    >perf.out 2>perf.log && return
	note "$(tail -n 3 perf.log)"
	return 1
}

# fold OPTION...: out, lines of STACK COUNT.
fold() {
	pd-fold -q --weight samples "$@" perf.data >out
}

# count REGEX: samples of the stacks that match.
count() {
	grep -E -- "$1" out | awk '{ n += $NF } END { print n + 0 }'
}

has() {
	[ "$(count "$1")" -gt "${2:-0}" ] && return
	note "no $1 in:"
	note "$(head -n 20 out)"
	return 1
}

has_not() {
	[ "$(count "$1")" = 0 ] && return
	note "$(grep -E -- "$1" out | head -n 5)"
	return 1
}

# A name of one letter was lost, or glued to what follows it.
one_letter() {
	record -e cpu-clock:u -g ./t && fold &&
	    has '^t;.*phase_a ' 50 && has_not '^t[^;]'
}
ok "a program of one letter is the root of its stacks" one_letter

# A thread had its last name, or that of its first sample, all the time.
renamed() {
	has '^t;.*phase_a ' 50 && has '^renamed_one;.*phase_b ' 50 &&
	    has_not '^t;.*phase_b ' && has_not '^renamed_one;.*phase_a '
}
ok "a thread that is renamed has each name for its time" renamed

# Without -g nothing at all came out, with exit status 0.
flat() {
	record -e cpu-clock:u ./t && fold && has '^t;phase_a ' 50 &&
	    has_not '^[^;]*;[^;]*;' &&
	    [ "$(count .)" = "$("$PD_TESTS/pd-dump" perf.data | wc -l)" ]
}
ok "without call chains every sample is a stack of one frame" flat

# Samples of a second event were added to the first, in another unit.
not_mixed() {
	record -e cpu-clock:u -g -e "$1" ./t && fold || return 1
	local want other
	want=$(perf script -F event 2>/dev/null | grep -c cpu-clock)
	other=$(perf script -F event 2>/dev/null | grep -vc cpu-clock)
	[ "$want" -gt 100 ] && [ "$(count .)" = "$want" ] || {
		note "$(count .) samples, want $want of cpu-clock, not $other"
		return 1
	}
	[ "$other" = 0 ] && return
	fold -e "$1" && [ "$(count .)" = "$other" ] &&
	    pd-fold perf.data 2>&1 >/dev/null |
	    grep -q "$other samples of other events are left out"
}
ok "two events are never added up" not_mixed page-faults:u
if $PERF -e sched:sched_switch -o - true >/dev/null 2>&1; then
	ok "a clock and a tracepoint are never added up" \
	    not_mixed sched:sched_switch
else
	skip "a clock and a tracepoint are never added up" "no tracepoints here"
fi

# Each address of a deleted file was a frame of its own, with a blank behind.
deleted() {
	mkdir -p "my dir" && cp t "my dir/a prog" || return 1
	"./my dir/a prog" 2000 &
	local pid=$! rc i
	# Not before the program is the process: the shell starts it.
	for i in $(seq 100); do
		case $(readlink /proc/$pid/exe) in *"a prog") break ;; esac
		sleep 0.02
	done
	rm "my dir/a prog"
	record -e cpu-clock:u -g -p $pid -- sleep 0.3
	rc=$?
	kill $pid
	wait $pid 2>/dev/null
	[ $rc = 0 ] && fold && has '^a_prog;.*\[a prog\]' 20 &&
	    has_not '\+0x|deleted| $| ;'
}
ok "a deleted program in a path with blanks is one frame" deleted

blanks() {
	cp t "my dir/a prog" &&
	    record -e cpu-clock:u -g "./my dir/a prog" &&
	    fold && has '^a_prog;.*phase_a ' 50
}
ok "a program in a path with blanks has its names" blanks

# Rust names stayed as they are stored.
rust() {
	cat >rust.c <<-'X'
	#include "work.h"
	#define NAME(f, s) __attribute__((noinline)) void f(void) __asm__(s); \
		void f(void) { spin(100); sink++; }
	NAME(v0, "_RNvNtCs1234_7mycrate3foo3bar")
	NAME(legacy, "_ZN7mycrate3foo3baz17h0123456789abcdefE")
	NAME(llvm, "_RNvNtCs1234_7mycrate3foo3qux.llvm.123456789")
	int main(void) { v0(); legacy(); llvm(); return 0; }
	X
	"${CC:-gcc}" $CFLAGS -o rust rust.c &&
	    record -e cpu-clock:u -g ./rust && fold &&
	    has 'main;mycrate::foo::bar ' 20 &&
	    has 'main;mycrate::foo::baz ' 20 &&
	    has 'main;mycrate::foo::qux ' 20 && has_not '_R|_ZN|17h'
}
ok "Rust names of both kinds are readable" rust

# The linker's stubs were given to _init, or to whatever came before them.
cat >tiny.c <<'X'
int tiny(void) { return 1; }
X
cat >plt.c <<'X'
#include "work.h"
int tiny(void);
#ifdef TAKEN
int (*volatile taken)(void) = tiny;
#endif
int
main(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		for (int i = 0; i < 100000; i++) {
			tiny(); tiny(); tiny(); tiny(); tiny(); tiny();
			tiny(); tiny(); tiny(); tiny(); tiny(); tiny();
		}
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000 +
	    (b.tv_nsec - a.tv_nsec) / 1000000 < 400);
	return 0;
}
X
# stubs SECTION OPTION...
stubs() {
	local section=$1
	shift
	"${CC:-gcc}" $CFLAGS -fPIC -shared -o libtiny.so tiny.c &&
	    "${CC:-gcc}" $CFLAGS "$@" -o plt plt.c -L. -ltiny \
	    -Wl,-rpath,"$tmp" || return 1
	readelf -SW plt | grep -q " $section " || {
		note "the linker made no $section"
		return 77
	}
	record -e cpu-clock:u ./plt && fold && has '^plt;tiny@plt ' &&
	    has_not ';_init '
}
# kind SECTION OPTION...
kind() {
	stubs "$@" >log 2>&1
	local rc=$?
	if [ $rc = 77 ]; then
		skip "stubs in $1 are name@plt" "$(cat log)"
		return
	fi
	cat log
	ok "stubs in $1 are name@plt" [ $rc = 0 ]
}
kind .plt -fcf-protection=none
kind .plt.sec -fcf-protection=branch -Wl,-z,ibtplt
kind .plt.got -fcf-protection=none -Wl,-z,now -fPIE -pie -DTAKEN

# With -a, processes that were there before had lost their maps.
before() {
	./t 3000 &
	local pid=$! rc
	record -a -e cpu-clock -g -- sleep 0.3
	rc=$?
	kill $pid
	wait $pid 2>/dev/null
	[ $rc = 0 ] && fold --pid $pid && has '^t;.*phase_a( |;)' 20 &&
	    has_not '^t;\[unknown\]'
}
if $PERF -a -o - true >/dev/null 2>&1; then
	ok "processes from before the recording keep their maps" before
else
	skip "processes from before the recording keep their maps" \
	    "perf may not record all CPUs"
fi

# perf record -z was garbage from one perf version to the next.
compressed() {
	record -z -e cpu-clock:u -g ./t && fold && has '^t;.*phase_a ' 50 &&
	    has '^renamed_one;.*phase_b ' 50 &&
	    [ "$(count .)" = "$(perf script -F comm 2>/dev/null | wc -l)" ]
}
if $PERF -z -o - true >/dev/null 2>&1; then
	ok "a compressed recording has the same samples" compressed
else
	skip "a compressed recording has the same samples" "perf has no zstd"
fi
tap_done
