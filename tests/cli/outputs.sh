#!/bin/bash
# What cannot be written is found out before anything is compiled; what was checked of an input is what is read.
. "${0%/*}/lib"

npy make x.npy float32 4,64 1
npy make y.npy float32 16 2
printf 'P5 16 16 255 ' >i.pgm
head -c 256 /dev/urandom >>i.pgm
cat >p.yaml <<'END'
grid: [40, 30]
fields: {u: "exp(-((x-30)^2+(y-20)^2)/20)"}
update: [u: "u + 0.1*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"]
steps: 20
END
with() { # with NAME LINES: p.yaml and more, as NAME.yaml
    { cat p.yaml && echo "$2"; } >"$1.yaml"
}
with frames 'output: {every: 5, file: f}'
with list 'output: {every: 5, file: f, format: vti}'
with both 'output: [{every: 5, file: f}, {every: 10, file: f}]'
with trace 'receivers: [{field: u, at: [[3, 3]], file: t.npy}]'
with picture 'receivers: [{field: u, at: [[3, 3]], file: t.png}]'
with nested 'receivers: [{field: u, at: [[3, 3]], file: no/dir/t.npy}]'
with nest 'output: {every: 5, file: no/dir/f}'
with tall 'receivers: [{field: u, at: [[3, 3]], file: tall.png}]'
mkdir t.npy t.png f-00000010.npy f.pvd is there
echo old >there/fft-000.svg

