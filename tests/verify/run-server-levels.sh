#!/bin/bash
# examples/databases at every level of PostgreSQL and InnoDB, against server-levels.txt, and the table of verdicts in
# docs/databases.md against the same.
cd "${ROOT:?}" || exit 1
exec python3 - "${VISAR:?}" tests/verify/server-levels.txt docs/databases.md examples/databases <<'END'
import json, os, re, subprocess, sys
visar, table, doc, folder = sys.argv[1:]
levels = ["pg-rc", "pg-rr", "pg-ser", "my-rc", "my-rr", "my-ser"]
enough = {"V": {"violated"}, "H": {"holds", "proved"}, "P": {"proved"}}
rc = 0
def report(fine, name, why=""):
    global rc
    print(f"ok {name}" if fine else f"not ok {name}: {why}")
    rc |= not fine

wanted = {} # example → property → letters, in the order of the levels
for line in open(table, encoding="utf-8"):
    if line.strip() and not line.startswith("#"):
        name, *rest = line.split(None, 7)
        wanted.setdefault(name, {})[rest[6].strip()] = rest[:6]

# What the tool says: example → property → level → statuses, one for each scenario.
def ask(name):
    run = subprocess.run([visar, "verify", f"{folder}/{name}.c", "--model", ",".join(levels), "--json"],
                         capture_output=True, encoding="utf-8")
    said = {}
    if run.returncode not in (0, 10):
        report(False, name, f"exit {run.returncode}: {run.stderr.strip() or run.stdout[:200]}")
        return said
    for result in json.loads(run.stdout)["results"]:
        for verdict in result["verdicts"]:
            of = said.setdefault(verdict["property"]["name"], {})
            of.setdefault(result["model"], set()).add(verdict["status"])
    return said

for name, properties in wanted.items():
    said = ask(name)
    report(set(said) == set(properties), f"{name} properties", f"{sorted(said)}, not {sorted(properties)}")
    for prop, letters in properties.items():
        for level, letter in zip(levels, letters):
            got = said.get(prop, {}).get(level, set())
            report(got and got <= enough[letter], f"{name} {prop} {level}", f"{sorted(got)}, not {letter}")
files = sorted(f[:-2] for f in os.listdir(folder) if f.endswith(".c"))
report(files == sorted(wanted), "all examples", f"{sorted(set(files) ^ set(wanted))}")

# The page: | [name](…/name.c) | … | ✓ or ✗ for each level |.
rows = re.findall(rf"^\| \[\w+\]\(\.\./{folder}/(\w+)\.c\) \|.*?((?:\| [✓✗] ){{6}})\|$", open(doc, encoding="utf-8").read(), re.M)
shown = {name: re.findall("[✓✗]", cells) for name, cells in rows}
for name, properties in wanted.items():
    right = ["✗" if "V" in column else "✓" for column in zip(*properties.values())]
    report(shown.get(name) == right, f"{doc} {name}", f"{shown.get(name)}, not {right}")
report(set(shown) == set(wanted), f"{doc} examples", f"{sorted(set(shown) ^ set(wanted))}")

# What the page says that visar prints: the lines behind a command that are as far in, up to the next command.
lines = open(doc, encoding="utf-8").read().split("\n")
commands = [i for i, line in enumerate(lines) if line.startswith("    $ visar ")]
for i in commands:
    end = i + 1
    while end < len(lines) and end not in commands and (not lines[end] or lines[end].startswith("    ")):
        end += 1
    run = subprocess.run([visar, *lines[i].split()[2:]], capture_output=True, encoding="utf-8")
    printed = "\n".join(line[4:] for line in lines[i + 1:end])
    report(printed.strip() == run.stdout.strip(), f"{doc}:{i + 1}", f"it prints {run.stdout}")
report(len(commands) >= 2, f"{doc} commands", f"only {len(commands)}")
sys.exit(rc)
END
