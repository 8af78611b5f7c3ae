#!/bin/sh
# An interrupt half-way ends with 130 and leaves no output.
. "${0%/*}/lib"

# Long work: one-item blocks. Zeros that take no disk space.
npy raw x.npy "'<f4'" False '(400000, 512)' 819200000
npy make y.npy float32 512 1
export POCL_MAX_PTHREAD_COUNT=1
expect 0 "$MASTABA" convolve y.npy y.npy -o first.npy # compiles the kernels
for signal in INT TERM HUP; do
    expect 130 timeout --preserve-status -s $signal 1 \
        "$MASTABA" convolve x.npy y.npy -o z.npy --algorithm reference
    [ "$(cat .stderr)" = 'mastaba convolve: interrupted; nothing was written' ] || fail "the message for $signal"
    [ ! -s .stdout ] || fail "something on stdout for $signal"
    [ -z "$(find . -name '*z.npy*')" ] || fail "files left by $signal: $(ls -A)"
done
cp first.npy z.npy
expect 130 timeout --preserve-status -s INT 1 "$MASTABA" convolve x.npy y.npy -o z.npy --force
cmp first.npy z.npy || fail "an interrupted run changed the old output"
rm x.npy

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
[ "$(cat .stderr)" = 'mastaba filter: interrupted; nothing was written' ] || fail "the message of filter: $(cat .stderr)"
[ -z "$(ls many)" ] || fail "files left by filter: $(ls many)"

printf 'P2 2 2 9\n1 2 3 4\n' >small.pgm
expect 130 timeout --preserve-status -s INT 0.7 "$MASTABA" filter small.pgm long.tif -o many/ --low-pass 1
n=$(ls many | wc -l) # 0 if the program came no further
written="$n of 2 images written"
[ "$n" != 0 ] || written='nothing was written'
[ "$(cat .stderr)" = "mastaba filter: interrupted; $written" ] || fail "the message with $n images"

# A signal when no image is left to read, one of two was refused, and the other is still being written: the refusal counts.
mkfifo messages
"$MASTABA" filter noise.tif nan.tif -o many/ --high-pass 1 -f >.stdout 2>messages &
exec 3<messages
read -r message <&3
kill -TERM $! || true
code=0
wait $! || code=$?
cat <&3 >.stderr
[ "$code" = 4 ] && [ ! -s .stderr ] || fail "exit code $code after a refusal: $message"
case $message in
*'is not a finite number'*) ;;
*) fail "another refusal: $message" ;;
esac
[ -f many/noise.tif ] || fail "the image beside a refused one"
