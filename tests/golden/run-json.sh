#!/bin/bash
# `visar summary --json`: schema and command come first, every field is in docs/json.md under its object, and every
# field that is there occurs in the output for some program.
cd "${ROOT:?}" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
n=0
for program in examples/*.c examples/*/*.c tests/golden/summary/programs/*.c; do
    "${VISAR:?}" summary --json "$program" -- -DANY=2 >"$out/$n.json" 2>/dev/null && n=$((n + 1))
done
python3 - docs/json.md "$out" "$n" <<'END'
import json, re, sys
doc, folder, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
bad = []

# The section, cut into objects: "A **table** …" begins one; what comes before belongs to the output as a whole.
section = open(doc, encoding="utf-8").read().split("## `visar summary`")[1].split("\n## ")[0]
parts = re.split(r"(?:^|\n)An? \*\*(\w+)\*\*", section)
known = {"output": {"schema", "command"}}
texts = {"output": parts[0], **dict(zip(parts[1::2], parts[2::2]))}
for name, text in texts.items():
    fields = known.setdefault(name, set())
    rows = re.findall(r"^\| (`.*?) \|(.*)\|$", text, re.M)
    for cell, _ in rows:
        fields |= set(re.findall(r"`(\w+)`", cell))
    if not rows:
        fields |= set(re.findall(r"`(\w+)`", text))
known["field"] = {"path", "type"}

# Which object is where.
inner = {"output": {"tables": "table", "initial": "summary", "transactions": "summary", "invariants": "summary",
                    "finals": "summary", "scenarios": "summary", "loops": "loop"},
         "table": {"fields": "field"},
         "summary": {"location": "location", "inputs": "input", "points": "point", "reads": "read",
                     "writes": "write", "locks": "lock", "calls": "call"}}
for name in ("input", "point", "read", "write", "lock", "call", "loop"):
    inner[name] = {"location": "location"}
seen = {name: set() for name in known}

def walk(value, name):
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            continue
        seen[name] |= set(item)
        for key, below in inner.get(name, {}).items():
            if key in item:
                walk(item[key], below)

for i in range(n):
    with open(f"{folder}/{i}.json", encoding="utf-8") as f:
        value = json.load(f)
    if list(value)[:2] != ["schema", "command"] or value["schema"] != "visar/1" or value["command"] != "summary":
        bad.append("schema and command do not come first")
    walk(value, "output")
if n < 20:
    bad.append(f"only {n} programs")
for name in known:
    if seen[name] - known[name]:
        bad.append(f"{name}: not in {doc}: {sorted(seen[name] - known[name])}")
    if known[name] - seen[name]:
        bad.append(f"{name}: never printed: {sorted(known[name] - seen[name])}")
print("\n".join(f"not ok summary-json-fields: {b}" for b in bad) if bad else "ok summary-json-fields")
sys.exit(bool(bad))
END
