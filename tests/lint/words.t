#!/bin/sh
# What is in the tree makes sense to someone who has only the tree: no paths of
# one machine, no numbers of a tracker.
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1

absent() {
	found=$(git ls-files -co --exclude-standard -z |
	    xargs -0 grep -aonE -- "$1" 2>/dev/null | cut -c 1-120 | head -n 10)
	[ -z "$found" ] && return
	note "$found"
	return 1
}

git rev-parse >/dev/null 2>&1 || skip_all "not a git checkout"
# The brackets keep this file from finding itself.
ok "no directories of a build machine" absent '/wor[k]/|/roo[t]/|/home/[a-z]'
ok "no references to a tracker" absent '(fix|fixes|closes|issue|bug|PR) [#][0-9]'
ok "no notes to oneself" absent '(FIXM[E]|XX[X]:|TOD[O]:)'
tap_done
