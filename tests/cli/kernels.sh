#!/bin/sh
# --show-kernels: every command that runs kernels prints each once, whole, on standard output; without -o that is all it does.
# Clang, if it is there, compiles them where pointers without an address space are generic, as drivers take them that know OpenCL C
# 2.0 (NVIDIA's; PoCL 3.1 does not): a member of a structure that is pointed to is then no argument for a parameter that is an array.
. "${0%/*}/lib"
without_cache

# shown COMMAND...: prints kernels and nothing else, makes no file.
shown() {
    before=$(find . -name .std\* -o -name kernels.\* -o -print | sort)
    expect 0 "$MASTABA" "$@"
    [ ! -s .stderr ] || fail "something on stderr: mastaba $*"
    [ "$before" = "$(find . -name .std\* -o -name kernels.\* -o -print | sort)" ] || fail "files came or went: mastaba $*"
    python3 - "$@" <<'END' || fail "not each program once, after the prelude, or none that compiles: mastaba $*"
import re, shutil, subprocess, sys
parts = [p.split("\n", 1) for p in open(".stdout").read().split("// ---- ")]
assert parts[0] == [""] and parts[1][0] == "prelude" and len(parts) > 2, parts[0]
texts = [text for _, text in parts[2:]]
assert len(set(texts)) == len(texts), "one is printed twice"
assert all(re.search(r"^(__)?kernel\b[^;{]*\bvoid\s+\w+\s*\(", text, re.M) for text in texts), "a program without a kernel"
assert "PRECISION" in parts[1][1]
for title, text in parts[2:] if shutil.which("clang") else []:
    options = "-x cl -cl-std=CL2.0 -target spir64 -Xclang -finclude-default-header -w -fsyntax-only".split()
    defines = re.findall(r"-D ?\S+", title[title.rindex("[") + 1:-1])
    subprocess.run(["clang", *options, *defines, "-"], input=parts[1][1] + text, text=True, check=True)
END
    cp .stdout "kernels.$1"
}

# computed COMMAND... -o FILE: the same kernels, then the result.
computed() {
    expect 0 "$MASTABA" "$@"
    cmp -n "$(wc -c <"kernels.$1")" "kernels.$1" .stdout || fail "other kernels with a result: mastaba $*"
    tail -n 1 .stdout | grep -q "^$result: " || fail "no line on the result: mastaba $*"
    [ -s "$result" ] || fail "no result: mastaba $*"
}

npy make x.npy complex64 3,40
npy make y.npy complex64 3,9
npy make b.npy float32 100
python3 -c "open('i.pgm', 'wb').write(b'P5\n32 24\n255\n' + bytes(range(96)) * 8)"
shown fft x.npy --show-kernels
result=f.npy
computed fft x.npy --show-kernels -o $result
shown convolve x.npy y.npy --show-kernels
result=c.npy
computed convolve x.npy y.npy --show-kernels -o $result
shown map 'b + 1' b=b.npy --show-kernels
result=m.npy
computed map 'b + 1' b=b.npy --show-kernel -o $result # as it is called too
shown filter i.pgm --low-pass 4 --show-kernels
shown deconvolve i.pgm --psf gaussian:1 --show-kernels
result=i.png
computed filter i.pgm --low-pass 4 --show-kernels -o $result
shown integrate 'x^2' --from 0 --to 1 --rule simpson --points 1000 --show-kernels
result=s.npy
computed integrate 'x^2' --from 0 --to 1 --rule simpson --points 1000 --show-kernels -o $result
shown integrate 'floor(2*x*y)' --from 0 --to 1 --var y=0:x --show-kernels
shown integrate 'abs(x - 0.3)' --from 0 --to inf --compile-from 1 --show-kernels
shown solve heat1d --steps 4 --show-kernels
expect 0 "$MASTABA" solve heat1d --steps 4 --show-kernels -o u.npy
cmp -n "$(wc -c <kernels.solve)" kernels.solve .stdout || fail "other kernels with a result: solve"
[ -s u.npy ] || fail "no result: solve"

for command in 'fft x.npy' 'convolve x.npy y.npy' 'integrate x^2 --from 0 --to 1' 'solve heat1d'; do
    # shellcheck disable=SC2086
    refused 2 '--show-kernels prints text and --json JSON' $command --show-kernels --json
done
refused 2 'unknown option' devices --show-kernels
refused 2 'unknown option' tune --show-kernels

# A program that does not build is shown as well.
mkdir broken
echo 'this is no OpenCL C' >broken/prelude.cl
export MASTABA_KERNEL_DIR=$PWD/broken
expect 1 "$MASTABA" fft x.npy --show-kernels --no-cache
grep -q 'this is no OpenCL C' .stdout || fail 'the prelude of a program that does not build is not shown'
grep -q '__kernel' .stdout || fail 'a program that does not build is not shown'
