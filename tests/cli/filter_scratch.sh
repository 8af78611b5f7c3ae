#!/bin/sh
# Images whose pixels lie in a directory (MASTABA_SCRATCH), in less memory than they have; the same bytes, and nothing is left there. Tiles.
. "${0%/*}/lib"
without_cache

python3 -c 'open("large.pgm", "wb").write(b"P5 4096 4000 255\n" + bytes(i * 7 % 251 for i in range(4096)) * 4000)'
printf 'P5 4 4 255\n0123456789abcdef' >small.pgm
mkdir scratch
budgets='--device-memory 16MiB --host-memory 16MiB'
# shellcheck disable=SC2086
expect 0 "$MASTABA" filter large.pgm --high-pass 40 -o whole.tif $budgets
export MASTABA_SCRATCH=scratch
# shellcheck disable=SC2086
expect 0 "$MASTABA" filter large.pgm --high-pass 40 -o scratch.tif $budgets
cmp whole.tif scratch.tif || fail "pixels in a file give another result"
[ -z "$(ls -A scratch)" ] || fail "something is left: $(ls -A scratch)"
# Pixels and their spectrum take 170 MB; a sanitizer's own memory is beyond any limit.
limited() { (ulimit -d 200000 && "$@"); }
# shellcheck disable=SC2086
if limited "$MASTABA" filter small.pgm --high-pass 40 -o small.png $budgets >.stdout 2>&1; then
    limited "$MASTABA" filter large.pgm --high-pass 40 -o limited.tif $budgets >.stdout 2>.stderr || fail "limited: $(cat .stderr)"
    cmp whole.tif limited.tif || fail "little memory gives another result"
    unset MASTABA_SCRATCH
    limited "$MASTABA" filter large.pgm --high-pass 40 -o none.tif $budgets >.stdout 2>.stderr && fail "no limit was met"
    grep -q MASTABA_SCRATCH .stderr || fail "the message does not help: $(cat .stderr)"
fi
MASTABA_SCRATCH=nowhere refused 4 'nowhere takes no file' filter large.pgm --high-pass 40 -o none.tif

# Tiles say how near they come, or that they do not come so near.
# shellcheck disable=SC2086
expect 0 "$MASTABA" filter large.pgm --low-pass 400 --tiles 0.001 -o tiles.pgm $budgets
grep -q 'in [0-9]* tiles within [0-9.e-]* of the largest pixel' .stdout || fail "no bound: $(cat .stdout)"
expect 0 "$MASTABA" filter large.pgm --low-pass 400 -o whole.pgm --device-memory 2GiB
python3 -c '
whole, tiles = (open(name, "rb").read()[-4096 * 4000:] for name in ("whole.pgm", "tiles.pgm"))
most = max(abs(a - b) for a, b in zip(whole[::7], tiles[::7]))
raise SystemExit(most > 1 and f"{most} levels off")' || fail "tiles differ by more than they say"
# shellcheck disable=SC2086
refused 1 'and 0.001 is allowed' filter large.pgm --low-pass 400 --shape ideal --tiles 0.001 -o none.pgm $budgets
refused 2 'leave it out' filter small.pgm --wiener auto --tiles 0.001 -o none.png
refused 2 'give the most' filter small.pgm --low-pass 1 --tiles nan -o none.png
