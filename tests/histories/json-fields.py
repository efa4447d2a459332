"""json-fields.py DOCS FILE…: the JSON of `visar check`, against its documentation.

Every object has the fields that docs/json.md gives its kind, and no field is undocumented."""
import json
import re
import sys

section = open(sys.argv[1]).read().split("## `visar check`")[1].split("\n## ")[0]
documented = set(re.findall(r"`([a-z_]+)`", section)) | set(re.findall(r'"([a-z_]+)"', section))
documented |= {"schema", "command", "verdict", "reason", "known"}

REPORT = {"schema", "command", "file", "format", "sessions", "transactions", "operations", "verdict", "levels"}
ANSWER = {"level", "title", "model", "session_order", "real_time", "verdict", "seconds"}
VIOLATION = {"anomaly", "rules_out", "transactions", "operations", "cycle", "cases", "no_source", "lemmas"}
TRANSACTION = {"id", "name", "session", "session_name", "index", "status", "operation_count", "operations"}
OPERATION = {"id", "position", "kind", "key", "value"}
EDGE = {"kind", "from", "to", "text"}
ITEM_EDGE = EDGE | {"key", "from_operation", "to_operation", "case"}
CASE = {"number", "kind", "first", "second", "text", "cycle", "cases"}
seen = set()


def has(what, thing, fields):
    missing = fields - thing.keys()
    assert not missing, f"{what} without {sorted(missing)}"
    extra = thing.keys() - documented
    assert not extra, f"{what} with undocumented {sorted(extra)}"
    seen.update(thing)


def check_cycle(cycle):
    for n, e in enumerate(cycle or []):
        has("edge", e, EDGE if e["kind"] in ("so", "rt") else ITEM_EDGE)
        assert e["kind"] != "rw" or "version" in e
        assert e["to"] == cycle[(n + 1) % len(cycle)]["from"], "a cycle that is none"


def check_cases(cases):
    for c in cases:
        has("case", c, CASE)
        check_cycle(c["cycle"])
        check_cases(c["cases"])


def check_answer(a, names):
    has("answer", a, ANSWER)
    if "settled_by" in a:
        assert a["settled_by"] in names
    elif a["verdict"] == "violation":
        has("violation", a, VIOLATION)
        has("anomaly", a["anomaly"], {"name", "words", "adya", "text"})
        has("rules_out", a["rules_out"], {"models", "needs_session_order", "needs_real_time"})
        assert a["cycle"] or a["cases"] or a["lemmas"] or "text" in a, "no argument"
        for t in a["transactions"]:
            has("transaction", t, TRANSACTION)
            for op in t["operations"]:
                has("operation", op, OPERATION)
        ids = {t["id"] for t in a["transactions"]}
        assert all(e["from"] in ids for e in a["cycle"] or []), "a transaction that is not listed"
        check_cycle(a["cycle"])
        check_cases(a["cases"])
        for lemma in a["lemmas"]:
            check_cycle(lemma)
    elif a["verdict"] in ("unknown", "broken"):
        assert a["reason"]
    elif "certificate" in a:
        has("certificate", a["certificate"], {"kind", "order"})


def check(report):
    if "levels" not in report:  # --verify-certificate, --order
        has("report", report, {"schema", "command", "file", "verdict"})
        return
    has("report", report, REPORT)
    names = [a["level"] for a in report["levels"]]
    for a in report["levels"]:
        check_answer(a, names)
    assert all(n in names for n in report.get("strongest", []))


for path in sys.argv[2:]:
    try:
        check(json.load(open(path)))
    except Exception as problem:
        sys.exit(f"{path}: {problem}")
never = (ANSWER | VIOLATION | TRANSACTION | OPERATION | ITEM_EDGE | CASE | {"settled_by", "certificate", "strongest"}) - seen
if never:
    sys.exit(f"never printed: {sorted(never)}")
