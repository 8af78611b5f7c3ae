#!/bin/sh
# The commands of README.md and of the pages in docs/ do what these say. The tutorials are a test of their own.
. "${0%/*}/lib"

top=$here/../..
ln -s "$top/examples" examples
mkdir bin results
ln -s "$MASTABA" bin/mastaba
PATH=$PWD/bin:$PATH
export PATH

# The files that the pages begin with.
for name in x y b c d signals images recordings; do
    npy make $name.npy float32 60,80 1
done
npy make kernel.npy float32 1,9 3
npy make blur.npy float32 1,9 3
npy make room.npy float32 1,9 3
npy make in.npy complex64 20,64 4
npy make signed.npy float32 12,40,44 5
npy make speed.npy float32 1024,2048 6
npy values model.npy uint8 2,2 0 1 7 0
cp examples/data/photographer.png photo.png
cp photo.png noisy.png
cp examples/data/hall.wav hall.wav
python3 - <<'END'
import random, wave

for name, rate in (("other.wav", 48000), ("guitar.wav", 44100)):
    with wave.open(name, "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", ""))
        sound.writeframes(random.Random(1).randbytes(2 * rate))
END
python3 "$here/images.py" make scan.tif tif:8:1 100 80 1
python3 "$here/images.py" make psf.tif tif:8:1 5 5 3
mastaba filter photo.png --low-pass 100 -o photo.jpg >/dev/null
mastaba map 'abs(s)' s=signed.npy -o stack.npy >/dev/null
npy make pages.npy uint8 4,50,60 2
mastaba filter pages.npy --low-pass 20 -o stack.tif >/dev/null
rm pages.npy

page() { # page PAGE OPTION...: what its commands left is gone afterwards
    page=$1
    shift
    mkdir work
    for file in *; do
        case $file in work | bin) ;; *) cp -RP --sparse=always "$file" work ;; esac
    done
    (
        cd work
        python3 "$here/run_page.py" --only shell "$@" "$top/$page"
    ) || fail "the page $page"
    rm -r work
}

# What takes minutes is run on smaller grids; sound cards, films and graphics cards are not here. Installing is tried by
# packaging/source/try, Python by scripts/python; the pages about the code and its speed have commands to measure with.
smaller='8192x8192=256x256'
page README.md --but 'deconvolve blurred.png=deconvolve photo.png' --without '^scripts/|^cmake|bench all' --but "$smaller"
for name in "$top"/docs/*.md; do
    name=${name##*/}
    case $name in
    getting-started.md | python.md | design.md | performance.md | performance-log.md) continue ;;
    coming-from.md)
        npy make a.npy float32 60,80 2
        npy make spectrum.npy complex64 60,5 4
        page docs/$name --but 'y.npy(.*)N$=spectrum.npy\1 9'
        rm a.npy spectrum.npy
        ;;
    deconvolution.md)
        cp photo.png blurred.png
        page docs/$name
        rm blurred.png
        ;;
    devices.md) page docs/$name --but 'device (all|0,1,2,3|kind:gpu)=device 0' ;;
    mpi.md)
        ranks=${MASTABA%/*}/mpi/mastaba-mpi
        if [ -x "$ranks" ]; then # but half a gigabyte is not transformed
            ln -s "$ranks" bin/mastaba-mpi
            npy raw volume.npy "'<f4'" False '(512, 512, 512)' 0
            truncate -s $((128 + 4 * 512 * 512 * 512)) volume.npy
            export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
            page docs/$name --without '^cc |-o spectrum' --but '8192x8192 --steps=256x256 --steps'
            rm volume.npy
        else
            skip 'ranks: there is no MPI'
        fi
        ;;
    stencils.md) page docs/$name --but "$smaller" --but 'p.yaml --checkpoint=p.yaml --steps 100 --checkpoint' ;;
    streaming.md) page docs/$name --without 'arecord|ffmpeg' ;;
    tuning.md) page docs/$name --but '^mastaba tune$=mastaba tune --budget 1' ;;
    gallery.md) page docs/$name --without 'shot.yaml' ;; # a tutorial's file, tried with it
    *) page docs/$name --without '^cc |^ls ' ;;
    esac
done
