# A clock that began with the machine does not tell when a baseline was made.
. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
for i in 1 2 3 4 5 6; do
	sed "1i# pd-fold: v=1 unit=samples host=x start=1$i work=10" a$i >base$i
	sed "1i# pd-fold: v=1 unit=samples host=x start=1$i.5 work=10" a$i >new$i
done
pd-diff --write-baseline kept base*
pd-diff base* --vs new* | head -n 1
pd-diff --baseline kept new* | head -n 1
