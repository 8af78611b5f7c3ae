#!/bin/bash
# Results of tuning are not lost where their file cannot be read: one call of the C library fails while others are added.
. "${0%/*}/lib"

shim=$MASTABA_BUILD_DIR/tests/libcampaign_preload_system.so
if [ -n "${ASAN_OPTIONS-}" ]; then exit 0; fi # the sanitizer does not start behind a preloaded library with a malloc
printf '#!/bin/sh\nLD_PRELOAD="%s" exec "%s" "$@"\n' "$shim" "$MASTABA" >failing
chmod +x failing
rm -f "$XDG_CACHE_HOME"/mastaba/tuning-*
expect 0 "$MASTABA" tune --capability map --size 4000 --budget 0.01
expect 0 "$MASTABA" tune --export old.json
python3 -c "
import json
d = json.load(open('old.json'))
for e in d['entries']: e['size'] = 5000
json.dump(d, open('new.json', 'w'))"

# fails KIND...: each call of an entry point fails in turn.
fails() {
    for fault; do
        for number in 1 2 3 4 5 6; do
            rm -f reached
            ended=0
            FAULT=$fault:$number FAULT_REACHED=reached ./failing tune --import new.json >.stdout 2>.stderr </dev/null || ended=$?
            [ -e reached ] || break
            expect 0 "$MASTABA" tune --list --json
            json "len([r for r in j['results'] if r['size'] != 5000]) == 6 and ($ended != 0 or len(j['results']) == 12)"
            ! ls "$XDG_CACHE_HOME"/mastaba/*.bad 2>/dev/null || fail "$fault:$number: a good file was set aside"
        done
    done
}
fails fstat64:EIO open64:EMFILE pread64:EIO pread64:end
