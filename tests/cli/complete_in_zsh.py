#!/usr/bin/env python3
"""complete_in_zsh.py DIRECTORY LINE WANTED: whether LINE becomes WANTED by a tab in a zsh that finds functions in DIRECTORY."""
import os
import pty
import select
import sys
import time

directory, line, wanted = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execvp("zsh", ["zsh", "-f", "-i"])


def read(end, seconds=20):
    text, until = "", time.monotonic() + seconds
    while end not in text and time.monotonic() < until:
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 4096).decode()
    return text


def write(text):
    os.write(terminal, text.encode())


write("PS1=; unsetopt zle_bracketed_paste; fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; echo BE''GUN\n" % directory)
read("BEGUN\r\n")
write(line + "\t")
got = read(wanted)
write("\x03exit\n")
sys.exit(None if wanted in got else "zsh makes %r of '%s'" % (got, line))
