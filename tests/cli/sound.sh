#!/bin/bash
# Sounds in and out of mastaba convolve: every format, samples, channels, rates, mistakes. By paper-c, whose kernels serve all lengths.
# Long: a process for each format of sounds, and for each fault of a file.
. "${0%/*}/lib"
without_cache

# sound FILE RATE CHANNELS VALUE...: 16-bit, the values interleaved.
sound() {
    python3 - "$@" <<'END'
import struct, sys, wave
path, rate, channels, *values = sys.argv[1:]
with wave.open(path, "wb") as w:
    w.setnchannels(int(channels)), w.setsampwidth(2), w.setframerate(int(rate))
    w.writeframes(struct.pack("<%dh" % len(values), *map(int, values)))
END
}
# float_wav FILE: prints RATE CHANNELS BITS and the samples of a float .wav.
float_wav() {
    python3 - "$1" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:4] == b"RIFF" and data[8:12] == b"WAVE" and struct.unpack("<I", data[4:8])[0] == len(data) - 8
at, chunks = 12, {}
while at < len(data):
    name, size = struct.unpack("<4sI", data[at:at + 8])
    chunks[name] = data[at + 8:at + 8 + size]
    at += 8 + size + size % 2
tag, channels, rate, _, _, bits = struct.unpack("<HHIIHH", chunks[b"fmt "][:16])
assert tag == 3, tag
n = len(chunks[b"data"]) * 8 // bits
print(rate, channels, bits, *("%g" % v for v in struct.unpack("<%d%s" % (n, "f" if bits == 32 else "d"), chunks[b"data"])))
END
}

sound mono.wav 8000 1 16384 8192 0 -8192
sound stereo.wav 8000 2 16384 0 8192 0 0 -16384
sound fast.wav 44100 1 1 2 3
npy values kernel.npy float32 2 1 2
npy values kernel64.npy float64 2 1 2
npy values pair.npy float32 2,2 1 0 0 1

# Channels are batch; samples are a part of 32768.
expect 0 "$MASTABA" convolve mono.wav kernel.npy -o z.npy
[ "$(npy describe z.npy)" = 'float32 [1, 5]' ] || fail "mono: $(npy describe z.npy)"
npy values mono.npy float32 1,4 .5 .25 0 -.25
npy convolved z.npy mono.npy kernel.npy full || fail "mono with a kernel"
expect 0 "$MASTABA" convolve -a paper-c stereo.wav kernel.npy -o z.npy --force
npy values stereo.npy float32 2,3 .5 .25 0 0 0 -.5
npy convolved z.npy stereo.npy kernel.npy full || fail "stereo with a kernel"
expect 0 "$MASTABA" convolve -a paper-c stereo.wav pair.npy -o z.npy --force
npy convolved z.npy stereo.npy pair.npy full || fail "stereo with a kernel a channel"
expect 0 "$MASTABA" convolve -a paper-c stereo.wav mono.wav -o z.npy --force --correlate --mode same
npy convolved z.npy stereo.npy mono.npy same correlate || fail "stereo with mono"
cp stereo.wav disguised.npy # what it holds decides
cp kernel.npy disguised.wav
expect 0 "$MASTABA" convolve -a paper-c disguised.npy disguised.wav -o z.npy --force
npy convolved z.npy stereo.npy kernel.npy full || fail "disguised files"

head -c -2 stereo.wav >cut.wav
refused 4 'cut.wav: holds 2 frames, less than it claims; the file is truncated' convolve cut.wav kernel.npy -o cut.npy
refused 4 'cut.wav: holds 2 frames, less than it claims; the file is truncated' convolve cut.wav kernel.npy --dry-run
# A plan needs no sample: of 1 TiB, for which there is no memory.
python3 - <<'E'
import struct
data = 1 << 40
with open("huge.wav", "wb") as f:
    f.write(b"RF64\xff\xff\xff\xffWAVEds64" + struct.pack("<IQQQI", 28, data + 72, data, data // 4, 0))
    f.write(b"fmt " + struct.pack("<IHHIIHH", 16, 1, 2, 8000, 32000, 4, 16) + b"data\xff\xff\xff\xff")
    f.truncate(f.tell() + data)
E
expect 0 "$MASTABA" convolve huge.wav kernel.npy --dry-run
grep -q '^\[2, 274877906945\]' .stdout || fail "a huge sound: $(cat .stdout)"
expect 0 "$MASTABA" fft huge.wav --real --dry-run
rm huge.wav

# Sounds out.
expect 0 "$MASTABA" convolve -a paper-c stereo.wav kernel.npy -o z.wav
set -- $(float_wav z.wav)
[ "$1 $2 $3 $#" = '8000 2 32 11' ] || fail "z.wav: $*"
npy values expected.npy float32 2,4 .5 1.25 .5 0 0 0 -.5 -1
python3 - "$@" <<'END' || fail "samples of z.wav: $*"
import sys
found, expected = [float(v) for v in sys.argv[4:]], [.5, 0, 1.25, 0, .5, -.5, 0, -1]
sys.exit(any(abs(a - b) > 1e-6 for a, b in zip(found, expected)))
END
expect 0 "$MASTABA" convolve -a paper-c kernel64.npy mono.wav -o z64.wav
set -- $(float_wav z64.wav)
[ "$1 $2 $3 $#" = '8000 1 64 8' ] || fail "z64.wav: $*"
for format in wav flac ogg opus aiff au caf w64 rf64 WAV; do
    expect 0 "$MASTABA" convolve -a paper-c stereo.wav mono.wav -o "s.$format"
    [ ! -s .stderr ] || fail "$format: something on stderr"
    expect 0 "$MASTABA" convolve -a paper-c "s.$format" kernel.npy -o back.npy --force
    case $(npy describe back.npy) in 'float32 [2, '*) ;; *) fail "$format: $(npy describe back.npy)" ;; esac
