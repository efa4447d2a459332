#!/usr/bin/env python3
"""docs-examples.py FILE.md FOLDER [--fill]: the indented block after a line

    <!-- golden: NAME -->        (or NAME, N: only its first N lines)

must be what FOLDER/NAME.out has, indented by four spaces.  --fill writes the blocks instead."""
import re
import sys

path, folder, fill = sys.argv[1], sys.argv[2], "--fill" in sys.argv
lines, out, bad = open(path).read().splitlines(), [], 0
while lines:
    out.append(lines.pop(0))
    marker = re.match(r"<!-- golden: ([\w.-]+)(?:, (\d+))? -->$", out[-1])
    if not marker:
        continue
    found = []
    while lines and (not lines[0] or lines[0].startswith("    ")):
        found.append(lines.pop(0))
    golden = open(f"{folder}/{marker[1]}.out").read().splitlines()
    golden = golden[: int(marker[2])] if marker[2] else golden
    want = [""] + [("    " + line).rstrip() for line in golden]
    if not fill:
        same = [l for l in found if l] == [l for l in want if l]
        bad |= not same
        print(f"ok docs_{marker[1]}" if same else f"not ok docs_{marker[1]}: {path} shows another output")
    out += want + [""]
if fill:
    open(path, "w").write("\n".join(out) + "\n")
sys.exit(bad)
