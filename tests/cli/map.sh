#!/bin/sh
# mastaba map, against Python's arithmetic: words of the command line, what it prints, types that are missing, mistakes. Types, widths
# and operators are in the test map.
. "${0%/*}/lib"
without_cache

npy make b.npy float32 3,37 1
npy make c.npy float32 3,37 2
npy make d.npy float64 3,37 3
npy make i.npy int16 3,37 4
npy make j.npy int64 3,37 5
expect 0 "$MASTABA" map 'A = (B - C) * D' B=b.npy C=c.npy D=d.npy -o a.npy --type float64
npy mapped a.npy float64 '(b - c) * d' b=b.npy c=c.npy d=d.npy || fail "(B - C) * D"
[ ! -s .stderr ] || fail "something on stderr"
grep -Eq '^a.npy: \[3, 37\] float64 on .* in [0-9.]+ (s|ms|us), [0-9.]+ GB/s$' .stdout || fail "the line on stdout"
for width in 1 2 4 8 16; do
    turn 2 || continue
    if spared 2; then continue; fi
    expect 0 "$MASTABA" map 'B + k * C' B=b.npy C=c.npy k=0.5 -o w.npy -f --vector-width $width
    npy mapped w.npy float32 'b + 0.5 * c' b=b.npy c=c.npy || fail "vectors of $width"
done
expect 0 "$MASTABA" map 'max(I, 50) * 3 == 150 ? -I : J' I=i.npy J=j.npy -o a.npy -f --device-memory 3000
npy mapped a.npy int64 '-i if max(i, 50) * 3 == 150 else j' i=i.npy j=j.npy || fail "integers"
expect 0 "$MASTABA" map 'I / 4' I=i.npy -o a.npy -f --type float32 --json
json "j['shape'] == [3, 37] and j['type'] == 'float32' and j['bytes'] == 3 * 37 * (2 + 4)"
npy mapped a.npy float32 'i / 4' i=i.npy || fail "--type"
expect 0 "$MASTABA" map 'I // k + (B > 0)' I=i.npy B=b.npy k=7 -o a.npy -f --out-type uint8
npy mapped a.npy uint8 '(i // 7 + (b > 0)) % 256' i=i.npy b=b.npy || fail "--out-type"
expect 0 "$MASTABA" map 'B' B=b.npy -o a.npy -f --measure --verbose --no-cache
grep -Eq 'vectors of [0-9]+ elements; an element takes, by width, 1: .* 16: ' .stderr || fail "--measure"
npy make none.npy float32 0,4
expect 0 "$MASTABA" map 'B' B=none.npy -o a.npy -f
[ "$(npy describe a.npy)" = 'float32 [0, 4]' ] || fail "no elements"

# Reductions: printed, or in files; several results of one pass.
expect 0 "$MASTABA" map 'S = sum(I)' 'M = max(I) - min(I) + n1' I=i.npy --json
json "[r['type'] for r in j['results']] == ['int64', 'int16'] and [r['name'] for r in j['results']] == ['S', 'M']"
sum=$("$MASTABA" map 'sum(I)' I=i.npy)
expect 0 "$MASTABA" map "sum(I) - $sum + 0 * sum(I)" I=i.npy
[ "$(cat .stdout)" = 0 ] || fail "the sum of integers"
expect 0 "$MASTABA" map 'B' B=b.npy -o h.npy --out-type float16
expect 0 "$MASTABA" map 'all(isnan(sign(0 / (B - B))) && sign(H) == (B > 0) * 1 - (B < 0) * 1 && abs(H - B) < abs(B) / 1024 + 1e-7)' \
    B=b.npy H=h.npy
[ "$(cat .stdout)" = true ] || fail "signs, that of a NaN among them, and arrays of float16"
expect 0 "$MASTABA" map 'S = sum(I)' 'C = count(I > 0)' I=i.npy -o s.npy -o n.npy -a 0 --keep-axes
[ "$(npy describe s.npy) $(npy describe n.npy)" = 'int64 [1, 37] int64 [1, 37]' ] || fail "the shape of reductions"
rm n.npy
expect 0 "$MASTABA" map 'where(B > 0, B, nan)' B=b.npy -o n.npy
expect 0 "$MASTABA" map 'all(isnan(N) == !(B > 0) && where(B > 0, N, B) == B)' B=b.npy N=n.npy
[ "$(cat .stdout)" = true ] || fail "nan"
rm n.npy
refused 2 'is no name' map 'B + 1' B=b.npy "$(printf '%070d' 0 | tr 0 n)=3" -o n.npy
refused 2 'one file for each' map 'S = sum(I)' 'C = sum(J)' I=i.npy J=j.npy -o n.npy
refused 2 'no output' map 'sum(I)' I=i.npy -a 0
refused 2 'compute them apart' map 'S = sum(I)' 'C = I + 1' I=i.npy -o n.npy -o m.npy

