#!/bin/sh
# Completion and the manual: every command and option of --help is there, and what reads them takes them.
. "${0%/*}/lib"

refused 2 'no such shell' completion csh
refused 2 'no such command' manual frobnicate
refused 2 'no such command' manual bench frobnicate

expect 0 "$MASTABA" completion bash
cp .stdout completion.bash
cat >complete <<'end'
. ./completion.bash
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_mastaba
echo "${COMPREPLY[*]}"
end
completes() {
    wanted=$1
    shift
    got=$(bash complete "$@")
    [ "$got" = "$wanted" ] || fail "bash completes '$*' to '$got' in place of '$wanted'"
}
completes 'fft filter' mastaba f
completes '--shift --show-kernels' mastaba fft --s
completes 'filter' mastaba bench fi
completes '--sizes=' mastaba bench filter --si
completes '' mastaba fft file

for shell in zsh fish; do
    expect 0 "$MASTABA" completion $shell
    cp .stdout completion.$shell
    command -v $shell >/dev/null || continue
    $shell -n completion.$shell || fail "$shell does not take its completion"
done
if command -v fish >/dev/null; then
    got=$(fish --no-config -c 'source completion.fish; complete -C "mastaba bench fi"' | cut -f 1)
    [ "$got" = filter ] || fail "fish completes 'mastaba bench fi' to '$got'"
fi
if command -v zsh >/dev/null; then
    mkdir functions
    cp completion.zsh functions/_mastaba
    for pair in 'fi|filter' 'bench fi|bench filter' 'fft --shi|fft --shift' 'bench filter --si|bench filter --sizes='; do
        python3 "$here/complete_in_zsh.py" functions "mastaba ${pair%|*}" "mastaba ${pair#*|}" || fail "completion in zsh"
    done
fi

expect 0 "$MASTABA" manual
cp .stdout commands
while read -r command; do
    expect 0 "$MASTABA" $command --help
    cp .stdout help
    expect 0 "$MASTABA" manual $command
    for option in $(sed -n 's/^  .*--\([a-z0-9-]*\).*/\1/p' help); do
        escaped=$(echo "$option" | sed 's/-/\\\\-/g')
        grep -Eq -- "^(\\\\fB\\\\-.\\\\fR, )?\\\\fB\\\\-\\\\-$escaped\\\\fR" .stdout || fail "the manual's page of $command does not have --$option"
        for shell in bash zsh fish; do
            grep -Eq -e "(--| -l )$option" completion.$shell || fail "completion for $shell does not have --$option"
        done
    done
    if command -v groff >/dev/null; then
        groff -man -Tascii -ww .stdout >page 2>complaints || fail "groff: $command"
        [ ! -s complaints ] || fail "groff on the page of $command: $(head -1 complaints)"
    fi
done <commands
