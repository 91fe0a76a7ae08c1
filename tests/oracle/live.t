#!/bin/bash
# The code of a process that still runs is named by the file that it runs, when
# that was replaced since, or is in a container under the path of another.
. "$(dirname "$0")/../tap.sh"
perf record -o - true >/dev/null 2>&1 || skip_all "perf may not record"
[ -n "$(readlink /proc/$$/map_files/* 2>/dev/null)" ] ||
    skip_all "may not read /proc/PID/map_files"
unshare -m mount -t tmpfs none /tmp 2>/dev/null || skip_all "no namespaces for us"
workdir
cd "$tmp" || exit 1

# program NAME FUNCTION: with its time in that function
program() {
	printf 'volatile long n;
	__attribute__((noinline)) void %s(void) { for (;;) n++; }
	int main(void) { %s(); return 1; }\n' "$2" "$2" >$1.c
	"$CC" -O1 -g -o "$1" $1.c
}
ids=
trap 'kill -9 $ids 2>/dev/null; rm -rf "$tmp"' EXIT
begin() {
	"$@" &
	pid=$!
	ids="$ids $pid"
	sleep 0.5
}
# perf may have kept a copy of the file.
fold() { pd-fold --buildid-dir none --weight samples "$@"; }
# named FUNCTION: the time of $pid is in that, read from a pipe and a file
named() {
	perf record -q -e cpu-clock:u -F 499 -p $pid -o file.data sleep 0.5
	perf record -q -e cpu-clock:u -F 499 -p $pid -o - sleep 0.5 |
	    fold - >out 2>err
	fold file.data >>out 2>>err
	note "$(head -n 4 out)" "$(head -n 4 err)"
	awk -v f="$1" '{ all += $NF } $0 ~ ";" f " " { n += $NF }
	    END { exit !(all > 100 && n > 0.95 * all) }' out
}

program prog before
program new after
cp new copy
begin ./prog
mv new prog
ok "a program that was replaced" named before

mkdir there
mv copy there/prog
program mine inside
begin unshare -m sh -c 'cp mine prog && mount -t tmpfs none there &&
    mv prog there && exec there/prog'
ok "a program that has the path of another in a container" named inside

# The same without a look at what is mapped: only a build-id proves it.
proven() {
	setpriv --bounding-set -checkpoint_restore,-sys_admin --no-new-privs \
	    --inh-caps -checkpoint_restore,-sys_admin \
	    pd-fold --buildid-dir none --weight samples file.data >out 2>err
	note "$(head -n 4 out)" "$(head -n 4 err)"
	awk '{ all += $NF } /;inside / { n += $NF }
	    END { exit !(all > 50 && n > 0.95 * all) }' out
}
if setpriv --bounding-set -checkpoint_restore,-sys_admin true 2>/dev/null; then
	ok "who may not look needs a build-id" proven
else
	skip "who may not look needs a build-id" "no setpriv"
fi

# Who says where files are gets those; what is not there is what it is.
elsewhere() {
	fold --symfs "$tmp/none" file.data >out 2>err
	note "$(head -n 4 out)" "$(head -n 4 err)"
	grep -q ';inside ' out || return
	mkdir -p "sys$tmp/there"
	cp there/prog "sys$tmp/there/prog"
	perf record -q -e cpu-clock:u -F 499 -p $pid -o - sleep 0.3 |
	    fold --symfs "$tmp/sys" - >out 2>err
	grep -q ';after ' out
}
ok "an image first where one is given" elsewhere

kill -9 $pid
wait $pid 2>/dev/null
gone() {
	fold file.data >out 2>err
	note "$(head -n 4 out)" "$(head -n 4 err)"
	! grep -q -E 'inside|after' out && grep -q "build-id differs" err
}
ok "when it is gone, not by the file at its path" gone
tap_done
