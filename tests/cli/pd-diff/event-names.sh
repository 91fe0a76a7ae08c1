echo '# pd-fold: event=cpu-clock/freq=1000/u unit=ns samples=5
x;f 5000000' >a
echo '# pd-fold: event=cpu-clock:u unit=ns samples=50
x;f 5000000' >b
pd-diff --fixed-work a b >/dev/null
