# A server is asked by build-id, for what is not here; what it sends is
# checked, and a server that is dead is asked once.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
cat >server.py <<'X'
import http.server
import os

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        _, _, build_id, what = self.path.split("/")
        print(build_id[:4], what, file=log, flush=True)
        try:
            with open(build_id + "." + what, "rb") as f:
                body = f.read()
        except OSError:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

log = open("log", "w")
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as f:
    print(server.server_port, file=f)
os.rename("port.new", "port")
server.serve_forever()
X
python3 server.py &
pid=$!
trap 'kill $pid' EXIT
n=0
until [ -e port ]; do
	n=$((n + 1))
	[ $n -lt 100 ] || { echo "no server on 127.0.0.1" >&2; exit 77; }
	sleep 0.1
done
url=http://127.0.0.1:$(cat port)
program=29389b4333c239bf82479af57fd03022842130a6.executable

# The cache of downloads also remembers what was not there.
fold() {
	DEBUGINFOD_CACHE_PATH=$PWD/cache \
	    pd-fold --debuginfod="$1" --buildid-dir /nonexistent \
	    --symfs /nonexistent --root none --max-stack 1 \
	    "$TESTDATA/demo/demo.data"
	rm -rf cache
}
fold $url >out 2>err
if grep -q 'cannot load' err; then
	cat err >&2
	exit 77
fi
echo "- not there"
cat out
cp "$TESTDATA"/demo/debug/.build-id/29/*/elf $program
echo "- there"
fold $url 2>/dev/null | tee named
echo "- from the environment"
DEBUGINFOD_URLS=$url
export DEBUGINFOD_URLS
DEBUGINFOD_CACHE_PATH=$PWD/cache pd-fold --debuginfod --symfs /nonexistent \
    --buildid-dir /nonexistent --max-stack 1 --root none \
    "$TESTDATA/demo/demo.data" 2>/dev/null | cmp - named
rm -rf cache
echo "- something else"
cp /bin/sh $program
fold $url 2>/dev/null
echo "- dead"
fold http://127.0.0.1:1 2>&1 >/dev/null
echo "- none"
fold "" 2>&1 >/dev/null | head -n 1
echo "- asked"
cat log
