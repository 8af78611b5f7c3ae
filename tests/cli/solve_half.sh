#!/bin/bash
# Fields of float16 in files: results and frames as <f2 hold the values of those of float32, initial values come from them, and
# checkpoints have 2 bytes a value; one of version 1, which an older program wrote, goes on.
. "${0%/*}/lib"

data="${0%/*}/data"
expect 0 "$MASTABA" solve "$data/float16.yaml" -o wide.npy
mv frame-00000004.npy frame.npy
expect 0 "$MASTABA" solve "$data/float16.yaml" -o half.npy --output-type float16 -f
cmp frame.npy frame-00000004.npy || fail "frames differ from run to run"
python3 - <<'END' || fail "float16 and float32 differ"
import struct
def values(name, letter):
    data = open(name, "rb").read()
    assert data[10:50].find(b"<f%d" % struct.calcsize(letter)) >= 0, name
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack("<%d%s" % ((len(data) - begin) // struct.calcsize(letter), letter), data[begin:])
wide, half = values("wide.npy", "f"), values("half.npy", "e")
assert len(half) == 2 * 6 * 7 and wide == half and len(set(half)) > 20
assert values("frame.npy", "e") == half[42:]
END

# As initial values.
sed 's/w: 0.3/w: frame.npy/' "$data/float16.yaml" >next.yaml
expect 0 "$MASTABA" solve next.yaml --steps 0 -o zero.npy --output-type float16 -f
cmp <(tail -c 84 half.npy) <(tail -c 84 zero.npy) || fail "w began with other values than its file has"

# Checkpoints.
sed '/^output/d' "$data/float16.yaml" >p.yaml
expect 0 "$MASTABA" solve p.yaml --steps 2 --checkpoint c
cp "$data/float16-version-1.checkpoint" old
[ $(($(stat -c %s old) - $(stat -c %s c))) = $((3 * 6 * 7 * 2)) ] || fail "a checkpoint does not have 2 bytes a value"
for file in c old; do
    expect 0 "$MASTABA" solve p.yaml --checkpoint $file --resume -o $file.npy --output-type float16
    cmp half.npy $file.npy || fail "$file does not go on to the same values"
done
cmp c old || fail "the checkpoint after an old one is another"

# What float16 would round is not written as such.
sed 's/w: 0.3/w: {storage: float32, initial: 0.3}/' "$data/float16.yaml" >mixed.yaml
refused 4 'mixed.yaml:[0-9]*: output: w is not stored as float16, and would be rounded' solve mixed.yaml
sed '/^output/d' mixed.yaml >plain.yaml
refused 2 'output-type float16: w is not stored as float16' solve plain.yaml -o n.npy --output-type float16
refused 2 'output-type float64: expected float16' solve p.yaml -o n.npy --output-type float64
sed 's/type: float16/type: float16, format: vti/' "$data/float16.yaml" >vti.yaml
refused 4 'only .npy files hold float16' solve vti.yaml
sed 's/type: float16/type: float64/' "$data/float16.yaml" >wide.yaml
refused 4 'the type is float64, the precision float32' solve wide.yaml
refused 4 "frame.npy: holds float16 values; convert with a.astype" fft frame.npy -o n.npy
