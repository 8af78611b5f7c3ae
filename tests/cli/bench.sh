#!/bin/sh
# mastaba bench convolution, with time for next to nothing: options, table, JSON, pictures, interruption.
# Long: it measures for given seconds, on any machine.
. "${0%/*}/lib"
without_cache

expect 2 "$MASTABA" bench
grep -q convolution .stderr || fail "no list of benchmarks"
refused 2 'sorting: no such command' bench sorting
refused 2 'not a time' bench convolution --cell-seconds=-1
refused 2 'not a time' bench convolution --cell-seconds=nan
refused 2 'one operand too many' bench convolution x
refused 4 'no/plots: No such file' bench convolution --plot no/plots
: >file
refused 4 'file.*: Not a directory' bench convolution --plot file

expect 0 "$MASTABA" bench convolution --quick --cell-seconds 0.2
[ "$(grep -Ec '^ *[0-9]* +(5x5|20x20)[~ ]' .stdout)" = 8 ] || fail "not eight rows"
grep -Eq '^ 16384 .*56\.0\*\|.*107\*' .stdout || fail "the paper's results are missing"
grep -Eq 'paper, both .* 46 .*of 56 .* 67  of 81' .stdout || fail "the paper's finding is missing"

expect 0 "$MASTABA" bench convolution --quick --cell-seconds 0.2 --json
json "len(j['cells']) == 8 and j['device']['name'] and j['date'].endswith('Z') and not j['interrupted']"
json "all(v['outcome'] in ('done', 'slow', 'memory') for c in j['cells'] for v in c['variants'].values())"
json "all(v['error'] <= c['allowed_error'] for c in j['cells'] for v in c['variants'].values() if v['outcome'] == 'done')"
json "j['cells'][0]['best'] in 'ABCDE' and j['cells'][0]['reference']['vectors_timed'] == 25"

# Interrupted, what was measured by then is printed, unless the driver is busy for too long.
"$MASTABA" bench convolution --json >.stdout 2>.stderr &
sleep 2
kill -TERM $!
code=0
wait $! || code=$?
[ "$code" = 130 ] || fail "exit code $code, not 130, when interrupted"
if ! grep -q 'interrupted; ' .stderr; then
    grep -q 'interrupted after' .stderr || fail "no message when interrupted"
    json "j['interrupted'] and len(j['cells']) < 72"
fi

# Pictures: refused over old ones before anything is measured, and where gnuplot is missing.
program=$MASTABA
if command -v gnuplot >/dev/null; then
    expect 0 "$MASTABA" bench convolution --quick --cell-seconds 0.2 --plot "it's a plot"
    [ ! -s .stderr ] || fail "gnuplot complained"
    [ "$(find "it's a plot" -type f | wc -l)" = 2 ] || fail "not two pictures"
    refused 4 'convolution-speedup.svg: exists' bench convolution --plot "it's a plot"
fi
printf '#!/bin/sh\nPATH=/nonexistent\nexec "%s" "$@"\n' "$program" >bare
chmod +x bare
MASTABA=$PWD/bare
refused 1 gnuplot bench convolution --plot plots
