#!/bin/bash
# The least memory that a refusal names is enough, and a byte less is refused: every command that takes budgets and may need more.
. "${0%/*}/lib"

python3 - <<'E'
import array, random

# Filters take images of 64 KiB and more by panels.
random.seed(21)
for name, shape in (("signal", (3, 20000)), ("kernel", (1, 301)), ("long", (18000,)), ("prime", (30011,)), ("image", (140, 120)), ("small", (60, 50)), ("psf", (7, 9)), ("tiny", (3, 2))):
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
    text += " " * (-(11 + len(text)) % 64) + "\n"
    n = 1
    for side in shape:
        n *= side
    with open(name + ".npy", "wb") as f:
        f.write(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode())
        f.write(array.array("f", (random.random() for _ in range(n))).tobytes())
E

# least OPTION COMMAND...: with as little as can be, with what that is told to take, and with a byte less.
least() {
    local option=$1 number
    shift
    turn 3 || return 0
    "$MASTABA" "$@" -f "$option" 400 >.stdout 2>.stderr && return
    number=$(sed -n 's/.* it takes at least \([0-9]*\)$/\1/p' .stderr)
    [ -n "$number" ] || fail "$*: $option 400: $(cat .stderr)"
    expect 0 "$MASTABA" "$@" -f "$option" "$number"
    ! "$MASTABA" "$@" -f "$option" $((number - 1)) >.stdout 2>.stderr || fail "$*: $option: less than $number is enough"
}

for option in --device-memory --host-memory; do
    least $option convolve signal.npy kernel.npy -o o.npy
    least $option convolve long.npy long.npy --mode circular -o o.npy
    least $option convolve small.npy psf.npy --axes -2,-1 -o o.npy
    least $option convolve tiny.npy tiny.npy -o o.npy
    least $option convolve tiny.npy tiny.npy --axes 0,1 -o o.npy
    least $option filter tiny.npy --low-pass 1 -o o.npy
    least $option filter tiny.npy --high-pass 1 --edges wrap -o o.npy
    least $option fft signal.npy --real -o o.npy
    least $option fft small.npy --axes 0,1 -o o.npy
    least $option fft small.npy --axes 0,1 --dct 2 -o o.npy
    least $option fft prime.npy -o o.npy
    least $option filter image.npy --low-pass 20 -o o.npy
    least $option filter image.npy --high-pass 20 --shape ideal --edges wrap -o o.npy
    least $option filter image.npy --spectrum o.png
    least $option deconvolve small.npy psf.npy --iterations 2 -o o.npy
    least $option deconvolve small.npy psf.npy --iterations 2 --exact -o o.npy
done
