#!/bin/bash
# Ensembles: runs of a problem file have the bits of the same problem with --set, in all that is written; mistakes in `runs`.
# Long: an ensemble beside each of its runs alone, of which each is compiled.
. "${0%/*}/lib"
without_cache

cat >all.yaml <<'END'
grid: [10, 14]
parameters: {rate: 0.16, feed: 0.035, kill: 0.06, both: feed + kill}
runs: [{feed: 0.03}, {kill: 0.055}, {feed: 3*rate/8, kill: 0.062}]
fields: {u: 1 - feed*exp(-x), v: {initial: 0.25*exp(-(x - 5)^2/9)}}
let: {spread: "u[0,-1] + u[0,1] + u[-1,0] + u[1,0] - 4*u"}
boundary: {x: periodic, y: dirichlet kill*t}
update:
  - u: u + dt*(rate*spread - u*v^2 + feed*(1 - u))
    v: v + dt*(u*v^2 - both*v)
steps: 6
sources: [{field: u, at: [2, 3], series: feed*sin(t)}]
receivers: [{field: v, at: [[3, 4], [7, 0]], file: trace.npy, spectrum: {frequencies: [0.1, 0.3], file: heard.npy}}]
monitors: [{name: m, expression: "both*v[0,1] + x", reduce: sum, every: 2, file: m.csv}, {name: n, expression: u, reduce: max, every: 3, region: {y: [1, 5]}, file: n.npy}]
spectra: [{field: u, frequencies: [0.1, 0.2], every: 1, region: {x: [2, 9]}, file: s.npy}]
until: m < 1e-9 && both > 7
output: {every: 3, fields: [v], format: npy, file: frame, decimate: 2}
END
sed '/^runs/d; s/trace.npy/TRACE/; s/file: frame/file: FRAME/; s/heard.npy/HEARD/; s/m.csv/MCSV/; s/n.npy/NNPY/; s/s.npy/SNPY/' all.yaml >one.yaml
expect 0 "$MASTABA" solve all.yaml -o all.npy --schedule sweeps
grep -q '^m: [0-9.e-]* to [0-9.e-]* after step 6' .stdout || fail "the report does not say what the monitor found"
grep -q 'all.yaml: 3 runs of \[10, 14\] float32, 6 steps' .stdout || fail "the report does not say the runs"
set -- feed=0.03 kill=0.055 'feed=0.06 --set kill=0.062'
for run in 0 1 2; do
    sed "s/TRACE/trace$run.npy/; s/FRAME/frame$run/; s/HEARD/heard$run.npy/; s/MCSV/m$run.csv/; s/NNPY/n$run.npy/; s/SNPY/s$run.npy/" one.yaml >p.yaml
    expect 0 "$MASTABA" solve p.yaml -o one$run.npy --schedule sweeps --set $1
    shift
done
cat >compare.py <<'END'
def load(name):
    data = open(name, "rb").read()
    n = 10 + int.from_bytes(data[8:10], "little")
    return eval(data[10:n])["shape"], data[n:]

def same(name, ones, leading):
    """Array `name` has the runs as axis number `leading`."""
    shape, data = load(name)
    for run, (one_shape, one) in enumerate(map(load, ones)):
        assert shape == one_shape[:leading] + (3,) + one_shape[leading:], (name, shape, one_shape)
        groups = one_shape[0] if leading else 1
        n = len(one) // groups
        assert all(data[(3*g + run)*n:(3*g + run + 1)*n] == one[g*n:(g + 1)*n] for g in range(groups)), (name, run)

same("all.npy", ["one%d.npy" % r for r in range(3)], 1)
same("heard.npy", ["heard%d.npy" % r for r in range(3)], 1)
same("s.npy", ["s%d.npy" % r for r in range(3)], 1)
same("n.npy", ["n%d.npy" % r for r in range(3)], 0)
rows = ["run,step,t,m\n"]
for r in range(3):
    rows += ["%d,%s" % (r, row) for row in list(open("m%d.csv" % r))[1:]]
assert rows == list(open("m.csv")), "a monitor's rows"
same("trace.npy", ["trace%d.npy" % r for r in range(3)], 0)
for step in 0, 3, 6:
    same("frame-0000000%d.npy" % step, ["frame%d-0000000%d.npy" % (r, step) for r in range(3)], 0)
END
python3 compare.py || fail "runs differ from the same problems alone"

# A checkpoint has all runs; other runs are another problem.
for name in s.npy heard.npy n.npy m.csv; do mv $name once-$name; done
expect 0 "$MASTABA" solve all.yaml --steps 3 -f -o half.npy --schedule sweeps --checkpoint c
expect 0 "$MASTABA" solve all.yaml -f -o resumed.npy --schedule sweeps --checkpoint c --resume
cmp -s all.npy resumed.npy || fail "a resumed ensemble differs"
for name in s.npy heard.npy n.npy m.csv; do cmp -s $name once-$name || fail "$name of a resumed ensemble differs"; done
sed 's/feed: 0.03}/feed: 0.031}/' all.yaml >p.yaml
expect 4 "$MASTABA" solve p.yaml -f -o p.npy --checkpoint c --resume
grep -q 'checkpoint of another problem' .stderr || fail "another ensemble's checkpoint"

