#!/bin/sh
# mastaba bench rates: every case is measured and its result is right, in a quarter of the memory and on two devices as well.
. "${0%/*}/lib"

refused 2 'mebibytes 0: ' bench rates --mebibytes 0
refused 2 'rounds 100: ' bench rates --rounds 100
refused 4 'no/plots: No such file' bench rates --plot no/plots

POCL_DEVICES='pthread pthread' # what other drivers do not read
export POCL_DEVICES
expect 0 "$MASTABA" bench rates --mebibytes 1 --rounds 1 --json
json "len(j['cases']) == 15 and all(c['seconds'] > 0 and c['of_copy'] > 0 and not c['problem'] for c in j['cases'])"
json "sum(c['quarter_seconds'] > 0 and c['whole_seconds'] > 0 for c in j['cases']) == 3"
json "sum(c['all_seconds'] > 0 for c in j['cases']) == (3 if j['devices'] > 1 else 0)"
json "j['cases'][0]['bytes'] == 2 * 2**20 and j['cases'][10]['bytes'] == 2 * 4 * j['cases'][10]['nodes']"
