#!/bin/bash
# Ensembles of grids of three axes: runs of a problem file have the bits of the same problem with --set, in all that is written.
# Long: an ensemble beside each of its runs alone, of which each is compiled.
. "${0%/*}/lib"
without_cache

cat >all.yaml <<'YAML'
grid: [25, 18, 22]
parameters: {c: 1, f: 0.1, g: c*f}
runs: [{c: 0.8}, {f: 0.15}, {c: 0.9, f: 0.12}]
time_step: 0.4
fields: {u: {levels: 2, initial: g*exp(-(z - 9)^2/4)}, q: 0}
boundary: {x: absorb 5, y: neumann, z: {absorb: 6, kappa: 2}}
update:
  - u: 2*u - u.prev + dt^2*c^2*(stretch_x(dx_minus(stretch_x(dx_plus(u), 0.5))) + dyy(u) + stretch_z(dzz(u)))
    q: q + f*stretch_x(c*dx(u)) - 0.1*stretch_z(f*dz(u))
steps: 12
sources: [{field: u, at: [12, 9, 8.5], series: "ricker(t, f)"}]
receivers: [{field: u, at: [[3, 4, 5], [20.5, 0, 9]], file: trace.npy, spectrum: {frequencies: [0.1, 0.3], file: heard.npy}}]
monitors: [{name: m, expression: "g*u[1,0,0] + z", reduce: sum, every: 4, file: m.csv}, {name: n, expression: u, reduce: max, every: 3, region: {z: [1, 5]}, file: n.npy}]
spectra: [{field: u, frequencies: [0.1, 0.2], every: 2, region: {z: [2, 9], x: 3}, file: s.npy}]
until: m < -1e9 && g > 7
output:
  - {every: 6, fields: [q, u], format: npy, file: frame, decimate: 2}
  - {every: 12, fields: [u], format: npy, file: whole, slice: {x: 4}}
YAML
each='trace heard n s'
sed '/^runs/d' all.yaml >one.yaml
sed -i 's/file: \(frame\|whole\)/file: \1RUN/; s/m\.csv/mRUN.csv/' one.yaml
for name in $each; do sed -i "s/\b$name\.npy/${name}RUN.npy/" one.yaml; done
expect 0 "$MASTABA" solve all.yaml -o all.npy
grep -q 'all.yaml: 3 runs of \[25, 18, 22\] float32, 12 steps on .*: sweeps' .stdout || fail "the report does not say the runs"
set -- c=0.8 f=0.15 'c=0.9 --set f=0.12'
for run in 0 1 2; do
    sed "s/RUN/$run/g" one.yaml >p.yaml
    expect 0 "$MASTABA" solve p.yaml -o one$run.npy --schedule in-core --set $1
    shift
done
cat >compare.py <<'PY'
def load(name):
    data = open(name, "rb").read()
    n = 10 + int.from_bytes(data[8:10], "little")
    return eval(data[10:n])["shape"], data[n:]

def same(name, one, leading):
    """Array `name` has the runs as axis number `leading`."""
    shape, data = load(name)
    for run in range(3):
        one_shape, alone = load(one % run)
        assert shape == one_shape[:leading] + (3,) + one_shape[leading:], (name, shape, one_shape)
        groups = one_shape[0] if leading else 1
        n = len(alone) // groups
        assert all(data[(3*g + run)*n:(3*g + run + 1)*n] == alone[g*n:(g + 1)*n] for g in range(groups)), (name, run)

same("all.npy", "one%d.npy", 1)
same("heard.npy", "heard%d.npy", 1)
same("s.npy", "s%d.npy", 1)
same("n.npy", "n%d.npy", 0)
same("trace.npy", "trace%d.npy", 0)
for step in "00", "06", "12":
    for field in "q", "u":
        same("frame-%s-000000%s.npy" % (field, step), "frame%%d-%s-000000%s.npy" % (field, step), 0)
same("whole-00000012.npy", "whole%d-00000012.npy", 0)
assert load("frame-q-00000012.npy")[0] == (3, 13, 9, 11) and load("whole-00000012.npy")[0] == (3, 25, 18)
rows = ["run,step,t,m\n"]
for r in range(3):
    rows += ["%d,%s" % (r, row) for row in list(open("m%d.csv" % r))[1:]]
assert rows == list(open("m.csv")), "a monitor's rows"
PY
python3 compare.py || fail "runs differ from the same problems alone"

# A checkpoint has all runs, their layers and findings.
files='s.npy heard.npy n.npy m.csv trace.npy'
for name in $files; do mv $name once-$name; done
expect 0 "$MASTABA" solve all.yaml --steps 6 -f -o half.npy --checkpoint c
expect 0 "$MASTABA" solve all.yaml -f -o resumed.npy --checkpoint c --resume
for name in $files; do cmp -s $name once-$name || fail "$name of a resumed ensemble differs"; done
cmp -s all.npy resumed.npy || fail "a resumed ensemble differs"

# A frame of one run, as a picture and for ParaView; of all runs neither.
sed '/^output/,$d' all.yaml >p.yaml
echo 'output: [{every: 12, format: png, file: picture, slice: {run: 1, z: 9}}, {every: 12, format: vti, file: run, slice: {run: 2}}, {every: 12, file: some, slice: {run: 1}, decimate: 3}]' >>p.yaml
expect 0 "$MASTABA" solve p.yaml -f
[ -s picture-00000012.png ] && grep -aq 'WholeExtent="0 21 0 17 0 24"' run-00000012.vti || fail "frames of one run"
python3 -c '
exec(open("compare.py").read().split("same(\"all")[0])
assert load("some-00000012.npy")[0] == (9, 6, 8)' || fail "a decimated frame of one run"
sed -i 's/, slice: {run: 2}//' p.yaml
expect 4 "$MASTABA" solve p.yaml -f
grep -q 'p.yaml:[0-9]*: .*a .vti file has up to three axes, this output 4; add a slice, as slice: {run: 0}' .stderr || fail "a .vti of all runs"

# What does not stay on the device is refused, with what would do; so is another schedule.
expect 4 "$MASTABA" solve all.yaml -f --schedule skewed
grep -q 'an ensemble of grids of three axes is computed by sweeps, not by skewed' .stderr || fail "another schedule"
"$MASTABA" solve all.yaml -f --device-memory 300KiB 2>err && fail "too little memory is enough"
least=$(grep -o '[0-9]* bytes' err | tail -1)
[ "$least" ] || fail "no least budget: $(cat err)"
expect 0 "$MASTABA" solve all.yaml -f -o again.npy --device-memory "${least% bytes}"
cmp -s all.npy again.npy || fail "with the least memory an ensemble differs"
