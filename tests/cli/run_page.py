"""run_page.py [--without REGEX]... [--but REGEX=TEXT]... [--only shell|python] PAGE: does in the working directory what a page of the
documentation says, from top to bottom, and ends at the first thing that is not as it says.

 - A block of yaml or C after "..., `NAME`:" is a file of that name; a whole C program is also the file that the next command names,
   and a block that begins with "grid:" is a file p.yaml, which has to be a problem that `mastaba solve --dry-run` takes.
 - In a block with lines "$ COMMAND", what a command prints, both streams in the order in which it ends them, is the lines that
   follow, if there are any. "..." stands for any text, as does the name of a processor.
 - In an indented block without them, each line that begins with a program's name is a command that has to succeed.
 - So has a `command` in running text that names files, or a whole integral; those of a line work on a copy of the directory,
   where they replace what is there.
 - Blocks of Python are one program; what follows "# " behind a print is what it prints.

--without leaves out the commands that the expression finds, and --but puts a text where it finds something: what would take too
long, or is not there. Commands with "..." in them are left out."""
import argparse
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = ("mastaba", "scripts/", "packaging/", "cmake", "sudo", "cc", "python3", "env/",  "mpiexec", "export", "ls")
DEVICE = r"pthread-\S+?(Intel\(R\) Xeon\(R\) Processor|AMD EPYC)"

options = argparse.ArgumentParser()
options.add_argument("--without", action="append", default=[])
options.add_argument("--but", action="append", default=[])
options.add_argument("--only", choices=["shell", "python"])
options.add_argument("page")
options = options.parse_args()
names, c_program, count, environment = {}, None, 0, ""


def fail(text):
    sys.exit(f"{options.page}: {text}")


def run(command, wanted=None):
    """wanted: what is printed, at any exit code; None: anything, and success."""
    global count, c_program, code, environment
    if options.only == "python" or any(re.search(w, command) for w in options.without) or "..." in command:
        return
    for pattern, text in (b.split("=", 1) for b in options.but):
        command = re.sub(pattern, text, command)
    source = re.search(r"(\w+\.c)\b", command)
    if c_program and source:
        pathlib.Path(source[1]).write_text(c_program)
        c_program = None
    count += 1
    if command.startswith("export "):
        environment += command.partition(" #")[0] + "\n"
        return
    if command == "echo $?":
        printed = f"{code}\n"
    else:
        done = subprocess.run(["bash", "-c", environment + command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        printed, code = done.stdout, done.returncode
    if wanted:
        pattern = ".*".join(re.escape(part) for part in re.sub(DEVICE, "...", wanted).split("..."))
        if not re.fullmatch(pattern, printed, re.S):
            fail(f"`{command}` printed\n{printed}in place of\n{wanted}")
    elif wanted is None and code != 0:
        fail(f"`{command}` ended with {code}:\n{printed[-2000:]}")


def run_python(body):
    global count
    if options.only == "shell":
        return
    count += 1
    for statement in re.split(r"\n(?=\S)", body):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(statement, names)
        wanted = re.search(r"^print\(.*\)  # (.*)", statement)
        if wanted and printed.getvalue().strip() != wanted[1]:
            fail(f"{statement} printed {printed.getvalue()}")


def run_block(language, body, before):
    global c_program
    name = re.search(r"`([^`]+)`:$", before)
    if language == "python":
        run_python(body)
    elif language == "c" and "int main(" in body:
        c_program = body
    elif language in ("yaml", "c") and name:
        pathlib.Path(name[1]).write_text(body)
    elif re.search(r"^\$ ", body, re.M):
        for command, wanted in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", body, re.M):
            run(command, wanted if wanted or language == "console" else None)
    elif body.startswith("grid:"):
        pathlib.Path("p.yaml").write_text(body)
        run("mastaba solve p.yaml --dry-run")
    elif not language:
        for line in body.splitlines():
            if line.startswith(PROGRAMS) and not re.match(r"mastaba( \w+)?:", line):
                run(line)


def run_text(line):
    commands = re.findall(r"`(mastaba [^`]*)`", line)
    commands = [c for c in commands if re.search(r"\.(npy|png|tif|wav|yaml)\b|--from|^mastaba solve \w+ --", c)]
    if not commands:
        return
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(shutil.copytree(here, scratch + "/copy", symlinks=True))
        for command in commands:
            for output in re.findall(r"-o (\S+\.\w+)", command):
                pathlib.Path(output).unlink(missing_ok=True)
            run(command)
        os.chdir(here)


before, lines = "", pathlib.Path(options.page).read_text().splitlines(keepends=True)
while lines:
    fence = re.match(r"```(\w*)", lines[0])
    block = []
    if fence:
        lines.pop(0)
        while not lines[0].startswith("```"):
            block.append(lines.pop(0))
        lines.pop(0)
        run_block(fence[1], "".join(block), before)
    elif lines[0].startswith("    "):
        while lines and lines[0].startswith("    "):
            block.append(lines.pop(0)[4:])
        run_block("", "".join(block), before)
    else:
        run_text(lines[0])
        before = lines.pop(0).strip() or before
print(f"{options.page}: {count} commands and files")
