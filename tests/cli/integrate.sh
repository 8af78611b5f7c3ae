#!/bin/sh
# mastaba integrate: values, batches, files, mistakes; one integrand a rule and status. Precision is that of the tests integral*.
. "${0%/*}/lib"
without_cache

expect 0 "$MASTABA" integrate 'sin(x^2)' --from -5 --to 5
grep -Eq '^1\.05583456233[0-9]* \+- [0-9.e-]+  [0-9]+ evaluations, converged$' .stdout || fail "the line on stdout"
[ ! -s .stderr ] || fail "something on stderr"
expect 0 "$MASTABA" integrate 'sin(x^2)' --from -5 --to 5 --compile-from inf --json
json "abs(j['value'] - 1.0558345623306) <= j['error'] < 1e-9 and j['evaluations'] > 0 and j['status'] == 'converged'"
json "j['rule'] == 'adaptive' and j['type'] == 'float64' and j['device']"

# A product of parameters, in order; bounds that depend on them; the same in a file and from a file.
set -- integrate 'b*exp(-a*x)' --from 0 --to b
expect 0 "$MASTABA" "$@" --param a=1:3:3 --param b=1:2:2 --json
json "[(r['parameters']['a'], r['parameters']['b']) for r in j['results']] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]"
json "all(abs(r['value'] - b*(1 - __import__('math').exp(-a*b))/a) < 1e-13 for r in j['results'] for a, b in [r['parameters'].values()])"
cp .stdout batch.json
expect 0 "$MASTABA" "$@" --param a=1:3:3 --param b=1:2:2 -o product.npy
[ "$(npy describe product.npy)" = 'float64 [3, 2, 4]' ] || fail "$(npy describe product.npy)"
npy values table.npy float64 6,2 1 1 1 2 2 1 2 2 3 1 3 2
expect 0 "$MASTABA" "$@" --params table.npy --param-names a,b -o rows.npy
[ "$(npy describe rows.npy)" = 'float64 [6, 4]' ] || fail "$(npy describe rows.npy)"
[ "$(npy print product.npy)" = "$(npy print rows.npy)" ] || fail "other results with --params"
expect 0 "$MASTABA" "$@" --params table.npy --param-names a,b -o again.npy --json
json "len(j['results']) == 6"
npy print rows.npy | python3 -c "
import json, sys
row = [float(v) for v in sys.stdin.read().split()]
wanted = [v for r in json.load(open('batch.json'))['results'] for v in (r['value'], r['error'], r['evaluations'], 0)]
assert row == wanted, (row, wanted)" || fail "other results in the file"

# Sets without a value spoil no other; no sets at all; values at the end of float64; what no first node sees.
npy values nan.npy float64 6,2 1 2 nan 2 1 3 1e3 -1e306 1 -1e308 -1 1e308
expect 5 "$MASTABA" integrate 'b*exp(-a*x)' --from 0 --to 1 --params nan.npy --param-names a,b --json
json "[r['status'] for r in j['results'][:3]] == ['converged', 'non-finite', 'converged'] and j['results'][1]['value'] is None"
json "all(r['status'] != 'converged' or abs(r['value'] + w) <= r['error'] for r, w in zip(j['results'][3:5], (1e303, 6.321205588285577e307)))"
json "j['results'][3]['status'] == 'converged' and j['results'][5]['status'] == 'non-finite'"
npy values whole.npy int64 2,2 3 -1 4 2
expect 0 "$MASTABA" integrate 'a*x^b' --from 1 --to 2 --params whole.npy --param-names a,b --json
json "[round(r['value'], 12) for r in j['results']] == [round(3*__import__('math').log(2), 12), round(28/3, 12)]"
npy values none.npy float64 0,2
expect 0 "$MASTABA" integrate 'a*x' --from 0 --to b --params none.npy --param-names a,b -o none-out.npy
[ "$(npy describe none-out.npy)" = 'float64 [0, 4]' ] || fail "$(npy describe none-out.npy)"
expect 0 "$MASTABA" integrate 'abs(x - 0.3) + (y < a ? 0 : 2)' --var x=0:1 --var y=0:1 --param a=0.6 --breakpoints 0.3 --breakpoints y=a,1/4 --json
json "abs(j['value'] - 1.09) < 1e-13 and j['evaluations'] < 5000"
for places in '0.3*(a>=0.5)' '0.3*(a<=0.5),(a!=0.5)*0.3' 'a==0.6 ? 0.3 : 0.5' 'x=a>=0.5 ? 0.3 : 0.5'; do # comparisons are no names
    expect 0 "$MASTABA" integrate 'abs(x - 0.3)' --from 0 --to 1 --param a=0.6 --breakpoints "$places" --json
    json "abs(j['value'] - 0.29) < 1e-13"
