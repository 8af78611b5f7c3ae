#!/bin/bash
# The largest stable time step of schemes: --check-stability, `time_step: auto`, and runs beyond it. (The analysis itself is tested
# by the test stencil_stability.)
# Long: each scheme is run where it is stable and where it is not.
. "${0%/*}/lib"

# The limits that the built-in problems give are those of the analysis.
for name in heat1d heat2d heat3d wave2d wave3d yee2d yee3d; do
    expect 0 "$MASTABA" solve $name --check-stability --time-step 10
    limit=$(sed -n 's/.* the largest stable time step is \([0-9.e-]*\);.*/\1/p' .stdout)
    refused 4 "the time step 10 is unstable: the Courant limit is $limit;" solve $name --time-step 10
done
expect 0 "$MASTABA" solve heat2d --check-stability
[ "$(cat .stdout)" = 'heat2d: the largest stable time step is 0.25; the time step 0.2 is 0.8 of it
the wave that grows first: kx dx = 1 pi, ky dy = 1 pi (2 nodes a wave along the axis with fewest)' ] || fail "heat2d"
expect 0 "$MASTABA" solve heat2d --check-stability --json --time-step 0.3
json "abs(j['time_step_limit'] - 0.25) < 1e-6 and j['known'] and not j['stable'] and abs(j['wave'][0]) > 3.14 and j['time_step'] == 0.3"
expect 0 "$MASTABA" solve gray-scott --check-stability
grep -q 'is not known: the update of u is not linear, it multiplies v by v' .stdout || fail "gray-scott"
expect 0 "$MASTABA" solve gray-scott --check-stability --json
json "not j['known'] and j['time_step_limit'] is None and j['stable'] is None and 'not linear' in j['reason']"

cat >p.yaml <<'END'
grid: [30, 40]
spacing: [0.5, 0.5]
parameters: {a: 2}
fields: {u: x*y, v: {initial: 1 + x/20, coefficient: true}}
time_step: auto 0.8
update:
  - u: u + a*dt*(u[0,-1] + u[0,1] + u[1,0] + u[-1,0] - 4*u)/dx^2
steps: 1
END
# auto: so much of the limit, 0.03125, with the parameters of the command line.
chosen() { # STEP ARGUMENT...
    step=$1
    shift
    expect 0 "$MASTABA" solve "$@" --check-stability --json
    json "abs(j['time_step'] - $step) < 1e-7"
}
chosen 0.025 p.yaml
chosen 0.05 p.yaml --set a=1
sed 's/auto 0.8/auto/' p.yaml >q.yaml
chosen 0.95*0.03125 q.yaml
# A run can be repeated with the step that is printed, and one of few digits is printed by few.
sed 's/^steps/precision: float64\nsteps/' p.yaml >double.yaml
expect 0 "$MASTABA" solve double.yaml --set a=1.7 --steps 40 -o auto.npy --json
step=$(python3 -c 'import json; print(repr(json.load(open(".stdout"))["time_step"]))')
expect 0 "$MASTABA" solve double.yaml --set a=1.7 --steps 40 --time-step "$step" -o given.npy --json
cmp auto.npy given.npy || fail "the time step $step gives another result than auto"
expect 0 "$MASTABA" solve q.yaml --time-step 0.03 --dry-run --json
grep -q '"time_step": 0.03,' .stdout || fail "the time step 0.03: $(grep time_step .stdout)"
chosen 0.031 q.yaml --time-step 0.031

# The wave of an ensemble is one of its grid.
{ cat p.yaml && echo 'runs: [{a: 2}, {a: 1}]'; } >runs.yaml
chosen 0.025 runs.yaml
json "len(j['wave']) == 2 and min(map(abs, j['wave'])) > 3.14"

# A run beyond the limit is refused, one on it is not, nor are schemes whose limit is not known.
refused 4 'q.yaml: the time step 0.032 is unstable: by its amplification the limit of the scheme is 0.03125; take a smaller one, or --force' \
    solve q.yaml --time-step 0.032
expect 0 "$MASTABA" solve q.yaml --time-step 0.03125
expect 0 "$MASTABA" solve q.yaml --time-step 0.032 --force
sed 's/u + a/u + u^2 + a/; s/auto 0.8/100/' p.yaml >q.yaml
expect 0 "$MASTABA" solve q.yaml

# wrong PATTERN SED
wrong() {
    sed "$2" p.yaml >q.yaml
    refused 4 "q.yaml:5: time_step: $1" solve q.yaml
}
wrong 'auto: the largest stable time step is not known: the update of u is not linear, it multiplies u by u' 's/u + a/u + u^2 + a/'
wrong 'auto: .* in the update of u what multiplies a field depends on t' 's/u + a/u*cos(t) + a/'
wrong 'auto: the scheme is stable at no time step' 's/(u\[0.*/(u[0,-1] - u[0,1])/'
wrong 'auto: the scheme is stable at any time step; give one that is accurate' 's/- 4\*u.*/)*0/'
wrong '0; the part of the largest stable time step is above 0 and at most 1' 's/auto 0.8/auto 0/'
wrong '1.1; the part' 's/auto 0.8/auto 1.1/'
sed 's/auto 0.8/auto 0.8x/' p.yaml >q.yaml
expect 4 "$MASTABA" solve q.yaml
grep -q 'q.yaml:5: time_step: ' .stderr || fail "auto 0.8x"
