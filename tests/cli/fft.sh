#!/bin/sh
# mastaba fft, against the definition.
. "${0%/*}/lib"

npy make x.npy complex64 3,4,8 1
npy make d.npy complex128 2,64 2
# The scales are NumPy's.
expect 0 "$MASTABA" fft x.npy -o z.npy
npy transformed z.npy x.npy -1 1 -1 || fail "forward"
[ ! -s .stderr ] || fail "something on stderr"
grep -Eq '^z.npy: \[3, 4, 8\] complex64 on .* in [0-9.]+ (s|ms|us), [0-9.]+ GB/s$' .stdout || fail "the line on stdout"
expect 0 "$MASTABA" fft x.npy -o z.npy --inverse -f
npy transformed z.npy x.npy 1 0.125 -1 || fail "inverse"
for norm in backward:1:0.015625 ortho:0.125:0.125 forward:0.015625:1; do
    forward=${norm#*:}
    expect 0 "$MASTABA" fft d.npy -o z.npy --norm ${norm%%:*} -f
    npy transformed z.npy d.npy -1 ${forward%:*} 1 || fail "forward, $norm"
    expect 0 "$MASTABA" fft --inverse d.npy -o z.npy --norm ${norm%%:*} -f
    npy transformed z.npy d.npy 1 ${norm##*:} -1 || fail "inverse, $norm"
done
# Axes in any order and count, from either end; the scale goes by their product.
for axes in 0 1 -2 1,2 -1,-2 2,0,1; do
    # shellcheck disable=SC2046
    expect 0 "$MASTABA" fft x.npy -o z.npy --axes $axes -f
    # shellcheck disable=SC2046
    npy transformed z.npy x.npy -1 1 $(echo $axes | tr , ' ') || fail "axes $axes"
done
npy make cube.npy complex128 2,4,8 3
expect 0 "$MASTABA" fft cube.npy -o z.npy --axes -3,-2,-1 --inverse -f --json
npy transformed z.npy cube.npy 1 0.015625 0 1 2 || fail "three axes"
json "j['shape'] == [2, 4, 8] and j['type'] == 'complex128' and j['bytes'] == 2 * 64 * 16 and 'algorithm' not in j"
expect 0 "$MASTABA" fft z.npy -o again.npy --axes 0,1,2
npy transformed again.npy cube.npy -1 1 || fail "there and back"

# Any length.
npy make odd.npy complex128 17,15,2 4
expect 0 "$MASTABA" fft odd.npy -o z.npy -f --axes 0,1
npy transformed z.npy odd.npy -1 1 0 1 || fail "lengths 17 and 15"

npy make none.npy complex64 0,8
expect 0 "$MASTABA" fft none.npy -o z.npy -f
[ "$(npy describe z.npy)" = 'complex64 [0, 8]' ] || fail "no elements"
grep -Eq '^z.npy: \[0, 8\] complex64 on .* in 0 us$' .stdout || fail "the line on stdout without elements"

refused 2 'no axis 3' fft x.npy -o w.npy --axes 3
refused 2 'no axis -4' fft x.npy -o w.npy --axes -4
refused 2 'axis 2 is given twice' fft x.npy -o w.npy --axes 2,-1
refused 4 'z.npy: exists; .*--force' fft x.npy -o z.npy
refused 4 'x.npy: is the input x.npy too' fft x.npy -o x.npy --force

# A plan whose run would be refused for a budget is refused, too.
npy make prime.npy complex64 8,1021
expect 0 "$MASTABA" fft prime.npy --dry-run
refused 1 'prime.npy: the host memory budget of 500 bytes is too small for one panel; it takes at least 1024' \
    fft prime.npy --dry-run --host-memory 500
refused 1 'host memory budget of 500 bytes is too small for one panel; it takes at least 1024' \
    fft prime.npy -o w.npy --host-memory 500
