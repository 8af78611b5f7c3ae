#!/bin/bash
# Arrays in Fortran order, as numpy.save writes the transpose of one, and with bytes in the other order give what those in C order give.
. "${0%/*}/lib"
without_cache

python3 - <<'E'
import array, random, sys

rows, columns = 5, 33
random.seed(3)
numbers = array.array("f", (random.random() for _ in range(rows * columns)))

def save(name, descr, fortran, values):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }" % (descr, fortran, rows, columns)
    text += " " * (-(11 + len(text)) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode() + values.tobytes())

native, foreign = ("<f4", ">f4") if sys.byteorder == "little" else (">f4", "<f4")
turned = array.array("f", (numbers[r * columns + c] for c in range(columns) for r in range(rows)))
save("c.npy", native, False, numbers)
save("fortran.npy", native, True, turned)
numbers.byteswap()
turned.byteswap()
save("foreign.npy", foreign, False, numbers)
save("both.npy", foreign, True, turned)
E

for x in c fortran foreign both; do
    $MASTABA fft "$x.npy" -o "fft-$x.npy"
    cmp fft-c.npy "fft-$x.npy"
done
for x in c both; do
    $MASTABA filter "$x.npy" --low-pass 3 -o "filter-$x.npy"
    $MASTABA map '2*x + i0' x="$x.npy" -o "map-$x.npy"
done
cmp filter-c.npy filter-both.npy
cmp map-c.npy map-both.npy

# A plan needs no number of them: of 1 TiB, most of which the file has no room for.
python3 - <<'E'
for name, descr, fortran in (("huge.npy", "<f4", True), ("huge_foreign.npy", ">f4", False)):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': (262144, 1048576), }" % (descr, fortran)
    text += " " * (-(11 + len(text)) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode())
        f.truncate(10 + len(text) + (1 << 40))
E
for x in huge huge_foreign; do
    expect 0 "$MASTABA" fft "$x.npy" --real --axes 1 --dry-run
    expect 0 "$MASTABA" convolve "$x.npy" c.npy --axes -2,-1 --dry-run
    expect 0 "$MASTABA" deconvolve "$x.npy" --psf gaussian:1 --dry-run
done
rm huge.npy huge_foreign.npy
