#!/bin/sh
# Streams: mastaba convolve - KERNEL -o -, WAV and raw samples, against the same convolution of files; latency; mistakes.
. "${0%/*}/lib"

# wave BITS CHANNELS FRAMES [LENGTH]: a WAV of noise on stdout; 32 is float32, 64 float64. LENGTH is what its header says.
wave() {
    python3 - "$@" <<'END'
import random, struct, sys
bits, channels, frames = map(int, sys.argv[1:4])
random.seed(bits)
values = [random.uniform(-.5, .5) for _ in range(frames * channels)]
data = (struct.pack("<%d%s" % (len(values), "f" if bits == 32 else "d"), *values) if bits in (32, 64) else
        b"".join(int(v * 2 ** (bits - 1)).to_bytes(bits // 8, "little", signed=True) for v in values))
size = int(sys.argv[4]) if len(sys.argv) > 4 else len(data)
frame = channels * bits // 8
sys.stdout.buffer.write(b"RIFF" + struct.pack("<I", 0xffffffff if size != len(data) else size + 44) + b"WAVE" + b"junk" + struct.pack("<I", 3) + b"abc\0" +
                        b"fmt " + struct.pack("<IHHIIHH", 16, 3 if bits in (32, 64) else 1, channels, 8000, 8000 * frame, frame, bits) +
                        b"data" + struct.pack("<I", size) + data)
END
}
# close_to A B: raw float32 files, equal but for rounding.
close_to() {
    python3 - "$1" "$2" <<'END'
import array, sys
a, b = (array.array("f", open(p, "rb").read()) for p in sys.argv[1:])
sys.exit(len(a) != len(b) or len(a) == 0 or any(abs(x - y) > 2e-5 for x, y in zip(a, b)))
END
}
samples() { tail -c +$((1 + $(grep -abo data "$1" | head -1 | cut -d: -f1) + 8)) "$1"; } # of a WAV that mastaba wrote

npy make kernel.npy float32 700 1
npy make pair.npy float32 2,700 2
for case in '16 1 kernel' '16 1 pair' '24 2 pair' '32 2 kernel'; do
    # shellcheck disable=SC2086
    set -- $case
    wave $1 $2 3001 >in.wav
    expect 0 "$MASTABA" convolve in.wav $3.npy -o whole.wav --force -a paper-c
    cat in.wav | "$MASTABA" convolve - $3.npy -o - --latency 64 >out.wav || fail "$case: exit code $?"
    [ "$(head -c 4 out.wav)" = RIFF ] || fail "$case: no WAV"
    samples whole.wav >whole.raw && tail -c +45 out.wav >out.raw
    close_to whole.raw out.raw || fail "$case: the stream is not what files give"
done
# What was written into a pipe can be read again, and raw samples are those without the header.
cat out.wav | "$MASTABA" convolve - kernel.npy -o - | head -c 4 | grep -q RIFF || fail "a stream of a stream"
tail -c +57 in.wav | "$MASTABA" convolve - kernel.npy -o - --raw 2 --latency 64 >raw.raw || fail "raw: exit code $?"
cmp raw.raw out.raw || fail "raw samples give other results than WAV"
wave 32 2 3001 4294967295 | "$MASTABA" convolve - kernel.npy -o - --latency 64 | cmp - out.wav || fail "a length that is not known"

# Samples of float64, or a kernel of it, against sums in Python.
npy make wide.npy float64 2,300 3
wave 64 1 500 | "$MASTABA" convolve - wide.npy -o - --latency 64 >wide.wav || fail "float64: exit code $?"
wave 64 1 500 | tail -c +57 | "$MASTABA" convolve - wide.npy -o - --raw 1 --float64 >wide.raw || fail "raw float64: exit code $?"
wave 32 1 500 | "$MASTABA" convolve - wide.npy -o - >wide32.wav || fail "a kernel of float64: exit code $?"
wave 32 1 500 | tail -c +57 >in32.raw
wave 64 1 500 | tail -c +57 >in64.raw
tail -c 4800 wide.npy >taps.raw
python3 - <<'END' || fail "float64 streams"
import array
taps = array.array("d", open("taps.raw", "rb").read())
def read(path, kind, skip=0):
    return array.array(kind, open(path, "rb").read()[skip:])
def check(x, z):
    assert len(z) == 2 * 799, len(z)
    for k in range(799):
        for c in range(2):
            s = sum(taps[300 * c + t] * x[k - t] for t in range(max(0, k - 499), min(300, k + 1)))
            assert abs(z[2 * k + c] - s) < 1e-12, (k, c, z[2 * k + c], s)
x = read("in64.raw", "d")
check(x, read("wide.wav", "d", 44)), check(x, read("wide.raw", "d")), check(read("in32.raw", "f"), read("wide32.wav", "d", 44))
header = open("wide.wav", "rb").read(44)
assert header[20] == 3 and header[32] == 16 and header[34] == 64, header
END

# Results come before the input ends: of 256 frames, at a latency of 16, at least 240.
{ head -c 1024 /dev/zero; sleep 3; } | "$MASTABA" convolve - kernel.npy -o - --raw 1 --latency 16 >early.raw &
stream=$!
sleep 2.5
[ "$(stat -c %s early.raw)" -ge 960 ] || sleep 0.3
early=$(stat -c %s early.raw)
wait $stream || fail "a slow input: exit code $?"
[ "$early" -ge 960 ] && [ "$early" -le 1024 ] || fail "$early bytes came while the input was open"

# Mistakes.
refused 2 'give - for X and for -o' convolve - kernel.npy -o z.npy
refused 2 'give - for X and for -o' convolve kernel.npy kernel.npy -o -
refused 2 'are for streams' convolve kernel.npy kernel.npy -o z.npy --raw 1
refused 2 'in full' convolve - kernel.npy -o - --mode same
refused 2 'channels' convolve - kernel.npy -o - --raw -1
refused 4 'power of two' convolve - kernel.npy -o - --raw 1 --latency 100
refused 4 'no WAV; for raw samples' convolve - kernel.npy -o - --float64
npy make whole.npy int32 5
refused 4 'kernel of a stream' convolve - whole.npy -o - --raw 1
refused 2 'are for streams' convolve kernel.npy kernel.npy -o z.npy --float64
refused 4 'one kernel for all' convolve - pair.npy -o - --raw 3
wave 16 1 100 1000 | "$MASTABA" convolve - kernel.npy -o - >cut.wav 2>.stderr && fail "a truncated stream"
grep -q 'before the samples that its header promises' .stderr || fail "$(cat .stderr)"
wave 16 1 100 3000000000 | "$MASTABA" convolve - kernel.npy -o - >cut.wav 2>.stderr && fail "a long stream that is truncated"
grep -q 'before the samples that its header promises' .stderr || fail "$(cat .stderr)"
wave 24 1 100 | python3 -c 'import sys; d = bytearray(sys.stdin.buffer.read()); d[44] = 4; sys.stdout.buffer.write(d)' |
    "$MASTABA" convolve - kernel.npy -o - >cut.wav 2>.stderr && fail "samples of 24 bits in 4 bytes"
grep -q 'packed' .stderr || fail "$(cat .stderr)"
printf abc | "$MASTABA" convolve - kernel.npy -o - --raw 1 >cut.raw 2>.stderr && fail "a part of a frame"
grep -q 'within a frame' .stderr || fail "$(cat .stderr)"
[ ! -w /dev/full ] || { tail -c +57 in.wav | "$MASTABA" convolve - kernel.npy -o - --raw 2 >/dev/full 2>.stderr && fail "a full disk"; }
exit 0