done
[ "$(head -c 4 s.flac)" = fLaC ] || fail "s.flac is no FLAC file"
expect 0 "$MASTABA" convolve -a paper-c stereo.wav mono.wav -o s.npy
for format in aiff au caf w64 rf64; do
    npy values unit.npy float32 1 1
    expect 0 "$MASTABA" convolve -a paper-c s.$format unit.npy -o back.npy --force
    npy convolved back.npy s.npy unit.npy full || fail "$format back"
done

# What a format cannot hold is said.
expect 0 "$MASTABA" convolve -a paper-c stereo.wav kernel.npy -o loud.flac
grep -Eq '^mastaba convolve: warning: loud.flac: clipped: the peak is 1.25 ' .stderr || fail "no warning of clipping"
npy values nan.npy float32 2 nan 1
refused 4 'NaN or infinity' convolve -a paper-c mono.wav nan.npy -o z.flac
npy make many.npy float32 9,3
refused 4 'flac cannot hold 9 channels' convolve mono.wav many.npy -o z.flac
npy make complex.npy complex64 3
refused 4 'complex64 of shape .* is not a sound' convolve mono.wav complex.npy -o q.wav
npy make cube.npy float32 2,2,3
refused 4 'is not a sound' convolve mono.wav cube.npy -o q.wav
refused 2 'no input is a sound' convolve pair.npy kernel.npy -o q.wav
refused 4 'z.wav: exists' convolve mono.wav kernel.npy -o z.wav
refused 4 'mono.wav: is the input' convolve mono.wav kernel.npy -o mono.wav --force
refused 4 'mono.wav is sampled at 8000 Hz and fast.wav at 44100 Hz' convolve mono.wav fast.wav -o q.wav
refused 4 'nowhere/q.wav: cannot be written' convolve mono.wav kernel.npy -o nowhere/q.wav
refused 4 'a sound; add --real' fft mono.wav -o q.npy
head -c 30 mono.wav >cut.wav
refused 4 'cut.wav' convolve cut.wav kernel.npy -o q.wav
printf 'RIFF4\0\0\0WAVELIST\146\377\377\377%0100d' 0 >endless.wav
refused 4 'endless.wav: is damaged: a list in it claims to be longer than the file' convolve endless.wav kernel.npy -o q.wav
sound none.wav 8000 1
expect 0 "$MASTABA" convolve -a paper-c none.wav kernel.npy -o nothing.wav
[ "$(float_wav nothing.wav)" = '8000 1 32' ] || fail "a sound without frames"

# libsndfile takes a read that fails or ends early for the end of the file, so that a sound would be cut without a word, and a length
# that it does not get for one that is not known, which the header would say.
expect 0 "$MASTABA" convolve -a paper-c stereo.wav mono.wav -o whole.au
shim=$MASTABA_BUILD_DIR/tests/libcampaign_preload_system.so
if [ -n "${ASAN_OPTIONS-}" ]; then exit 0; fi # the sanitizer does not start behind a preloaded library with a malloc
for fault in pread64:EIO pread64:end fstat64:EIO; do
    for number in $(seq 1 100); do
        if spared 4; then continue; fi
        rm -f reached part.au
        ended=0
        FAULT=$fault:$number FAULT_REACHED=reached LD_PRELOAD=$shim "$MASTABA" convolve -a paper-c stereo.wav mono.wav -o part.au \
            >.stdout 2>.stderr </dev/null || ended=$?
        [ -e reached ] || break
        { [ $ended = 0 ] && cmp -s part.au whole.au; } || { [ $ended = 4 ] && [ ! -e part.au ]; } ||
            fail "$fault, number $number: exit code $ended"
    done
    [ "$number" -gt 8 ] && [ "$number" -lt 100 ] || fail "$fault: $number calls"
done
