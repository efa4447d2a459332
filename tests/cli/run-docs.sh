#!/bin/bash
# Code that the documentation shows is part of a program: a line <!-- FILE --> names it, and the lines of the block that
# follows stand there one after the other.  A verdict in a table of examples is what the program's `expect:` line says.
cd "${ROOT:?}" || exit 1
python3 - docs/*.md README.md <<'END'
import re, sys
rc = 0
def report(fine, name, why=""):
    global rc
    print(f"ok {name}" if fine else f"not ok {name}: {why}")
    rc |= not fine

blocks = 0
for doc in sys.argv[1:]:
    text = open(doc, encoding="utf-8").read()
    for found in re.finditer(r"^<!-- (\S+\.c) -->\n```c\n(.*?)^```$", text, re.M | re.S):
        path, code = found.groups()
        line = text.count("\n", 0, found.start()) + 1
        blocks += 1
        try:
            report("\n" + code in open(path, encoding="utf-8").read(), f"{doc}:{line}", f"{path} does not have these lines")
        except OSError as error:
            report(False, f"{doc}:{line}", error)

# | `name.c` | … | model |, or with the model elsewhere in the row: of all models, the weakest that hold.
order = ["ec", "rc", "rcs", "ra", "cc", "pc", "psi", "si", "ser"]
for row in re.findall(r"^\|.*`(?:applications/)?\w+\.c`.*$", open("docs/modelling.md", encoding="utf-8").read(), re.M):
    name = re.search(r"`((?:applications/)?\w+\.c)`", row).group(1)
    said = [cell.strip() for cell in row.split("|") if cell.strip() in order]
    for folder in ("examples/", "examples/applications/"):
        try:
            source = open(folder + name, encoding="utf-8").read()
            break
        except OSError:
            source = ""
    expect = dict(re.findall(r"(\w+)=(\w+)", (re.search(r"expect: (.*)", source) or [""])[0]))
    weakest = next((m for m in order if expect.get(m) == "holds"), None)
    report(said == [weakest], f"docs/modelling.md: {name}", f"says {said}, the program {weakest}")
report(blocks >= 10, "docs: blocks", f"only {blocks}")
sys.exit(rc)
END