# No kernel is made before any of these is refused.
warm_cache=$XDG_CACHE_HOME warm_pocl=$POCL_CACHE_DIR
XDG_CACHE_HOME=$(mktemp -d)
POCL_CACHE_DIR=$XDG_CACHE_HOME/pocl
trap 'rm -r "$cold"' EXIT
cold=$XDG_CACHE_HOME
none='cannot be written: No such file or directory'
for wrong in nodir/z.npy:"nodir/z.npy: $none" i.pgm/z.npy:'i.pgm/z.npy: .*Not a directory' t.npy:'t.npy: is a directory'; do
    path=${wrong%%:*} message=${wrong#*:}
    refused 4 "$message" fft x.npy -o "$path"
    refused 4 "$message" convolve x.npy y.npy -o "$path"
    refused 4 "$message" map 'a+1' a=x.npy -o "$path"
    refused 4 "$message" map 'a+1' a=x.npy -o "$path" --measure
    refused 4 "$message" integrate 'x^2' --from 0 --to 1 -o "$path"
    [ "$path" = t.npy ] || refused 4 "$message" filter i.pgm -o "$path" --high-pass 3 # that puts it into the directory
    refused 4 "$message" solve p.yaml -o "$path"
    refused 4 "$message" solve p.yaml -o "$path" --force
    refused 4 "$message" solve p.yaml --checkpoint "$path" -f
    refused 4 "$message" tune --export "$path" -f
done
refused 4 "nodir/s.png: $none" filter i.pgm -o z.pgm --high-pass 3 --spectrum nodir/s.png
refused 4 't.npy: is a directory' solve trace.yaml -f
refused 4 't.png: is a directory' solve picture.yaml -f
refused 4 'f-00000010.npy: is a directory' solve frames.yaml -f
refused 4 'f.pvd: is a directory' solve list.yaml -f
refused 4 'no/dir: the directory cannot be made' solve nested.yaml
refused 4 'no/dir: the directory cannot be made' solve nest.yaml
refused 4 'f-00000000.npy: is the name of two outputs' solve both.yaml -f --steps 4
refused 4 'f-00000005.npy: is the name of two outputs' solve frames.yaml -o f-00000005.npy --steps 9
refused 4 'z.npy: is the name of two outputs' solve p.yaml -o z.npy --checkpoint z.npy
refused 4 'tall.png: a picture has at most 1000000 rows' solve tall.yaml --steps 1000001
refused 4 'nodir: .*--scratch names another' solve p.yaml -o z.npy --scratch nodir
if command -v gnuplot >/dev/null; then
    refused 4 '--plot no/dir: No such file' bench filter --plot no/dir
    refused 4 'i.pgm/.*Not a directory' bench filter --plot i.pgm
fi
refused 4 '--plot no/dir: No such file' bench all --quick --plot no/dir
XDG_CACHE_HOME=$PWD/i.pgm refused 4 'what is found cannot be kept in .*i.pgm' tune --capability map
[ -z "$(find "$cold" -name '*.bin' -o -name '*.so')" ] || fail "something was compiled: $(find "$cold" -type f | head -3)"
XDG_CACHE_HOME=$warm_cache POCL_CACHE_DIR=$warm_pocl
rmdir t.npy t.png f-00000010.npy f.pvd

# The space of outputs is taken, or missed, at once too. (A shell takes blocks of 1024 bytes.)
(ulimit -f 2 && refused 4 'z.npy: there is no room for its 4928 bytes: File too large' solve p.yaml -o z.npy) || exit 1

# The directory may get another name meanwhile, and nothing else is there before the end.
expect 0 "$MASTABA" solve trace.yaml -o whole.npy -f
mkdir before
cd before
cat >../long.yaml <<'END'
grid: [40, 30]
fields: {u: "exp(-((x-30)^2+(y-20)^2)/20)"}
update: [u: "u + 0.1*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"]
steps: 150000
output: {every: 150000, file: ../before/f}
END
"$MASTABA" solve ../long.yaml -o ../before/z.npy >../.stdout 2>../.stderr </dev/null &
for _ in $(seq 500); do [ ! -e f-00000000.npy ] || break; sleep 0.02; done
[ "$(ls -A)" = f-00000000.npy ] || fail "more than a frame: $(ls -A)"
cd ..
mv before after
wait $! || fail "exit code $? where the directory got another name"
[ "$(ls -A after | tr '\n' ' ')" = 'f-00000000.npy f-00150000.npy z.npy ' ] || fail "after: $(ls -A after)"

# An input is opened once: one that gets another content between is the one that was checked.
# shellcheck disable=SC2016
printf '#!/bin/sh\nASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD="%s" exec "%s" "$@"\n' "$EXCHANGE_OPENED" "$MASTABA" \
    >exchanging
chmod +x exchanging
exchanged() { # exchanged FILE COMMAND...: the same output z.* as without the exchange
    file=$1
    shift
    rm -f z.*
    expect 0 "$MASTABA" "$@"
    mkdir -p kept
    mv z.* kept
    cp "$file" keep
    EXCHANGE=$file expect 0 ./exchanging "$@"
    [ ! -e "$file.other" ] || fail "$file was not opened"
    for result in z.*; do
        cmp "$result" "kept/$result" || fail "$file was read twice: $*"
    done
    mv keep "$file"
}
npy make x.npy.other float32 2,64 3
exchanged x.npy fft x.npy -o z.npy
npy make x.npy.other float64 8 3
exchanged x.npy convolve x.npy y.npy -o z.npy
cp x.npy i.pgm.other
exchanged i.pgm filter i.pgm -o z.pgm --high-pass 3
python3 -c '
import wave
for name, frames in (("s.wav", 900), ("s.wav.other", 90)):
    with wave.open(name, "wb") as w:
        w.setnchannels(1), w.setsampwidth(2), w.setframerate(44100)
        w.writeframes(bytes(range(200)) * 100)'
exchanged s.wav convolve s.wav y.npy -o z.npy
expect 0 "$MASTABA" solve trace.yaml --checkpoint short.chk --steps 5 -f
expect 0 "$MASTABA" solve trace.yaml --checkpoint short.chk.other --steps 200000 -f
cp short.chk chk
EXCHANGE=short.chk expect 0 ./exchanging solve trace.yaml --checkpoint short.chk --resume -o z2.npy
cmp whole.npy z2.npy || fail "another state than that of the checkpoint that was checked"
