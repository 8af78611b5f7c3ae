#!/bin/sh
# mastaba filter: images from standard input and to standard output in every format, what is kept of the later pages of a stack,
# and arrays whose pages are as narrow as channels are few.
. "${0%/*}/lib"
without_cache

images() {
    python3 "$here/images.py" "$@"
}
keep='--low-pass 99 --shape ideal'

# By pipes an image is what it is by files, in its own format or another.
for kind in png:8:3 p2 tif:16:1 tif:32:1; do
    turn 4 || continue
    images make in.img $kind 10 9 1
    expect 0 "$MASTABA" filter in.img -o out.tif $keep -f
    "$MASTABA" filter - -o - $keep <in.img >piped.img 2>.stderr || fail "$kind: $(cat .stderr)"
    "$MASTABA" filter - -o tif:- $keep <in.img | cat >piped.tif || fail "$kind as TIFF"
    [ $kind = tif:32:1 ] || images same piped.img in.img || fail "$kind: other pixels by pipes"
    cmp piped.tif out.tif || fail "$kind: other bytes by pipes"
done
images make in.img tif:32:1 10 9 1
"$MASTABA" filter in.img -o npy:- --low-pass 2 --output raw | "$MASTABA" filter - $keep -o - >low.npy || fail ".npy by pipes"
expect 0 "$MASTABA" filter in.img -o two.npy --low-pass 2 --output raw
images compare low.npy two.npy 0 99 reflect raw 1e-5 || fail "what came through two filters"
"$MASTABA" filter - --low-pass 2 --output raw <in.img >raw.tif -o - || fail "raw"
"$MASTABA" filter - --spectrum piped.png <in.img >.stdout || fail "the spectrum of standard input"
grep -q 'piped.png: the spectrum of standard input' .stdout || fail "the spectrum's report"
expect 0 "$MASTABA" filter in.img --spectrum spectrum.png
cmp spectrum.png piped.png || fail "another spectrum"

wrong() { # CODE MESSAGE ARGUMENTS, with in.img as standard input
    code=0
    wanted=$1 message=$2
    shift 2
    "$MASTABA" filter "$@" <in.img >.stdout 2>.stderr || code=$?
    [ $code = $wanted ] && grep -q "$message" .stderr || fail "filter $*: $code, $(cat .stderr)"
}
wrong 2 'has no name for -o DIR/' - -o ./ $keep
wrong 2 'give - once' - - -o ./ $keep
wrong 2 'standard output is the image' - -o - $keep --json
wrong 2 'standard output is the image' - -o - $keep --stages
wrong 2 'name is to end in' - -o bmp:- $keep
wrong 4 'float32; write .tif or .npy' - -o png:- $keep --output raw
head -c 40 in.img >cut.img
code=0
"$MASTABA" filter - -o - $keep <cut.img >.stdout 2>.stderr || code=$?
[ $code = 4 ] && grep -q 'standard input: ' .stderr && [ ! -s .stdout ] || fail "a cut image: $(cat .stderr)"
code=0
"$MASTABA" filter - -o - $keep --max-image 10 <in.img >.stdout 2>.stderr || code=$?
[ $code = 4 ] && grep -q 'standard input: claims' .stderr || fail "a large image: $(cat .stderr)"
code=0 # a terminal is no place for an image; one that is not the user's, as ranks of Open MPI have, passes it on
python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
    "$MASTABA" filter in.img -o - $keep </dev/null >.stdout || code=$?
[ $code = 2 ] && grep -q 'standard output is a terminal' .stdout || fail "an image on a terminal: $code, $(cat .stdout)"
python3 - "$MASTABA" filter in.img -o - $keep <<'END' >passed.img || fail "an image through a terminal of nobody's"
import os, pty, subprocess, sys, tty
ours, theirs = pty.openpty()
tty.setraw(theirs)
program = subprocess.Popen(sys.argv[1:], stdout=theirs)
os.close(theirs)
try:
    while piece := os.read(ours, 4096):
        sys.stdout.buffer.write(piece)
