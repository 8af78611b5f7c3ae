#!/bin/sh
# Perfectly matched layers: what those of the examples send back, by their defaults, and those of a scheme that has them written
# out, against a grid so large that nothing can come back in time.
# Long: it compiles absorbing layers of all kinds.
. "${0%/*}/lib"
from=$here/../../examples

# reflection NAME FIELD SMALL LARGE STEPS POINTS OPTION...: sides of the grids; a pulse in the middle, recorded at POINTS around it.
reflection() {
    name=$1 field=$2 small=$3 large=$4 steps=$5 points=$6
    shift 6
    case $name in
        *2d*) middle=ny/2,nx/2 by= ;;
        *) middle=nz/2,ny/2,nx/2 by=x ;;
    esac
    # Nothing at the beginning and one medium.
    sed -e '/^sources:/,$d' -e 's/^  u: {initial: .*/  u: {levels: 2}/' -e 's/^  ez: .*/  ez: 0/' "$from/$name.yaml" >$name.yaml
    {
        echo "sources: [{field: $field, at: [$middle], series: 'ricker(t, 0.1)'}]"
        echo "receivers: [{field: $field, at: [$points], file: trace.npy}]"
        echo "steps: $steps"
    } >>$name.yaml
    for n in $small $large; do
        # PoCL is asked for no binary, which is a second compilation.
        expect 0 "$MASTABA" solve $name.yaml --no-cache --grid "${n}x$n${by:+x$n}" "$@"
        mv trace.npy $n.npy
    done
    db=$(python3 "$here/layers.py" $small.npy $large.npy) || fail "$name: no traces"
    echo "$name: $db dB"
}

# at_most DB: the last reflection.
at_most() {
    [ "$db" -le "$1" ] || fail "$name: layers send back $db dB, more than $1"
}

reflection yee3d ez 34 68 96 '[nz/2+8, ny/2, nx/2], [nz/2, ny/2+8, nx/2-8], [nz/2+8, ny/2-8, nx/2+8]' --set width=8
at_most -72
reflection wave2d u 80 240 180 '[ny/2+18, nx/2], [ny/2-18, nx/2+18]' --set fast=1
at_most -90
from=$here/data
reflection yee2d-written ez 72 240 180 '[ny/2+18, nx/2], [ny/2-18, nx/2+18]' --set index=1
at_most -80
from=$here/../../examples
# The others in solve_layers_slow.sh.
[ "${LAYERS:-}" = all ] || exit 0
reflection yee2d ez 72 240 180 '[ny/2+18, nx/2], [ny/2-18, nx/2+18]' --set index=1
at_most -83
reflection wave3d u 36 68 90 '[nz/2+8, ny/2, nx/2], [nz/2, ny/2+8, nx/2-8], [nz/2+8, ny/2-8, nx/2+8]' --set width=8 --set fast=1
at_most -70
