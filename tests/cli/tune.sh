#!/bin/sh
# mastaba tune: results are found again, listed, exported, imported, forgotten, and used by plans.
# Long: it compiles and measures candidates.
. "${0%/*}/lib"

rm -f "$XDG_CACHE_HOME"/mastaba/tuning-* # what a run that failed has left

tune() {
    expect 0 "$MASTABA" tune --capability map --size 5000 --budget 0.01 "$@"
}
tune --json
json "[r['variant'] for r in j['results']] == ['int8', 'int16', 'int32', 'int64', 'float32', 'float64']"
json "all(r['source'] == 'searched' and r['seconds'] > 0 and r['size'] == 4096 and r['wrong'] == 0 for r in j['results'])"
[ ! -s .stderr ] || fail "something on stderr"
tune --json
json "all(r['source'] == 'found before' and r['search_seconds'] == 0 and r['tried'] == 0 for r in j['results'])"
tune
[ "$(grep -c '^map [a-z0-9]* 4096: width [0-9]*; found before; takes ' .stdout)" = 6 ] || fail "the lines"
expect 0 "$MASTABA" tune --list
[ "$(wc -l <.stdout)" = 6 ] || fail "--list"
expect 0 "$MASTABA" tune --list --capability fft
grep -q '^nothing of fft has been tuned on ' .stdout || fail "--list of another capability"
expect 0 "$MASTABA" tune --list --json
json "len(j['results']) == 6 and all(r['date'] > '2026' and r['driver'] for r in j['results'])"

# What was found beside what an untuned device has: no search.
tune --compare --json
json "all(r['source'] == 'found before' and r['before_seconds'] > 0 and r['safe_seconds'] > 0 for r in j['results'])"
near() { # near RATIO EXPRESSION: of s, the results, and n, their number
    json "(lambda s, n: abs(j['ratios']['$1'] / ($2) - 1) < 1e-7)(j['results'], len(j['results']))"
}
json "j['ratios']['problems'] == 6 and j['ratios']['left_out'] == 0 and all(r['elements'] == 5000 for r in j['results'])"
near least_gain "min(r['before_seconds'] / r['seconds'] for r in s)"
near untuned "__import__('math').prod(r['seconds'] / r['before_seconds'] for r in s) ** (1 / n)"
near safe "__import__('math').prod(r['seconds'] / r['safe_seconds'] for r in s) ** (1 / n)"
near map "min(4 * 5000 * int(r['variant'].lstrip('inftloa')) / 8 / r['seconds'] for r in s) / j['ratios']['copy_rate']"
tune --compare
grep -q '^6 problems: ' .stdout || fail "--compare"
grep -q '^map: at least [0-9.]* of the copy rate' .stdout || fail "--compare"
expect 0 "$MASTABA" tune --capability map --size 40000 --budget 0.01 --compare --json # of which nothing was found
json "all(r['source'] == 'nearest size' for r in j['results'])"
json "j['ratios']['problems'] == 0 and j['ratios']['left_out'] == 6 and j['ratios']['least_gain'] is None"
expect 0 "$MASTABA" tune --capability map --size 40000 --budget 0.01 --compare
grep -q '^6 problems left out: ' .stdout || fail "what is left out"

# What is in the database is what plans take.
expect 0 "$MASTABA" tune --export mine.json
touch usual
[ "$(stat -c %a mine.json)" = "$(stat -c %a usual)" ] || fail "the mode of an exported file"
refused 4 'mine.json: exists' tune --export mine.json
expect 0 "$MASTABA" tune --export mine.json --force
edit() { # edit FILE STATEMENT: of d, the database
    python3 -c "import json, sys; d = json.load(open('mine.json')); exec(sys.argv[1]); json.dump(d, open(sys.argv[2], 'w'))" "$2" "$1"
}
edit twos.json "
for e in d['entries']: e['date'] = '9' + e['date']; e['values'] = {'width': 2}"
expect 0 "$MASTABA" tune --import twos.json
grep -q '^twos.json: 6 results$' .stdout || fail "--import"
npy make b.npy float32 5000 1
expect 0 "$MASTABA" map 'B + 1' B=b.npy -o a.npy --verbose
grep -q 'vectors of 2 elements' .stderr || fail "a plan does not take what was found"

# Results of another device are kept apart, and a newer result is not lost to an older one.
edit other.json "
d['device']['name'] = 'another'
for e in d['entries']: e['date'] = '99' + e['date']; e['values'] = {'width': 8}"
expect 0 "$MASTABA" tune --import other.json
expect 0 "$MASTABA" tune --import mine.json --json
json "j['imported'] == 6"
expect 0 "$MASTABA" tune --list --json
json "all(r['values'] == {'width': 2} for r in j['results'])"
expect 0 "$MASTABA" tune --reset
expect 0 "$MASTABA" tune --list
grep -q '^nothing has been tuned on ' .stdout || fail "--reset"
[ "$(ls "$XDG_CACHE_HOME"/mastaba/tuning-*.json | wc -l)" = 2 ] || fail "one file a device"

# Two at once.
"$MASTABA" tune --capability map --size 3000 --budget 0.01 >first &
other=$!
tune
wait $other || fail "the other one failed"
expect 0 "$MASTABA" tune --list
[ "$(wc -l <.stdout)" = 12 ] || fail "two at once"

# A damaged file: one warning, and everything works.
for file in "$XDG_CACHE_HOME"/mastaba/tuning-*.json; do
    echo '{' >"$file"
done
expect 0 "$MASTABA" map 'B + 1' B=b.npy -o a.npy --force
[ "$(wc -l <.stderr)" = 1 ] && grep -q '^warning: .*damaged' .stderr || fail "no warning"
expect 0 "$MASTABA" map 'B + 1' B=b.npy -o a.npy --force
[ ! -s .stderr ] || fail "a second warning"
ls "$XDG_CACHE_HOME"/mastaba/tuning-*.json.bad >.stdout || fail "not set aside"

refused 2 'capability nothing: nothing to tune' tune --capability nothing
refused 2 'exclude one another' tune --list --reset
refused 2 'are of all capabilities' tune --capability map --reset
refused 2 'all sizes' tune --capability map --size 5 --list
refused 2 'threads 9' tune --threads 9
refused 2 'budget 0: not a time' tune --budget 0
refused 2 'give --capability too' tune --size 5
refused 2 'not a size' tune --capability map --size -5
refused 4 'none.json: No such file' tune --import none.json
refused 4 'not a file of tuning results' tune --import b.npy
