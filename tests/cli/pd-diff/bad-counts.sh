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