done
refused 2 'no variable of this name' integrate 'x*y' --var x=0:1 --var y=0:1 --breakpoints z=0.3
refused 2 'bounds that depend on other variables' integrate 'x*y' --var x=0:1 --var y=0:x --breakpoints y=0.3
expect 0 "$MASTABA" integrate 'exp(-((x - 0.7123)/0.00001)^2)' --from 0 --to 1 --breakpoints 0.7122,0.7124 --json
json "abs(j['value'] - 0.00001*3.141592653589793**0.5) <= j['error'] < 1e-12"

# A tolerance that is missed.
expect 5 "$MASTABA" integrate 'sin(1000*x)' --from 0 --to 1 --max-evaluations 100 --json
json "j['status'] == 'budget' and j['evaluations'] <= 100"
grep -q 'tolerance was not met: budget' .stderr || fail "nothing on stderr"
expect 5 "$MASTABA" integrate 'log(x)' --from -1 --to 1 --json
json "j['value'] is None and j['error'] is None and j['status'] == 'non-finite'"

# Rules and variables.
for rule in rectangle midpoint trapezoid simpson gauss; do
    turn 2 || continue
    expect 0 "$MASTABA" integrate 'x^2' --from 0 --to 3 --rule $rule --points 2^16 --precision float32 --json
    json "abs(j['value'] - 9) <= max(j['error'], 1e-5) < 0.01 and j['rule'] == '$rule' and j['type'] == 'float32'"
done
expect 0 "$MASTABA" integrate 'x^2' --from 0 --to 3 --rule rectangle --points 1e4 --work-items 256 --group-size 64 --json
json "abs(j['value'] - 9) < 2e-3 and j['error'] is None and j['evaluations'] == 10000"
expect 0 "$MASTABA" integrate 'x*y + z' --var x=0:1 --var 'y=0:(x >= 0 ? 2 : 1)' --var 'z=(1 > 0 ? 0 : 1):1' --json
json "abs(j['value'] - 2) < 1e-6"

expect 0 "$MASTABA" integrate '1/sqrt(right)' --from 0 --to 1 --rule tanh-sinh --json
json "abs(j['value'] - 2) < 1e-12 and j['rule'] == 'tanh-sinh'"

