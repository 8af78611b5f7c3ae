#!/bin/bash
# A plane wave at a cylinder of glass (examples/cylinder.yaml) and, held by a mask, at one of metal, against Bessel's series.
. "${0%/*}/lib"
without_cache
example=$here/../../examples/cylinder.yaml

# within PERCENT INSIDE INDEX: the largest errors inside and outside the cylinder.
within() {
    errors=$(python3 "$here/cylinder.py" cylinder 10 20 "$3" 40 120 30 0.67175144212722) || fail "no errors: $*"
    echo "index $3: $errors % of the largest field"
    python3 -c "import sys; a, b = map(float, sys.argv[1:3]); sys.exit(not (a <= $2 and b <= $1))" $errors || fail "errors of $errors %"
}

expect 0 "$MASTABA" solve "$example"
within 2.6 2.6 2

metal() {
    sed '/^materials/,/permittivity: in/d; /inside:/d; /^sources/,/amplitude/d; s/dt\/permittivity/dt/; s/^steps: .*/steps: 900/' "$example" >metal.yaml
    echo 'mask: {where: r < radius + 0.3, fields: [ez], value: -incident(t + dt - x)}' >>metal.yaml
    expect 0 "$MASTABA" solve metal.yaml --force
    within 1.5 0 0
}
if turn 3; then metal; fi
