#!/bin/bash
# Absorbing layers in problem files: markers within definitions and operators, every schedule, what a sponge leaves, mistakes.
. "${0%/*}/lib"

cat >w.yaml <<'END'
grid: [70, 80]
spacing: 10
parameters: {c: 2000, f: 25}
time_step: auto
fields: {u: {levels: 2}}
let:
  ddx: stretch_x(dx_minus(stretch_x(dx_plus(u, 4), 0.5), 4))
  ddy: stretch_y(dy_minus(stretch_y(dy_plus(u, 4), 0.5), 4))
boundary: {x: absorb 12, y: {absorb: 12, reflection: 1e-5}}
update: [u: "2*u - u.prev + dt^2*c^2*(ddx + ddy)"]
sources: [{field: u, at: [35, 40], series: "dt^2*1e3*ricker(t, f)"}]
monitors: [{name: left, expression: "u*u", reduce: sum, every: 100}]
steps: 500
END
expect 0 "$MASTABA" solve w.yaml -o u.npy --json
json "j['monitors']['left'] < 1e-8"
for schedule in in-core skewed; do
    expect 0 "$MASTABA" solve w.yaml --schedule $schedule -o v.npy -f
    cmp u.npy v.npy || fail "other bits by $schedule"
done
# Memory variables have elements in the layers only: 2 x 12 columns or rows each, of four. A checkpoint holds these, and goes on by
# another schedule.
expect 0 "$MASTABA" solve w.yaml --steps 250 -o v.npy -f --json --checkpoint c
json "j['state_bytes'] == 4 * (2 * 70 * 80 + 2 * 24 * 70 + 2 * 24 * 80)"
test "$(wc -c <c)" -lt 80000 || fail "the checkpoint has $(wc -c <c) bytes"
expect 0 "$MASTABA" solve w.yaml -o v.npy -f --schedule skewed --checkpoint c --resume
cmp u.npy v.npy || fail "other bits when resumed"
sed 's/absorb 12/sponge 12/; s/{absorb.*}}/sponge 12}/' w.yaml >sponge.yaml
expect 0 "$MASTABA" solve sponge.yaml -o v.npy -f --json
json "j['monitors']['left'] > 1e-6"

# wrong LINE PART CHANGE: the changed problem is refused with its line.
wrong() {
    sed "$3" w.yaml >wrong.yaml
    refused 4 "wrong.yaml:$1: $2" solve wrong.yaml -o v.npy -f
}
wrong 9 'boundary.x: expected a whole number of nodes, 1 to ' 's/absorb 12/absorb 0/'
wrong 9 "boundary.x: expected 'absorb N' with the number of nodes" 's/absorb 12/absorb/'
wrong 9 'boundary.y.reflection: expected a part above 0 and below 1, not 2' 's/1e-5/2/'
wrong 9 "boundary.y.kapa: no such key; did you mean 'kappa'" 's/reflection/kapa/'
wrong 10 'update: the x axis has an absorbing layer, so expected stretch_x.DERIVATIVE. in some expression' 's/ddx: .*/ddx: dxx(u)/'
wrong 9 'boundary: the absorbing layers of the x axis are 60 and 60 nodes wide; the axis has 80, and 8 must lie outside' 's/absorb 12/absorb 60/'
wrong 9 'boundary: the sponges of the x axis are 81 and 81 nodes wide; the axis has 80' 's/absorb 12/sponge 81/'
