#!/bin/sh
# The program under a locale that writes a comma before decimals: options, problem files and reports have points all the same.
# (test_locale.c is about the library in programs that enter the locale.)
. "${0%/*}/lib"

locale -a | grep -qix 'de_DE\.utf-\?8' || fail "there is no locale de_DE.UTF-8: scripts/setup --test makes it"
export LC_ALL=de_DE.UTF-8
expect 0 "$MASTABA" integrate 'a*x + 0.25' --from 0.5 --to 2.5 --param a=1.5 --tolerance 1e-9 --json
json "abs(j['value'] - 5) < 1e-9 and 0 < j['seconds'] < 1000"
expect 0 "$MASTABA" integrate 'a*x + 0.25' --from 0.5 --to 2.5 --param a=1.5
! grep -q '[0-9],[0-9]' .stdout || fail "a comma: $(cat .stdout)"
cat >p.yaml <<'END'
grid: [64]
spacing: 0.5
parameters: {a: 1.25}
time_step: 0.05
fields:
  u: 0.5*cos(x)
update:
  - u: u + 0.25*a*dt/dx^2*(u[-1] - 2*u + u[1])
steps: 4
END
expect 0 "$MASTABA" solve p.yaml -o german.npy --schedule in-core
expect 0 env LC_ALL=C "$MASTABA" solve p.yaml -o plain.npy --schedule in-core --json
cmp german.npy plain.npy || fail "another result"
json "j['time_step'] == 0.05"
