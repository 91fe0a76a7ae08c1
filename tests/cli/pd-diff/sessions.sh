. "$(dirname "$0")/runs.inc"
runs a 1000 1010 990 1005 995 1003
runs b 1010 1022 1001 1009 1018 1012
for i in 1 2 3 4 5 6; do
	sed "1i# pd-fold: v=1 unit=samples start=@1$i work=10" a$i >first$i
	sed "1i# pd-fold: v=1 unit=samples start=@2$i work=10" b$i >later$i
	sed "1i# pd-fold: v=1 unit=samples start=@1$i.5 work=10" b$i >mixed$i
done
pd-diff first* --vs later* | tail -n 1
pd-diff first* --vs mixed* | sed -n '1p;$p'
