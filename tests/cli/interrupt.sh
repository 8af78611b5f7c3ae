#!/bin/sh
# An interrupt half-way ends with 130 and leaves no output.
# Long: it waits for commands to have begun, and for compilers to end.
. "${0%/*}/lib"

# told COMMAND WRITTEN: the message of a command that stopped, or on a busy machine that of one that was stopped.
told() {
    case $(cat .stderr) in
    "mastaba $1: interrupted; $2" | "mastaba $1: interrupted; files that were not whole yet are removed") ;;
    *) fail "the message of an interrupted $1" ;;
    esac
}

# Long work: one-item blocks. Zeros that take no disk space.
npy raw x.npy "'<f4'" False '(400000, 512)' 819200000
npy make y.npy float32 512 1
export POCL_MAX_PTHREAD_COUNT=1
expect 0 "$MASTABA" convolve y.npy y.npy -o first.npy # compiles the kernels
for signal in INT TERM HUP; do
    expect 130 timeout --preserve-status -s $signal 1 \
        "$MASTABA" convolve x.npy y.npy -o z.npy --algorithm reference
    told convolve 'nothing was written'
    [ ! -s .stdout ] || fail "something on stdout for $signal"
    [ -z "$(find . -name '*z.npy*')" ] || fail "files left by $signal: $(ls -A)"
done
cp first.npy z.npy
expect 130 timeout --preserve-status -s INT 1 "$MASTABA" convolve x.npy y.npy -o z.npy --force
cmp first.npy z.npy || fail "an interrupted run changed the old output"
rm x.npy

# While kernels are compiled, rates measured or a driver is busy, a command is ended where it stands; nothing of it is left. The times
# are from a signal to the end, and 1.5 s more than is promised, for busy machines.
stopped() { # DELAY AGAIN LIMIT ARGUMENT...: the second signal comes after AGAIN seconds, unless that is 0
    python3 - "$@" <<'END' || fail "$(tail -1 .stderr)"
import os, subprocess, sys, time
delay, again, limit = map(float, sys.argv[1:4])
environment = dict(os.environ, XDG_CACHE_HOME=os.path.abspath("cold"), POCL_CACHE_DIR=os.path.abspath("cold/pocl"))
os.makedirs("cold/pocl", exist_ok=True)
with open(".stdout", "wb") as out, open(".stderr", "wb") as err:
    child = subprocess.Popen([os.environ["MASTABA"]] + sys.argv[4:], stdout=out, stderr=err, env=environment)
time.sleep(delay)
child.send_signal(2)
since = time.monotonic()
if again:
    time.sleep(again)
    child.send_signal(2)
    since = time.monotonic()
code = child.wait(60)
took = time.monotonic() - since
assert code == 130, "exit code %d" % code
assert took < limit + 1.5, "ended after %.2f s" % took
END
    rm -rf cold
}
mkdir compiled
cd compiled
npy make y.npy float32 512 1
on_cpu || skip 'interrupts of a compiler: no CPU'
for arguments in 'solve yee3d --grid 40x40x40 --steps 9 -o z.npy' 'convolve y.npy y.npy -o z.npy' 'tune --budget 20'; do
    [ -n "$MASTABA_DEVICE" ] || break
    # shellcheck disable=SC2086 # words of the command line
    stopped 0.4 0 1 $arguments
    stopped 0.4 0.2 0.1 $arguments
    [ "$(ls -A)" = '.stderr
.stdout
y.npy' ] || fail "files left by $arguments: $(ls -A)"
done
unset MASTABA_DEVICE
cd ..

# Two images of 8 million rows, small on disk and long to read: one message, whichever reading stops.
python3 -c "
import os, struct, zlib
def write(path, columns, rows, bits, kind, data):
    tags = [(256, columns), (257, rows), (258, bits), (259, 8), (262, 1), (273, 8), (277, 1), (278, rows), (279, len(data)), (339, kind)]
    with open(path, 'wb') as f:
        f.write(b'II*\\0' + struct.pack('<I', 8 + len(data)) + data + struct.pack('<H', len(tags)))
        f.write(b''.join(struct.pack('<HHII', tag, 4, 1, value) for tag, value in tags) + bytes(4))
rows, columns, packer = 8000000, 200, zlib.compressobj()
mebibyte = [packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)]
write('long.tif', columns, rows, 8, 1, mebibyte[0] + mebibyte[1] * (columns * rows >> 20))
write('noise.tif', 2048, 2048, 8, 1, zlib.compress(os.urandom(1 << 22), 1))
write('nan.tif', 1, 1, 32, 3, zlib.compress(struct.pack('<f', float('nan'))))"
cp long.tif longer.tif
mkdir many
expect 130 timeout --preserve-status -s INT 0.7 "$MASTABA" filter long.tif longer.tif -o many/ --low-pass 3
told filter 'nothing was written'
[ -z "$(ls many)" ] || fail "files left by filter: $(ls many)"

printf 'P2 2 2 9\n1 2 3 4\n' >small.pgm
expect 130 timeout --preserve-status -s INT 0.7 "$MASTABA" filter small.pgm long.tif -o many/ --low-pass 1
n=$(ls many | wc -l) # 0 if the program came no further
written="$n of 2 images written"
[ "$n" != 0 ] || written='nothing was written'
told filter "$written"

# A signal when no image is left to read, one of two was refused, and the other is still being written: the refusal counts.
mkfifo messages
"$MASTABA" filter noise.tif nan.tif -o many/ --high-pass 1 -f >.stdout 2>messages &
exec 3<messages
read -r message <&3
kill -TERM $! || true
code=0
wait $! || code=$?
cat <&3 >.stderr
{ [ "$code" = 4 ] && [ ! -s .stderr ]; } || { [ "$code" = 130 ] && grep -q 'interrupted; ' .stderr; } || fail "exit code $code after a refusal: $message"
case $message in
*'is not a finite number'*) ;;
*) fail "another refusal: $message" ;;
esac
# On a busy machine it is stopped before that image is whole, or read, and says so.
grep -q 'files that were not whole yet are removed\|nothing was written' .stderr || [ -f many/noise.tif ] ||
    fail "the image beside a refused one: exit code $code, $(cat .stderr)"