# Running sums: the last of them is the sum.
expect 0 "$MASTABA" map 'C = cumsum(I)' 'P = i0' I=i.npy -o run.npy -o place.npy -a 0
expect 0 "$MASTABA" map 'all(where(P == n0 - 1, C, 0) == where(P == n0 - 1, S, 0))' C=run.npy S=s.npy P=place.npy
[ "$(cat .stdout)" = true ] || fail "running sums"
rm run.npy place.npy
expect 2 "$MASTABA" map 'cumsum(I) + 1' I=i.npy -o n.npy -a 0
grep -q 'column 1: cumsum and cumprod have nothing around them' .stderr || fail "a running sum inside a formula"
[ ! -e n.npy ] || fail "an output of a refused formula"
refused 2 'along one axis, but 0 of 2' map 'cumsum(I)' I=i.npy -o n.npy
refused 2 'no output' map 'cumsum(I)' I=i.npy -a 0

# A device without float64, if that can be preloaded: refused, unless a type is named that takes its place, which is then said.
refused 2 '--fallback int32' map B B=b.npy -o n.npy --fallback int32
expect 0 "$MASTABA" map 'max(B, D)' B=b.npy D=d.npy -o a.npy -f --fallback float32 --json
json "j['type'] == 'float64' and 'fallback' not in j"
[ ! -s .stderr ] || fail "a fallback where none was needed"
program=$MASTABA
printf '#!/bin/sh\nASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD="%s" exec "%s" "$@"\n' "$NO_FP64" "$program" >bare
chmod +x bare
MASTABA=$PWD/bare
export ASAN_OPTIONS="${ASAN_OPTIONS-}"
refused 1 'has no float64' map 'max(B, D)' B=b.npy D=d.npy -o n.npy
expect 0 "$MASTABA" map 'max(B, D)' B=b.npy D=d.npy -o a.npy -f --fallback float32 --json
json "j['type'] == 'float32' and j['fallback'] == {'from': 'float64', 'to': 'float32'}"
grep -Eq '^mastaba map: .* has no float64: computed in float32$' .stderr || fail "the fallback is not told"
npy mapped a.npy float32 'max(b, d)' b=b.npy d=d.npy || fail "--fallback"
MASTABA=$program

npy make other.npy float32 37,3 1
npy make z.npy complex64 3,37 1
refused 2 'no output' map B B=b.npy
# Bessel functions, against Bessel's integral by the trapezoidal rule, which is exact here but for rounding.
python3 - >bessel.npy <<'END'
import struct, sys
values = [0.0, -0.0, float('inf'), float('-inf'), float('nan')] + [0.37 * k - 55 for k in range(300)] + [5.0, -5.0, 4.999999, 5.000001]
header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d,)}" % len(values)
sys.stdout.buffer.write(b'\x93NUMPY\x01\0v\0' + header.ljust(117) + b'\n' + struct.pack('<%dd' % len(values), *values))
END
for order in 0 1; do
    if spared 2; then continue; fi
    expect 0 "$MASTABA" map "j$order(X)" X=bessel.npy -o j.npy -f
    expect 0 "$MASTABA" map "j$order(X)" X=bessel.npy -o single.npy -f --type float32
    python3 - $order <<'END' || fail "j$order"
import math, struct, sys
n, terms = int(sys.argv[1]), 200
x, j = ([v for v, in struct.iter_unpack('<d', open(name, 'rb').read()[128:])] for name in ('bessel.npy', 'j.npy'))
single = [v for v, in struct.iter_unpack('<f', open('single.npy', 'rb').read()[128:])]
assert j[2] == j[3] == 0 and j[4] != j[4] and j[0] == 1 - n and math.copysign(1, j[1]) == (1 if n == 0 else -1), j[:5]
def integral(x):
    angles = [math.pi * k / terms for k in range(terms + 1)]
    return math.fsum((0.5 if k in (0, terms) else 1) * math.cos(n * t - x * math.sin(t)) for k, t in enumerate(angles)) / terms
