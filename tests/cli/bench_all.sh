#!/bin/sh
# mastaba bench all, with time for next to nothing: the page, what it says of failures, and that it is there whole or not at all.
# Long: it measures for given seconds, on any machine.
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
refused 3 "no device's name contains 'nosuch'" bench all --plot . --device nosuch

# Time for nothing: every part is left out, the page comes nevertheless and says so.
expect 0 "$MASTABA" bench all --quick --budget 0.001 --plot nothing --json
json "all(p['outcome'] == 'cut short' and p['measured'] == 0 < p['wanted'] and p['result'] for p in j['parts'].values())"
page nothing/mastaba-bench.html
grep -q 'enough for 0 of 8 measurements' nothing/mastaba-bench.html || fail "the page does not say what was left out"

# Little time and memory. What there is time for depends on the machine: what is there has to be right, and what is not is said.
code=0
"$MASTABA" bench all --quick --budget 10 --device-memory 32M --plot "a & b" --json >.stdout 2>.stderr || code=$?
[ "$code" = 0 ] || fail "exit code $code"
json "sorted(j['parts']) == ['convolution', 'filter', 'integration', 'pyramid', 'rates', 'vector-width']"
json "all(p['outcome'] in ('done', 'cut short') and p['result'] for p in j['parts'].values())"
json "all(p['measured'] <= p['wanted'] and (p['measured'] == p['wanted'] or p['outcome'] == 'cut short') for p in j['parts'].values())"
json "j['page'] == 'a & b/mastaba-bench.html' and j['device'] and j['driver'] and j['date'].endswith('Z')"
json "all(s['n'] == 512 for s in j['parts']['filter']['result']['sizes'])"
json "all(c['paper'] == {'k1': 0.298, 'k2': 6.6024} for c in j['parts']['integration']['result']['integrals'][0]['cells'][:1])"
json "all(c[k]['k1'] > 0 and c[k]['k2'] > 0 for c in j['parts']['integration']['result']['integrals'][0]['cells'] for k in ('published', 'own'))"
json "all(c['of_copy'] > 0 for c in j['parts']['rates']['result']['cases'])"
json "all(w['seconds'] > 0 for t in j['parts']['vector-width']['result']['types'] if t['measured'] for w in t['n']['widths'].values())"
json "all((p['seconds_per_node_step'] > 0) != (p['failed'] != '') for p in j['parts']['pyramid']['result']['points'] if p['failed'] or p['seconds_per_node_step'])"
"$MASTABA" devices --json >devices # what there was no time for is supported none the less
json "all(t['supported'] == (t['type'] != 'double' or d['fp64']) for d in json.load(open('devices'))['devices'] if d['default'] for t in j['parts']['vector-width']['result']['types'])"
page "a & b/mastaba-bench.html"
python3 - .stdout "a & b/mastaba-bench.html" <<'END' || fail "the page differs from what was measured"
import json, sys
parts, page = json.load(open(sys.argv[1]))["parts"], open(sys.argv[2]).read()
for name, part in parts.items():
    section = page[page.index('<section id="%s">' % name):].split("</section>")[0]
    said = "enough for %d of %d measurements" % (part["measured"], part["wanted"])
    assert (said in section) == (part["outcome"] == "cut short"), (name, said)
assert ("wins, at" in page) == any(t["measured"] for t in parts["vector-width"]["result"]["types"])
END
[ "$(find "a & b" -type f)" = "a & b/mastaba-bench.html" ] || fail "other files were left"
if command -v gnuplot >/dev/null; then
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
code=0
"$PWD/bare" bench all --quick --budget 20 --device-memory 1M --plot failing >.stdout 2>.stderr || code=$?
grep -q 'no pictures: gnuplot' .stderr || fail "nothing is said of gnuplot"
page failing/mastaba-bench.html 0
grep -q 'picture is missing' failing/mastaba-bench.html || grep -q 'enough for 0 of 8 ' failing/mastaba-bench.html ||
    fail "the page does not name the pictures"
if grep -Eq '^filter .*, failed$' .stdout; then
    [ "$code" = 1 ] || fail "exit code $code where a part failed"
    grep -q 'This part failed.*device memory' failing/mastaba-bench.html || fail "the page does not name the failure"
else
    grep -Eq '^filter .*, enough for 0 of 7 ' .stdout || fail "the failure is not told"
fi

[ -r "/proc/$$/task/$$/children" ] || { skip 'the process that measures: this kernel does not tell of children' && exit 0; }

# The process that measures, when one part is done.
begin() { # begin DIRECTORY
    : >.stdout
    "$program" bench all --quick --budget 10 --plot "$1" >.stdout 2>.stderr &
    worker=
    until grep -q '^convolution' .stdout && [ "$worker" ]; do
        kill -0 $! || fail "no part was done"
        sleep 0.1
        worker=$(cat /proc/$!/task/*/children)
    done
}

# It crashes: that part has failed, another process goes on, and the page comes.
begin crashed
kill -KILL $worker
code=0
wait $! || code=$?
[ "$code" = 1 ] || fail "exit code $code, not 1, where the process that measures was killed"
[ "$(grep -c ', failed$' .stdout)" = 1 ] || fail "not one part failed"
page crashed/mastaba-bench.html
grep -q 'This part failed.*its process ended: Killed' crashed/mastaba-bench.html || fail "the page does not name the crash"

# Interrupted there is no page, and no process is left.
begin interrupted
kill -TERM $!
code=0
wait $! || code=$?
[ "$code" = 130 ] || fail "exit code $code, not 130, when interrupted"
[ -z "$(find . -path ./interrupted/\*)" ] || fail "a part of a page"
for try in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 $worker 2>/dev/null || exit 0
    sleep 0.2
done
fail "the process that measures goes on"
