echo 'x 1' >new
try() {
	printf "$1" >base
	pd-diff --baseline base new
}
try 'pd-baseline 2\n'
try 'pd-baseline 1\n'
try 'pd-baseline 1\nstack\t1\tx\n'
try 'pd-baseline 1\nrun\ta\tv=1\nstack\t1\n'
try 'pd-baseline 1\nrun\ta\tv=1\nstack\t-1\tx\n'
try 'pd-baseline 1\nrun\ta\tv=1\nrun\tb\tv=1\nstack\t1\tx\n'
try 'pd-baseline 1\nrun\ta\tv=1\nstack\t1\tx;;y\n'
