"""A history of a store with statement snapshots: gen_statements.py SEED TRANSACTIONS.

Eight sessions over 60 rows; every statement sees the commits so far.  Aggregates without version
sets leave open which version of every row they saw."""
import json
import random
import sys

ROWS, SESSIONS = 60, 8
seed, count = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
rows = {k: rng.randrange(100) for k in range(0, ROWS, 2)}
print(json.dumps({"visar-history": 1, "sessions": SESSIONS}))
print(json.dumps({"initial": [[k, {"v": v, "u": 0}] for k, v in rows.items()]}))
state = {k: {"v": v, "u": 0} for k, v in rows.items()}
running, unique = {}, 0


def aggregate(own):
    low = rng.randrange(100)
    high = low + rng.randrange(5, 15)
    seen = {**state, **own}
    found = [r["v"] for r in seen.values() if low <= r["v"] <= high]
    result = rng.choice([{"count": len(found)}, {"min": ["v", min(found) if found else None]}])
    return ["predicate", [["v", ">=", low], ["v", "<=", high]], result]


while count:
    s = rng.randrange(SESSIONS)
    ops, own = running.setdefault(s, ([], {}))
    if len(ops) == 5:
        print(json.dumps({"session": s, "ops": ops}))
        state.update(own)
        del running[s]
        count -= 1
        continue
    kind = rng.randrange(4)
    key = rng.randrange(ROWS)
    if kind == 0:
        unique += 1
        own[key] = {"v": rng.randrange(100), "u": unique}
        ops.append(["w", key, own[key]])
    elif kind == 1:
        ops.append(["r", key, own.get(key, state.get(key))])
    else:
        ops.append(aggregate(own))