# The same from a table, and a slice of one run.
python3 - <<'END'
import struct
header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"
header += b" " * (118 - len(header) - 1) + b"\n"
open("table.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<6d", 0.03, 0.06, 0.035, 0.055, 3*0.16/8, 0.062))
END
sed 's/^runs.*/runs: {file: table.npy, parameters: [feed, kill]}/; s/decimate: 2/slice: {run: 1}/; s/file: frame/file: slice/; s/trace.npy/other.npy/' all.yaml >p.yaml
expect 0 "$MASTABA" solve p.yaml -f -o table-out.npy --schedule sweeps
cmp -s all.npy table-out.npy || fail "a table gives other results than a list"
python3 -c '
exec(open("compare.py").read().split("same(\"all")[0])
assert load("slice-00000006.npy")[0] == (10, 14)' || fail "a slice of one run"

# wrong PATTERN SED
wrong() {
    sed "$2" all.yaml >p.yaml
    expect 4 "$MASTABA" solve p.yaml -f
    head -1 .stderr | grep -Eq "^mastaba solve: p.yaml:$1" || fail "not '$1' for sed '$2'"
}
wrong "3: runs\[0\].fed: the problem has no parameter 'fed'; did you mean 'feed'" 's/{feed: 0.03}/{fed: 0.03}/'
wrong '3: runs: expected a list of runs, or .file' 's/^runs.*/runs: 3/'
wrong '3: runs: 0 runs; 1 to' 's/^runs.*/runs: []/'
wrong '3: runs\[1\]: expected a mapping of parameters' 's/{kill: 0.055}/7/'
wrong '3: runs.*no-such.npy' 's/^runs.*/runs: {file: no-such.npy, parameters: [feed, kill]}/'
wrong '3: runs.*table.npy: expected float32 or float64 of shape \(runs, 1\)' 's/^runs.*/runs: {file: table.npy, parameters: [feed]}/'
wrong '1: spacing: feed differs from run to run, and this must not' '1s/^/spacing: 2*feed\n/'
wrong '12: receivers\[0\].file: what several runs record makes no picture' 's/trace.npy/trace.png/'
sed 's/format: npy/format: png/' all.yaml >p.yaml
expect 4 "$MASTABA" solve p.yaml -f
grep -q 'a picture has two axes, this output 3; add a slice, as slice: {run: 0}' .stderr || fail "a picture of all runs"

# Absorbing layers, whose memory variables hold what differs from run to run.
cat >waves.yaml <<'END'
grid: [30, 40]
parameters: {c: 1, f: 0.1}
runs: [{c: 0.8}, {f: 0.15}, {c: 0.9, f: 0.12}]
time_step: 0.5
fields: {u: {levels: 2}, q: 0}
boundary: {x: absorb 5, y: {absorb: 6, kappa: 2}}
update:
  - u: 2*u - u.prev + dt^2*(stretch_x(dx_minus(stretch_x(c^2*dx_plus(u), 0.5))) + c*stretch_y(dyy(u)))
    q: q + f*stretch_x(c*dx(u)) - 0.1*stretch_x(f*dx(u))
steps: 30
sources: [{field: u, at: [15, 20], series: "ricker(t, f)"}]
receivers: [{field: u, at: [[3, 4], [27, 0]], file: trace.npy}]
output: {every: 15, fields: [q], format: npy, file: frame}
END
sed '/^runs/d; s/trace.npy/TRACE/; s/file: frame/file: FRAME/' waves.yaml >one.yaml
expect 0 "$MASTABA" solve waves.yaml -f -o all.npy --schedule sweeps
set -- c=0.8 f=0.15 'c=0.9 --set f=0.12'
for run in 0 1 2; do
    sed "s/TRACE/trace$run.npy/; s/FRAME/frame$run/" one.yaml >p.yaml
    expect 0 "$MASTABA" solve p.yaml -f -o one$run.npy --schedule sweeps --set $1
    shift
done
sed 's/^for step in .*/for step in "00", "15", "30":/; s/0000000%d/000000%s/g' compare.py >layers.py
python3 layers.py || fail "runs with absorbing layers differ from the same problems alone"

# A state in a backing store is looked at run by run, so that monitors of many runs take no more of the device than one's.
cat >many.yaml <<END
grid: [30, 30]
runs: [$(seq -s, -f '{k: 0.1%04g}' 1000)]
parameters: {k: 0.1}
fields: {u: sin(x*y)}
update: [{u: "u + k*(u[-1,0] + u[1,0] - 2*u)"}]
monitors: [{name: m, expression: k*u, reduce: max, every: 2}]
steps: 4
END
expect 0 "$MASTABA" solve many.yaml --dry-run --device-memory 1MiB
