printf 'a;b 5\n' >good
try() {
	printf "$1" >bad
	pd-diff good bad
	echo "exit $?" >&2
}
try 'a;b 1\na;b -5\n'
try 'a;b nan\n'
try 'a;b 1.5\n'
try 'a;b 9223372036854775808\n'
try 'a;b\n'
try 'a;;b 1\n'
try 'a;b 1\r\n'
try ' 7\n'
try ''
try '# nothing\n'
try 'a 0\n'
try 'a 9223372036854775807\nb 1\n'
try '# pd-fold: v=1 unit=samples\na 1\n# pd-fold: v=1 unit=samples\na 1\n'
# In one file they would be too large by themselves.
printf 'a 9223372036854775807\n' | tee most >more
pd-diff --fixed-work good most --vs more
echo "exit $?" >&2
