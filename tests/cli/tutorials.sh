#!/bin/sh
# The tutorials: their commands print what they say.
# Long: the pages are walked from end to end, and what they run is in the tests of the commands.
. "${0%/*}/lib"

ln -s "$here/../../examples" examples
mkdir bin
ln -s "$MASTABA" bin/mastaba
PATH=$PWD/bin:$PATH
export PATH
for page in "$here"/../../docs/tutorials/*.md; do
    if [ "${page##*/}" = devices.md ] && ! mastaba integrate 1 --from 0 --to 1 --device 0/2 >/dev/null 2>&1; then
        skip 'several devices: device 0 cannot be cut'
        continue
    fi
    python3 "$here/run_page.py" "$page" || fail "the tutorial $page"
    find . -maxdepth 1 -type f -not -name '.std*' -delete
    rm -rf scans clean
done
