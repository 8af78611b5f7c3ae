#!/bin/sh
# mastaba bench filter: the stages of the published filter, in text and as JSON; what it refuses.
# Long: the published kernels are compiled for each of seven sizes of work-groups.
. "${0%/*}/lib"
without_cache

expect 0 "$MASTABA" bench filter --sizes 8 --cell-seconds 0.001 --json
json "[s['n'] for s in j['sizes']] == [8] and j['sizes'][0]['fused_seconds'] > 0"
json "[g['work_group'] for g in j['sizes'][0]['paper_algorithm']] == [1, 16, 32, 64, 128, 256, 512]"
json "all(g['butterfly'] > 0 and g['transpose'] > 0 for g in j['sizes'][0]['paper_algorithm'] if 'butterfly' in g)"
expect 0 "$MASTABA" bench filter --sizes 8 --cell-seconds 0.001
for line in 'butterfly  ' 'high-pass filter  ' 'fused, on the device: '; do
    grep -q "^$line" .stdout || fail "no line '$line'"
done
if grep -q '^  paper' .stdout; then fail "the paper's figures are of 512 x 512"; fi
refused 2 'powers of two' bench filter --sizes 7
refused 2 'powers of two' bench filter --sizes 8,
refused 2 'not a time' bench filter --cell-seconds 0
