#!/bin/sh
# mastaba fft --real, --length, --shift, and input that is not complex, against the definition: which axis is halved, which lengths
# are cropped or padded, which halves are exchanged. Other lengths and layouts are in the tests fft and fft_lengths.
. "${0%/*}/lib"

# Real numbers: results 0 .. n/2 along the last axis of the list.
npy make x.npy float32 3,5,6 1
for axes in -1 2,1 0,2 -2 0,2,1; do
    case $axes in -1 | 2,1 | 0,2) turn 3 || continue ;; esac
    # shellcheck disable=SC2046
    expect 0 "$MASTABA" fft x.npy -o z.npy --real --axes $axes -f
    # shellcheck disable=SC2046
    npy real z.npy x.npy 1 $(echo $axes | tr , ' ') || fail "--real --axes $axes"
done
grep -Eq '^z.npy: \[3, 3, 6\] complex64 on ' .stdout || fail "the line on stdout"
expect 0 "$MASTABA" fft x.npy -o z.npy --real --norm forward --axes 1,2 -f
npy real z.npy x.npy 0.03333333333333333 1 2 || fail "the scale of --real"

# The way back: by default 2 (m - 1) values; --length crops the spectrum as NumPy's irfft does.
npy make c.npy complex128 3,4,5 2
expect 0 "$MASTABA" fft c.npy -o z.npy --real --inverse -f
npy hermitian z.npy c.npy 8 0.125 -1 || fail "--inverse --real"
for n in 1 2 5 8 9 11; do # crops, keeps and pads
    turn 6 || continue
    expect 0 "$MASTABA" fft c.npy -o z.npy --real --inverse --axes 0,-1 --norm forward --length $n -f
    npy hermitian z.npy c.npy $n 1 0 -1 || fail "--length $n"
done
npy make single.npy complex64 4,3,2 3 # padded along the first axis, and shifted along another
expect 0 "$MASTABA" fft single.npy -o z.npy --real --inverse --axes 2,0 --length 12 -f
npy hermitian z.npy single.npy 12 0.041666666666666664 2 0 || fail "--length 12 along the first axis"
expect 0 "$MASTABA" fft c.npy -o z.npy --real --inverse --axes 2,0 --norm ortho --length 5 -f --json
npy hermitian z.npy c.npy 5 0.2 2 0 || fail "--length along the first axis"
json "j['shape'] == [5, 4, 5] and j['type'] == 'float64' and j['bytes'] == 60 * 16 + 100 * 8"

# Integers and real numbers count as complex ones where complex ones are transformed.
for type in int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool float32 float64; do
    npy make r.npy $type 2,7 3
    expect 0 "$MASTABA" fft r.npy -o z.npy -f
    npy transformed z.npy r.npy -1 1 -1 || fail "$type"
    expect 0 "$MASTABA" fft r.npy -o z.npy -f --real
    npy real z.npy r.npy 1 -1 || fail "$type, --real"
done
expect 0 "$MASTABA" fft r.npy -o z.npy -f --real --inverse
npy hermitian z.npy r.npy 12 0.08333333333333333 -1 || fail "a real half spectrum"
# A sound is real; its axes are (channels, frames).
python3 -c "import wave
w = wave.open('sound.wav', 'wb'); w.setparams((2, 2, 8000, 0, 'NONE', ''))
w.writeframes(bytes(range(1, 41)))"
expect 0 "$MASTABA" fft sound.wav -o z.npy -f --real
[ "$(npy describe z.npy)" = 'complex64 [2, 6]' ] || fail "a sound"

# --shift: of the spectrum, on either way; with --real not along the halved axis.
for axes in 0 1 -1 0,2 2,0,1; do
    case $axes in 2,0,1) ;; *) turn 4 || continue ;; esac
    expect 0 "$MASTABA" fft c.npy -o plain.npy -f --axes $axes
    expect 0 "$MASTABA" fft c.npy -o moved.npy -f --axes $axes --shift
    # shellcheck disable=SC2046
    npy shifted moved.npy plain.npy 0 $(echo $axes | tr , ' ') || fail "--shift --axes $axes"
    expect 0 "$MASTABA" fft moved.npy -o again.npy -f --axes $axes --shift --inverse
    npy shifted again.npy c.npy 0 || fail "--shift there and back, --axes $axes"
done
for axes in 0,1 1,0 2,0,1; do
    case $axes in ?,?) turn 4 || continue ;; esac
    expect 0 "$MASTABA" fft x.npy -o plain.npy -f --axes $axes --real
    expect 0 "$MASTABA" fft x.npy -o moved.npy -f --axes $axes --real --shift
    # shellcheck disable=SC2046
    npy shifted moved.npy plain.npy 0 $(echo ${axes%,*} | tr , ' ') || fail "--real --shift --axes $axes"
    last=$(npy describe x.npy | tr -d ',[]' | cut -d' ' -f$((${axes##*,} + 2)))
    expect 0 "$MASTABA" fft moved.npy -o again.npy -f --axes $axes --real --shift --inverse --length "$last"
    npy shifted again.npy x.npy 0 || fail "--real --shift there and back, --axes $axes"
done
# Runs of 101 MB, both of whose parts are longer than the buffers of 32 MiB.
python3 -c "
import array
with open('big.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\0v\0' + b\"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4200000)}\".ljust(117) + b'\n')
    (array.array('f', ((i * 7919) % 1009 for i in range(1009))) * 12488)[:12600000].tofile(f)"
expect 0 "$MASTABA" fft big.npy -o plain.npy -f --axes 0
expect 0 "$MASTABA" fft big.npy -o moved.npy -f --axes 0 --shift
python3 -c "
a, b = (open(f, 'rb').read()[-100800000:] for f in ('plain.npy', 'moved.npy'))
assert b == a[67200000:] + a[:67200000]" || fail "--shift of long runs"

refused 4 'c.npy: holds complex128, and --real takes real numbers' fft c.npy -o w.npy --real
refused 4 'sound.wav: holds a sound; add --real' fft sound.wav -o w.npy
refused 2 '--length 281474976710657: not a length; give 1 to 2\^48' fft c.npy -o w.npy --inverse --real --length 281474976710657
npy make one.npy complex64 3,1
refused 4 'one.npy: has 1 element along axis 1.*--length 1' fft one.npy -o w.npy --inverse --real
npy make none.npy complex64 8,0
refused 4 'none.npy: has no elements along axis 1' fft none.npy -o w.npy
refused 2 '--length is for --inverse --real' fft c.npy -o w.npy --length 4
refused 2 '--length is for --inverse --real' fft c.npy -o w.npy --inverse --length 4
refused 2 '--length 0: not a length' fft c.npy -o w.npy --inverse --real --length 0
refused 2 '--length=four' fft c.npy -o w.npy --inverse --real --length=four
refused 2 '--shift leaves out the axis that --real halves' fft x.npy -o w.npy --real --shift

refused 2 'no output given' fft x.npy
