"""tutorial.py PAGE: writes the files that a page of docs/tutorials names ("... is a file, `NAME`:" above a block of yaml), runs its
commands, the lines of its blocks of console that begin with "$ ", and compares what they print with the lines that follow, in which
"..." stands for any text. Both streams count, in the order in which a command ends them."""
import re
import subprocess
import sys

page = open(sys.argv[1]).read()
for text, language, body in re.findall(r"([^\n]*)\n\n```(yaml|console)\n(.*?)```", page, re.S):
    if language == "yaml":
        open(re.search(r"`([^`]+)`:$", text)[1], "w").write(body)
        continue
    for command, wanted in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", body, re.M):
        if command == "echo $?":
            printed = f"{code}\n"
        else:
            done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            printed, code = done.stdout, done.returncode
        pattern = ".*".join(re.escape(part) for part in wanted.split("..."))
        if not re.fullmatch(pattern, printed):
            sys.exit(f"{sys.argv[1]}: `{command}` printed\n{printed}in place of\n{wanted}")