for at in range(5, len(x)):
    wanted = integral(x[at])
    assert abs(j[at] - wanted) < 2e-15, (x[at], j[at], wanted)
    assert abs(single[at] - wanted) < 3e-6, (x[at], single[at], wanted) # x itself is rounded, too
END
done

# float64 to float16 is rounded once: what is beside the middle of two float16 is no tie, though it is one in float32.
python3 - >middle.npy <<'END'
import struct, sys
values = [float('nan'), 65519.999999999, 65520.0, -1e300, -1e-9, 2.0 ** -25, 2.0 ** -25 * (1 + 2.0 ** -50)]
for bits in range(1, 0x7bff, 97):
    low, high = struct.unpack('<ee', struct.pack('<HH', bits, bits + 1))
    middle = (low + high) / 2
    values += [sign * v for v in (middle, middle * (1 + 2.0 ** -40), middle * (1 - 2.0 ** -40)) for sign in (1, -1)]
header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d,)}" % len(values)
sys.stdout.buffer.write(b'\x93NUMPY\x01\0v\0' + header.ljust(117) + b'\n' + struct.pack('<%dd' % len(values), *values))
END
expect 0 "$MASTABA" map 'M' M=middle.npy -o half.npy --out-type float16
python3 - <<'END' || fail "float64 to float16 rounds twice"
import struct
def once(v): # struct rounds to nearest, ties to even, and refuses what overflows
    try:
        return struct.pack('<e', v)
    except OverflowError:
        return struct.pack('<e', float('-inf') if v < 0 else float('inf'))
values = struct.iter_unpack('<d', open('middle.npy', 'rb').read()[128:])
halves = [h for h, in struct.iter_unpack('2s', open('half.npy', 'rb').read()[128:])]
wanted = [once(v) for v, in values]
assert len(halves) == len(wanted) and struct.unpack('<e', halves[0])[0] != struct.unpack('<e', halves[0])[0]
wrong = [(i, h, w) for i, (h, w) in enumerate(zip(halves, wanted)) if i and h != w]
assert not wrong, wrong[:3]
END

expect 0 "$MASTABA" map 'count(k*B != (1+2j)*B + m*B)' B=b.npy k=1+4J m=2J
[ "$(cat .stdout)" = 0 ] || fail "numbers with J: $(cat .stdout)"
for number in 2i 1+2 -0.5x; do refused 4 'neither a file nor a number; numbers are 2,' map 'k*B' B=b.npy k=$number -o n.npy; done
for call in 'nan_to_num(B*1j)' 'fabs(B*1j)' 'signbit(B*1j)' 'rint(B*1j)' 'floor(B*1j)' 'floor_divide(B*1j, 2)'; do
    refused 2 "${call%%(*}.. of complex numbers is not known" map "$call" B=b.npy -o n.npy
done
refused 2 '// of complex numbers is not known' map 'B*1j // 2' B=b.npy -o n.npy
refused 2 'not NAME=FILE' map B b.npy -o n.npy
refused 2 'leave out one' map B B=b.npy -o n.npy -w 4 -m
refused 2 'vector-width -1' map B B=b.npy -o n.npy -w -1
refused 2 'vector_width is 3' map B B=b.npy -o n.npy -w 3
refused 2 '--type real: no such type' map B B=b.npy -o n.npy -t real
refused 2 'take real' map z z=z.npy -o n.npy --out-type float32
refused 2 'not converted to int16' map 'I / 2' I=i.npy -o n.npy --type int16
refused 2 'out-type real: no such type' map B B=b.npy -o n.npy --out-type real
refused 2 'shape \(37,3\)' map 'B + C' B=b.npy C=other.npy -o n.npy
refused 2 'is no name' map 'B' B=b.npy 2x=3 -o n.npy
refused 4 'n.npy: No such file' map B B=n.npy -o m.npy
refused 4 'is the input b.npy too' map B B=b.npy -o b.npy -f
refused 4 'a.npy: exists' map B B=b.npy -o a.npy
expect 2 "$MASTABA" map 'B +* 2' B=b.npy -o n.npy
[ "$(sed -n 3p .stderr)" = '   ^' ] || fail "the caret"
