# The verdict is for a log; a name of a template may have kilobytes.  None is
# cut inside a character.
long=$(printf '%0300d' 0 | tr 0 v)
edge=$(printf '%0199d' 0 | tr 0 v)$(printf '\303\251')end
for i in 1 2 3 4 5 6; do
	printf 'x;%s %d\nx;g 5000\n' "$long" $((1000 + i)) >a$i
	printf 'x;%s %d\nx;g 5000\n' "$long" $((2000 + i)) >b$i
	printf 'x;%s %d\nx;g 5000\n' "$edge" $((1000 + i)) >c$i
	printf 'x;%s %d\nx;g 5000\n' "$edge" $((2000 + i)) >d$i
done
pd-diff -q --fixed-work a* --vs b* | tail -n 1
pd-diff -q --fixed-work --format markdown a* --vs b* | grep '<code>v'
pd-diff -q --fixed-work c* --vs d* | tail -n 1
pd-diff -q --fixed-work --format markdown c* --vs d* | grep '<code>v'
