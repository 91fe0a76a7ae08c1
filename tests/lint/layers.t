#!/bin/sh
# Data flows one way: each layer includes only the layers of its row, and
# perfdata.h; tools include perfdata.h and cli.h only.
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1

# layer FOLDER ALLOWED...
layer() {
	folder=$1
	shift
	found=$(grep -n '^ *# *include *"' -r "$folder" --include='*.[ch]' --include='*.def' |
	    sed 's/^\([^:]*:[0-9]*\):.*"\(.*\)".*/\1 \2/' |
	    while read -r where what; do
		case " perfdata.h $* " in
		*" $what "*|*" ${what%/*}/ "*) ;;
		*) echo "$where: $what" ;;
		esac
	done)
	[ -z "$found" ] && return
	note "$found"
	return 1
}

row() {
	[ -d "$1" ] || return
	ok "$*" layer "$@"
}

row libperfdata/base base/
row libperfdata/input input/ base/
row libperfdata/record record/ base/ input/
row libperfdata/session session/ base/ record/
row libperfdata/cut cut/ base/ record/ session/
row libperfdata/unwind unwind/ base/ record/ session/
row libperfdata/symbol symbol/ base/ session/ unwind/
row libperfdata/profile profile/ base/
row libperfdata/export export/ base/ profile/
row libperfdata/push push/ base/ export/ profile/
row libperfdata/fold fold/ base/
row cmd cli.h jobs.h parts.h push/push.h
unknown=$(ls libperfdata | grep -vE '^(base|input|record|session|cut|unwind|symbol|profile|export|fold|push|perfdata\.h)$')
ok "no other layers" test -z "$unknown"
tap_done
