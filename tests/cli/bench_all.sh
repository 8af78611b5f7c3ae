#!/bin/sh
# mastaba bench all, with time for next to nothing: the page, what it says of failures, and that it is there whole or not at all.
. "${0%/*}/lib"
without_cache

page() {
    python3 "$here/page.py" "$@" || fail "the page"
}

refused 2 'no directory given' bench all
refused 2 'not a time' bench all --plot . --budget=-1
refused 2 'not a time' bench all --plot . --budget 0
refused 2 'one operand too many' bench all --plot . x
refused 4 'no/plots: No such file' bench all --plot no/plots

# Little time and memory: parts are cut short or fail, the page comes nevertheless and says so.
code=0
"$MASTABA" bench all --quick --budget 1 --device-memory 32M --plot "a & b" --json >.stdout 2>.stderr || code=$?
[ "$code" = 0 ] || fail "exit code $code"
json "sorted(j['parts']) == ['convolution', 'filter', 'integration', 'pyramid', 'rates', 'vector-width']"
json "all(p['outcome'] in ('done', 'cut short') and p['result'] for p in j['parts'].values())"
json "j['page'] == 'a & b/mastaba-bench.html' and j['device'] and j['driver'] and j['date'].endswith('Z')"
json "j['parts']['filter']['result']['sizes'][0]['n'] == 512"
json "j['parts']['integration']['result']['integrals'][0]['cells'][0]['paper'] == {'k1': 0.298, 'k2': 6.6024}"
json "all(c[k]['k1'] > 0 and c[k]['k2'] > 0 for c in j['parts']['integration']['result']['integrals'][0]['cells'] for k in ('published', 'own'))"
json "[t['measured'] for t in j['parts']['vector-width']['result']['types']][0]"
json "j['parts']['rates']['result']['cases'][0]['of_copy'] > 0"
json "all(w['seconds'] > 0 for t in j['parts']['vector-width']['result']['types'] if t['measured'] for w in t['n']['widths'].values())"
"$MASTABA" devices --json >devices # what there was no time for is supported none the less
json "all(t['supported'] == (t['type'] != 'double' or d['fp64']) for d in json.load(open('devices'))['devices'] if d['default'] for t in j['parts']['vector-width']['result']['types'])"
grep -Eq '(char|float): width [0-9]+ wins, at' "a & b/mastaba-bench.html" || fail "the headline lacks what was measured"
page "a & b/mastaba-bench.html"
grep -q "share of the time" "a & b/mastaba-bench.html" || fail "nothing is said of the time"
[ "$(find "a & b" -type f)" = "a & b/mastaba-bench.html" ] || fail "other files were left"
if command -v gnuplot >/dev/null; then
    grep -q '<svg' "a & b/mastaba-bench.html" || fail "no picture"
    if grep -q 'picture is missing' "a & b/mastaba-bench.html"; then fail "a picture is missing"; fi
    [ ! -s .stderr ] || fail "something on stderr"
fi
refused 4 'mastaba-bench.html: exists' bench all --plot "a & b"

# Where a part fails and gnuplot is missing, both are named.
program=$MASTABA
mkdir tools # PoCL links its kernels
ln -s "$(command -v ld)" tools/ld
printf '#!/bin/sh\nPATH="%s"\nexec "%s" "$@"\n' "$PWD/tools" "$program" >bare
chmod +x bare
expect 1 "$PWD/bare" bench all --quick --budget 1 --device-memory 1M --plot failing
grep -q 'no pictures: gnuplot' .stderr || fail "nothing is said of gnuplot"
grep -Eq '^filter .*, failed$' .stdout || fail "the failure is not told"
page failing/mastaba-bench.html 0
grep -q 'This part failed.*device memory' failing/mastaba-bench.html || fail "the page does not name the failure"
grep -q 'picture is missing' failing/mastaba-bench.html || fail "the page does not name the pictures"

# Interrupted when one part is done, there is no page.
: >.stdout
"$program" bench all --quick --budget 1 --plot interrupted >.stdout 2>.stderr &
until grep -q '^convolution' .stdout; do
    kill -0 $! || fail "no part was done"
    sleep 0.1
done
kill -TERM $!
code=0
wait $! || code=$?
[ "$code" = 130 ] || fail "exit code $code, not 130, when interrupted"
[ -z "$(find . -path ./interrupted/\*)" ] || fail "a part of a page"
