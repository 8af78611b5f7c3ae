#!/bin/bash
# Subnormal numbers by problem file and option: none is left where they are flushed; a run that was stopped and resumed has the bits
# of one that was not; and one that resumes the other way says so.
. "${0%/*}/lib"

cat >p.yaml <<'END'
grid: [21, 97]
subnormals: flush
fields: {u: "exp(-((x - 9)^2 + (y - 8)^2)/3)"}
update: [{u: "u - 0.2*(u[0,1] - u[0,-1]) + 0.08*(u[0,1] - 2*u + u[0,-1]) + 0.1*(u[1,0] - 2*u + u[-1,0])"}]
steps: 20
END
# How many there are, and whether values are near those of another file.
look() {
    python3 - "$@" <<'END'
import struct, sys
def values(name):
    data = open(name, "rb").read()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack("<%df" % ((len(data) - begin) // 4), data[begin:])
first = values(sys.argv[1])
print(sum(0 < abs(v) < 1.1754943e-38 for v in first))
assert all(abs(a - b) <= 1e-34 + 1e-6 * abs(a) for a, b in zip(first, values(sys.argv[2])))
END
}
expect 0 "$MASTABA" solve p.yaml -o flushed.npy
expect 0 "$MASTABA" solve p.yaml -o kept.npy --subnormals keep
[ "$(look flushed.npy kept.npy)" = 0 ] || fail "subnormal numbers are left"
[ "$(look kept.npy flushed.npy)" -gt 10 ] || fail "--subnormals keep does not keep them"
sed '/^subnormals/d' p.yaml >q.yaml
expect 0 "$MASTABA" solve q.yaml -o q.npy
cmp kept.npy q.npy || fail "they are not kept where nothing is said"
expect 0 "$MASTABA" solve q.yaml -o q.npy -f --subnormals flush
cmp flushed.npy q.npy || fail "the option differs from the key"

expect 0 "$MASTABA" solve p.yaml --steps 7 --checkpoint c
cp c other
expect 0 "$MASTABA" solve p.yaml --checkpoint c --resume -o resumed.npy
cmp flushed.npy resumed.npy || fail "a resumed run has other bits"
! grep -q warning .stderr || fail "a warning for a run that goes on as it was"
expect 0 "$MASTABA" solve q.yaml --checkpoint other --resume
grep -q '^mastaba solve: warning: other: its run flushed subnormal numbers, this one keeps them$' .stderr ||
    fail "no warning where a run that flushed goes on without"
expect 0 "$MASTABA" solve q.yaml --steps 7 --checkpoint old
expect 0 "$MASTABA" solve p.yaml --checkpoint old --resume
grep -q '^mastaba solve: warning: old: its run kept subnormal numbers, this one flushes them$' .stderr ||
    fail "no warning where a run that kept them goes on without"

refused 2 "--subnormals zero: expected keep or flush" solve p.yaml --subnormals zero