except OSError: # the program has ended
    pass
sys.exit(program.wait())
END
"$MASTABA" filter in.img -o - $keep | cmp - passed.img || fail "a terminal of nobody's passes on other bytes"
if [ -w /dev/full ]; then
    code=0
    "$MASTABA" filter - -o - $keep <in.img >/dev/full 2>.stderr || code=$?
    [ $code = 4 ] && grep -q 'standard output' .stderr || fail "a full disk behind a pipe: $(cat .stderr)"
fi

# Each page keeps its own texts and resolution.
python3 - <<'END'
import struct
# Two pages of 3 x 2 uint8, of which each has a description and a resolution of its own.
def page(at, last, text, dpi):
    n = 11
    after = at + 2 + 12 * n + 4
    words, extra = [], b''
    def put(tag, kind, count, value, data=b''):
        nonlocal extra
        if data:
            value = after + len(extra)
            extra += data + b'\0' * (len(data) % 2)
        words.append(struct.pack('<HHII', tag, kind, count, value))
    put(256, 4, 1, 3); put(257, 4, 1, 2); put(258, 3, 1, 8); put(259, 3, 1, 1); put(262, 3, 1, 1)
    put(270, 2, len(text) + 1, 0, text + b'\0' * (1 + len(text) % 2))
    strip = len(words)
    words.append(None)
    put(278, 4, 1, 2); put(279, 4, 1, 6)
    put(282, 5, 1, 0, struct.pack('<II', dpi, 1)); put(283, 5, 1, 0, struct.pack('<II', dpi, 1))
    words[strip] = struct.pack('<HHII', 273, 4, 1, after + len(extra))
    extra += bytes(range(10, 16))
    return struct.pack('<H', n) + b''.join(words) + struct.pack('<I', 0 if last else after + len(extra)) + extra
first = page(8, False, b'the first slice', 100)
open('pages.tif', 'wb').write(b'II*\0' + struct.pack('<I', 8) + first + page(8 + len(first), True, b'the second slice', 200))
END
expect 0 "$MASTABA" filter pages.tif -o kept.tif $keep
python3 - <<'END' || fail "texts or resolution of later pages"
import struct
data = open('kept.tif', 'rb').read()
at, pages = struct.unpack('<I', data[4:8])[0], []
while at:
    n = struct.unpack('<H', data[at:at + 2])[0]
    tags = {}
    for k in range(n):
        tag, kind, count, value = struct.unpack('<HHII', data[at + 2 + 12 * k:at + 14 + 12 * k])
        tags[tag] = data[value:value + count - 1] if kind == 2 else struct.unpack('<II', data[value:value + 8]) if kind == 5 else value
    pages.append((tags[270], tags[282][0] / tags[282][1], tags.get(296, 2)))
    at = struct.unpack('<I', data[at + 2 + 12 * n:at + 6 + 12 * n])[0]
assert pages == [(b'the first slice', 100, 2), (b'the second slice', 200, 2)], pages # dots an inch
END

# A dry run says what is transformed and leaves nothing.
expect 0 "$MASTABA" filter pages.tif -o dry.tif --low-pass 2 --edges zero --dry-run
grep -q '^pages.tif: transformed at 1 x 4 x 6 points$' .stdout && [ ! -e dry.tif ] || fail "a dry run: $(cat .stdout)"
expect 2 "$MASTABA" filter pages.tif --spectrum dry.png --dry-run

# Pages of three columns come back as pages, not as an image of three channels; an axis for one channel stays.
expect 0 "$MASTABA" filter pages.tif -o narrow.npy $keep
expect 0 "$MASTABA" filter narrow.npy -o back.tif $keep
expect 0 "$MASTABA" filter narrow.npy -o again.npy $keep
cmp narrow.npy again.npy || fail "the axes of narrow pages"
grep -aq "'shape': (2, 2, 3, 1)" narrow.npy || fail "narrow pages without an axis of channels"