# Mistakes: the message, and where it is.
expect 2 "$MASTABA" integrate '1 + sn(x)' --from 0 --to 1
[ "$(cat .stderr)" = "mastaba integrate: the integrand, column 5: 'sn' is not known; did you mean 'sin'?
1 + sn(x)
    ^" ] || fail "the excerpt"
refused 2 'no range given' integrate 'x'
expect 0 "$MASTABA" integrate 'a*b*x' --from 0 --to 1 --param a=2,1,1e1 --param b=0:2:2 --json
json "[(r['parameters']['a'], r['parameters']['b']) for r in j['results']] == [(2, 0), (2, 2), (1, 0), (1, 2), (10, 0), (10, 2)]"
for list in 1, ,1 1,,2 1,2:3:4 1,x; do refused 2 'not a parameter' integrate 'a*x' --from 0 --to 1 --param a=$list; done
expect 5 "$MASTABA" integrate 'sin(x)' --from 0 --to inf --max-evaluations 1000
grep -q 'rule oscillatory' .stderr || fail "no word on what oscillates"
expect 2 "$MASTABA" integrate x --from 0 --to Infinity
grep -q "'Infinity' is not known; it is inf" .stderr || fail "$(cat .stderr)"
refused 2 'no range given' integrate 'x' --from 0
expect 0 "$MASTABA" integrate 'x^-0.5*cos(a*x)' --from 0 --to inf --rule oscillatory --param a=2 --json
json "abs(j['value'] - 0.886226925452758) < 1e-10 and j['rule'] == 'oscillatory' and j['evaluations'] < 5000"
expect 5 "$MASTABA" integrate 'cos(x)' --from 0 --to inf --rule oscillatory
refused 2 'is for ranges to infinity' integrate 'x' --from 0 --to 1 --rule oscillatory
refused 2 'choose adaptive' integrate 'x' --from 0 --to 1 --rule best
refused 2 'not a count' integrate 'x' --from 0 --to 1 --points many
refused 2 'not a count' integrate 'x' --from 0 --to 1 --rule simpson --points 2^99
refused 2 'not a count' integrate 'x' --from 0 --to 1 --max-evaluations 2^-1
refused 2 'not a count' integrate 'x' --from 0 --to 1 --max-evaluations 2^
refused 2 'not a count' integrate 'x' --from 0 --to 1 --compile-from never
refused 2 'points are for' integrate 'x' --from 0 --to 1 --points 100
refused 2 'takes points' integrate 'x' --from 0 --to 1 --rule simpson --max-evaluations 100
refused 2 'no error estimate' integrate 'x' --from 0 --to 1 --rule rectangle --work-items 64 --tolerance 1e-3
refused 2 'give both' integrate 'x' --from 0 --to 1 --rule rectangle --group-size 64
refused 2 'NAME=FROM:TO' integrate 'x' --var x
refused 2 'NAME=FIRST:LAST:COUNT' integrate 'a*x' --from 0 --to 1 --param a
refused 2 'NAME=FIRST:LAST:COUNT' integrate 'a*x' --from 0 --to 1 --param a=1:2
refused 2 'NAME=FIRST:LAST:COUNT' integrate 'a*x' --from 0 --to 1 --param a=1:2:0
refused 2 '268435456 are the most' integrate 'a*x' --from 0 --to 1 --param a=1:2:1e9
refused 2 'have to be finite' integrate 'a*x' --from 0 --to 1 --param a=1:inf:3
refused 2 'have to be finite' integrate 'a*x' --from 0 --to 1 --param a=nan:1:3
refused 2 'is a function' integrate 'x' --from 0 --to 1 --param sin=1
refused 2 'goes with --param-names' integrate 'a*x' --from 0 --to 1 --params table.npy
refused 4 'last axis has 2 values' integrate 'a*x' --from 0 --to 1 --params table.npy --param-names a
npy values flat.npy float64 2 1 2
refused 4 'has one axis' integrate 'a*x' --from 0 --to b --params flat.npy --param-names a,b
head -c 150 table.npy >cut.npy
refused 4 'truncated' integrate 'a*x' --from 0 --to b --params cut.npy --param-names a,b
head -c 40 table.npy >cut.npy
refused 4 'ends within the header' integrate 'a*x' --from 0 --to b --params cut.npy --param-names a,b
npy values whole.npy int16 1,2 1 2
refused 4 'holds int16' integrate 'a*x' --from 0 --to b --params whole.npy --param-names a,b
npy raw endless.npy "'<f8'" False '(1000000000000, 2)' 0
refused 4 'truncated' integrate 'a*x' --from 0 --to b --params endless.npy --param-names a,b
npy raw endless.npy "'<f8'" False '(4611686018427387904, 2)' 0
refused 4 'larger than memory' integrate 'a*x' --from 0 --to b --params endless.npy --param-names a,b
npy values nan.npy float64 3,2 1 2 nan 2 1 nan
refused 2 'the upper bound of x is NaN for parameter set 2' integrate 'a*x' --from 0 --to b --params nan.npy --param-names a,b
refused 4 'exists' integrate 'a*x' --from 0 --to 1 --param a=1:2:2 -o rows.npy
refused 2 'end in .npy' integrate 'x' --from 0 --to 1 -o out.txt

# Several integrands are the components of one.
expect 0 "$MASTABA" integrate 'exp(x)' 'x^2' --from 0 --to 1
[ "$(grep -c '^exp(x) 1[.]7182818284590\|^x^2    0[.]333333333333333' .stdout)" = 2 ] || fail "$(cat .stdout)"
expect 0 "$MASTABA" integrate 'exp(a*x)' 'a*x^2' --from 0 --to 1 --param a=1:2:2 -o components.npy
[ "$(npy describe components.npy)" = 'float64 [2, 2, 4]' ] || fail "$(npy describe components.npy)"
expect 0 "$MASTABA" integrate 'exp(a*x)' 'a*x^2' --from 0 --to 1 --param a=1:2:2 --json
json "[(r['integrand'], r['parameters']['a']) for r in j['results']] == [('exp(a*x)', 1), ('a*x^2', 1), ('exp(a*x)', 2), ('a*x^2', 2)]"
json "abs(j['results'][3]['value'] - 2 / 3) <= j['results'][3]['error'] < 1e-10"
expect 2 "$MASTABA" integrate 'x' 'x +' --from 0 --to 1
grep -q '^mastaba integrate: component 1, column 4: ' .stderr || fail "$(cat .stderr)"
refused 2 'use adaptive for 2' integrate 'x' '1' --from 0 --to 1 --rule gauss
