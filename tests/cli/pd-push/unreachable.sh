# Nothing is said of the password in the URL.
pd-push -q --server http://joe:pa55word@127.0.0.1:1/x --app a --retry 0s "$TESTDATA"/demo/demo.data 2>&1 |
    sed 's/: [^:]*Failed to connect.*/: .../; s/: [^:]*Could not connect.*/: .../'
