#!/bin/bash
# What a transaction did stays short in the report: operations that look alike are told as one, and
# rows that a search did not find are no operations.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
says() { # NAME HISTORY LEVEL TEXT: the report, its line breaks aside, has the text
    "$VISAR" check "$2" --level "$3" >out 2>&1
    tr '\n' ' ' <out | tr -s ' ' | grep -qF -e "$4" && ok "$1" || bad "$1" "no '$4': $(head -12 out)"
}

python3 - <<'P'
import json
def write(name, *lines):
    with open(name, "w") as f:
        for l in lines:
            print(json.dumps(l), file=f)
# Sixty rows that are not there are one range, and the next transaction has one operation besides.
write("range.jsonl", {"visar-history": 1},
      {"session": 2, "ops": [["insert", k, 5] for k in range(8, 68)]},
      {"session": 3, "ops": [["range", 1, 70, [[k, 5] for k in range(8, 68)]]]},
      {"session": 3, "ops": [["range", 1, 70, []], ["w", 100, 1]]})
# A count that no snapshot gives: each row of it is part of the argument.
def count(name, key):
    write(name, {"visar-history": 1, "default": None},
          *[{"session": s, "ops": [["w", key(s * 5 + i), {"v": 1}] for i in range(5)]} for s in range(4)],
          {"session": 9, "ops": [["predicate", [["v", "=", 1]], {"count": 7}]]})
count("count.jsonl", lambda i: "k%d" % i)
count("numbers.jsonl", lambda i: i)
P
says absent_rows range.jsonl si 'without 8, … 1 other '
says named_rows count.jsonl si 'rows k0, k1, k2 and 9 others of count where v = 1, which gave 7'
says numbered_rows numbers.jsonl si 'write(each of 0 to 4, {"v":1})'
# The argument names each row, where the row counts.
says argument count.jsonl si 'saw the initial value of k0, which T0.0 overwrote'
exit $rc
