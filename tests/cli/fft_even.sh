#!/bin/sh
# mastaba fft --dct and --dst, against the definitions.
. "${0%/*}/lib"

npy make x.npy float32 3,4,10 1
npy make d.npy float64 2,7 2
npy make i.npy int16 2,7 3
for type in 1 2 3 4; do
    expect 0 "$MASTABA" fft d.npy -o z.npy -f --dct $type
    npy even z.npy d.npy dct$type 0 1 -1 || fail "--dct $type"
    expect 0 "$MASTABA" fft d.npy -o z.npy -f --dst $type --norm ortho
    npy even z.npy d.npy dst$type 1 "$([ $type = 1 ] && echo 0.25 || echo 0.2672612419124244)" -1 || fail "--dst $type, orthogonal"
    expect 0 "$MASTABA" fft z.npy -o again.npy -f --dst $type --norm ortho --inverse
    npy mapped again.npy float64 'a' a=d.npy || fail "--dst $type there and back"
done
expect 0 "$MASTABA" fft d.npy -o z.npy -f --dct 1 --norm ortho
npy even z.npy d.npy dct1 1 0.28867513459481287 -1 || fail "--dct 1, orthogonal"
expect 0 "$MASTABA" fft i.npy -o z.npy -f --dct 3 --inverse
npy even z.npy i.npy dct2 0 0.07142857142857142 -1 || fail "integers, the inverse of type 3"
expect 0 "$MASTABA" fft d.npy -o z.npy -f --dst 2 --norm forward
npy even z.npy d.npy dst2 0 0.07142857142857142 -1 || fail "--norm forward"
expect 0 "$MASTABA" fft x.npy -o z.npy -f --dct 2 --axes 0,2,1 --json
npy even z.npy x.npy dct2 0 1 0 1 2 || fail "three axes"
json "j['shape'] == [3, 4, 10] and j['type'] == 'float32' and j['bytes'] == 2 * 120 * 4"
npy make long.npy float32 601 3
expect 0 "$MASTABA" fft long.npy -o z.npy -f --dct 4 --device-memory 7000
npy even z.npy long.npy dct4 0 1 -1 || fail "a line that does not fit"
expect 0 "$MASTABA" fft long.npy --dct 4 --device-memory 7000 --show-kernels
[ -s .stdout ] || fail "no kernels of a line"

npy make c.npy complex64 3,4
npy make one.npy float32 3,1
refused 4 'c.npy: holds complex64, and --dct and --dst take real numbers' fft c.npy -o w.npy --dct 2
refused 4 'axis 1 has length 1; a cosine transform of type I needs 2' fft one.npy -o w.npy --dct 1
refused 2 '--dct 5: no such type; choose 1, 2, 3 or 4' fft x.npy -o w.npy --dct 5
refused 2 '--dst 0: no such type' fft x.npy -o w.npy --dst 0
refused 2 '--dct and --dst are two transforms' fft x.npy -o w.npy --dct 2 --dst 2
refused 2 '--dct has real results .* leave out --real' fft x.npy -o w.npy --dct 2 --real
refused 2 '--dst has real results .* leave out --shift' fft x.npy -o w.npy --dst 2 --shift
