#!/bin/bash
# Materials and masks: parameters by the numbers in a file, by regions, and as the expressions that a user would write give the
# same bits, as do a mask in a file and one by an expression, which holds its fields; both belong to a checkpoint's problem; the
# largest time step is that of a material, not of a mixture; mistakes in a file of numbers.
. "${0%/*}/lib"
without_cache

cat >make.py <<'END'
import npy
nodes = [(x, y) for y in range(14) for x in range(19)]
npy.write("model.npy", "int16", (14, 19), [7 if (x - 12) ** 2 + (y - 3) ** 2 < 9 else y > 6 for x, y in nodes])
npy.write("hole.npy", "bool", (14, 19), [(x - 4) ** 2 + (y - 5) ** 2 < 5 for x, y in nodes])
END
PYTHONPATH=$here python3 make.py

cat >numbers.yaml <<'END'
grid: [14, 19]
time_step: 0.0212
fields: {u: {levels: 2, initial: exp(-(x-9)^2-(y-9)^2)}, w: 0.5}
materials: {file: model.npy, table: {0: {k: 1500, rho: 1000}, 1: {k: 2, rho: 0.002}, 7: {k: 3000, rho: 1500}}}
let: {"disc(a, b)": "(x-a)^2 + (y-b)^2"}
boundary: {x: periodic, y: neumann}
update:
  - u: 2*u - u.prev + dt^2*k/rho*laplace(u)
    w: w + 0.1*u
mask: {where: hole.npy, fields: [u], value: 0.25*cos(x)}
sources: [{field: u, at: [8, 11], series: "ricker(t, 0.1)"}]
steps: 12
END
regions='[{k: 1500, rho: 1000}, {where: y > 6, k: 2, rho: 0.002}, {where: "disc(12, 3) < 9", k: 3000, rho: 1500}]'
sed "s/^materials.*/materials: $regions/; s/where: hole.npy/where: 'disc(4, 5) < 5'/" numbers.yaml >regions.yaml
cat >plain.py <<'END'
text = open("numbers.yaml").read().split("\n")
text = [line for line in text if not line.startswith(("materials", "mask"))]
text = "\n".join(text).replace("w: 0.5}", 'w: 0.5, k: {coefficient: true, initial: "disc(12, 3) < 9 ? 3000 : y > 6 ? 2 : 1500"},'
                               ' rho: {coefficient: true, initial: "disc(12, 3) < 9 ? 1500 : y > 6 ? 0.002 : 1000"}}')
text = text.replace("u: 2*u - u.prev + dt^2*k/rho*laplace(u)",
                    'u: "disc(4, 5) < 5 ? 0.25*cos(x) : 2*u - u.prev + dt^2*k/rho*laplace(u)"')
open("plain.yaml", "w").write(text)
END
python3 plain.py
expect 0 "$MASTABA" solve numbers.yaml --steps 5 --schedule sweeps --checkpoint c
cp c kept
expect 0 "$MASTABA" solve numbers.yaml -o numbers.npy --schedule sweeps --checkpoint c --resume
expect 0 "$MASTABA" solve plain.yaml -o plain.npy --schedule sweeps
cmp -s numbers.npy plain.npy || fail "materials and masks give other bits than plain expressions"
ways() {
    expect 0 "$MASTABA" solve regions.yaml -o regions.npy --schedule sweeps
    cmp -s numbers.npy regions.npy || fail "regions give other bits"
    expect 0 "$MASTABA" solve numbers.yaml -o fused.npy --schedule in-core --fuse 2
    cmp -s numbers.npy fused.npy || fail "fused steps give other bits"
}
if turn 4; then ways; fi

# Material 1 has the fastest waves, of speed sqrt(1000); a modulus of 3000 with its density does not exist.
expect 0 "$MASTABA" solve numbers.yaml --check-stability
grep -q 'time step is 0.0223607' .stdout || fail "not the time step of the fastest material"

# What is held is the value after every step, and nothing else is.
cat >check.py <<'END'
import math
import npy
(_, _, u), (_, _, hole) = npy.read("numbers.npy"), npy.read("hole.npy")
held = [abs(v - 0.25 * math.cos(i % 19)) < 1e-7 for i, v in enumerate(u[:14 * 19])]
assert held == [h != 0 for h in hole], [i for i, (a, b) in enumerate(zip(held, hole)) if a != b]
END
PYTHONPATH=$here python3 check.py || fail "the mask does not hold its nodes alone"

# Both are parts of the problem that a checkpoint is of.
sed 's/< 5 /< 4 /; s/hole.npy/hole2.npy/; s/model.npy/model2.npy/; s/y > 6/y > 7/' make.py >make2.py
PYTHONPATH=$here python3 make2.py
for other in 's/7: {k: 3000/7: {k: 3001/' 's/value: 0.25/value: 0.26/' 's/hole.npy/hole2.npy/' 's/model.npy/model2.npy/'; do
    sed "$other" numbers.yaml >p.yaml
    expect 4 "$MASTABA" solve p.yaml -o p.npy --checkpoint kept --resume
    grep -q 'checkpoint of another problem' .stderr || fail "resumed with $other"
done

# Runs differ in what materials and masks are made of.
runs() {
    sed 's/^grid/parameters: {a: 0.25, b: 2}\n&/; s/value: 0.25/value: a/; s/k: 2,/k: b,/' regions.yaml >run.yaml
    sed 's/^grid/runs: [{a: 0.5}, {b: 3}]\n&/' run.yaml >runs.yaml
    expect 0 "$MASTABA" solve runs.yaml --time-step 0.018 --steps 6 -o runs.npy --schedule sweeps
    expect 0 "$MASTABA" solve run.yaml --time-step 0.018 --steps 6 -o run.npy --schedule sweeps --set b=3
    PYTHONPATH=$here python3 -c '
import npy
(_, shape, all), (_, _, one) = npy.read("runs.npy"), npy.read("run.npy")
n = 14 * 19
assert shape == (2, 2, 14, 19) and all[n:2*n] == one[:n] and all[3*n:] == one[n:]' || fail "a run differs from the problem alone"
}
if turn 4; then runs; fi

# Mistakes that need the files.
wrong() {
    sed "$2" numbers.yaml >p.yaml
    refused 4 "p.yaml:$1" solve p.yaml --dry-run
}
npy make floats.npy float32 14,19 1
npy make small.npy uint8 14,18 1
npy make complex.npy complex64 14,19 1
wrong '4: materials: model.npy has the number 7, of which the table has no material' 's/7: {k/8: {k/'
wrong '4: materials: floats.npy holds float32; the numbers of materials are integers' 's/model.npy/floats.npy/'
wrong '4: materials: small.npy has the shape \[14, 18\], the grid \[14, 19\]' 's/model.npy/small.npy/'
wrong '10: mask.where: complex.npy holds complex64; real numbers are taken' 's/hole.npy/complex.npy/'
