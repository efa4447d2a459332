"""dot-syntax.py FILE…: is it the DOT language, as far as visar writes it?  Where Graphviz is
installed, it is asked as well."""
import re
import sys

TEXT = r'"(?:[^"\\\n]|\\.)*"'
VALUE = rf"(?:{TEXT}|[a-z0-9]+)"
ATTRIBUTES = rf"\[[a-z]+={VALUE}(?:, [a-z]+={VALUE})*\]"
STATEMENTS = [
    rf"[a-z]+={VALUE}",
    rf"(?:node|edge) {ATTRIBUTES}",
    rf"t\d+ {ATTRIBUTES}",
    rf"t\d+ -> t\d+ {ATTRIBUTES}",
]
for path in sys.argv[1:]:
    lines = open(path, encoding="utf-8").read().split("\n")
    if lines[0] != "digraph violation {" or lines[-2:] != ["}", ""]:
        sys.exit(f"{path}: not a graph")
    nodes, ends = set(), set()
    for line in lines[1:-2]:
        if not any(re.fullmatch(rf"    {s};", line) for s in STATEMENTS):
            sys.exit(f"{path}: no statement: {line}")
        found = re.match(r"    (t\d+)(?: -> (t\d+))? \[", line)
        if found:
            (ends if found[2] else nodes).update(x for x in found.groups() if x)
    if ends - nodes or not nodes:
        sys.exit(f"{path}: edges without nodes: {sorted(ends - nodes)}")
