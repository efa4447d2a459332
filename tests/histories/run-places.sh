#!/bin/bash
# Where a transaction stands in the history: file and line, or byte, in text and JSON, for every format.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }

# places NAME HISTORY WANTED [ARGUMENTS]: the places of the violation's transactions, in JSON, sorted.
places() {
    local got
    got=$("$VISAR" check "$2" --level "${4:-ser}" --json 2>"$dir/err" | python3 -c 'import json, sys
t = json.load(sys.stdin)["levels"][0]["transactions"]
print(*sorted("%s:%s" % (x["file"], x["line"] if "line" in x else "byte %s" % x["byte"]) for x in t))')
    [ "$got" = "$3" ] && ok "$1" || bad "$1" "not $3: $got $(cat "$dir/err")"
}
# text NAME HISTORY LINE: the report has the line.
text() {
    "$VISAR" check "$2" --level ser >"$dir/out" 2>&1
    grep -qF -e "$3" "$dir/out" && ok "$1" || bad "$1" "no '$3': $(cat "$dir/out")"
}

cat >h.jsonl <<'J'
{"visar-history": 1, "default": 0}

{"session": 0, "ops": [["r", "x", 0], ["w", "y", 1]]}

{"ops": [["r", "y", 0], ["w", "x", 1]], "session": 1, "status": "unknown"}
{"session": 2, "ops": [["r", "x", 1]]}
J
places jsonl h.jsonl 'h.jsonl:3 h.jsonl:5'
text jsonl_text h.jsonl 'T0.0  (session 0, h.jsonl:3)                   read(x) = 0, write(y, 1)'
"$VISAR" check - --level ser <h.jsonl | grep -qF '(session 0, line 3)' && ok standard_input || bad standard_input "no line 3"
gzip -k h.jsonl && text compressed h.jsonl.gz '(session 0, h.jsonl.gz:3)'

# What the engine is asked is another history where rows are searched, and the lines are the file's.
cat >p.jsonl <<'J'
{"visar-history": 1, "default": null}
{"session": 0, "ops": [["predicate", [["c", "=", 1]], []], ["w", "a", {"c": 1}]]}

{"session": 1, "ops": [["predicate", [["c", "=", 1]], []], ["w", "b", {"c": 1}]]}
J
places predicates p.jsonl 'p.jsonl:2 p.jsonl:4'
cat >l.jsonl <<'J'
{"visar-history": 1}
{"session": 0, "ops": [["r", "x", []], ["append", "y", 1]]}
{"session": 1, "ops": [["r", "y", []], ["append", "x", 1]]}
{"session": 2, "ops": [["r", "y", [1]], ["r", "x", [1]]]}
J
places lists l.jsonl 'l.jsonl:2 l.jsonl:3'

# Transactions begin where they are invoked.
cat >e.edn <<'E'
; a comment
[{:type :invoke, :f :txn, :value [[:r :x nil] [:w :y 1]], :process 0, :index 0}
 {:type :invoke, :f :txn,
  :value [[:r :y nil] [:w :x 1]], :process 1, :index 1}
 {:type :ok, :f :txn, :value [[:r :x nil] [:w :y 1]], :process 0, :index 2}
 {:type :ok, :f :txn, :value [[:r :y nil] [:w :x 1]], :process 1, :index 3}]
E
places edn e.edn 'e.edn:2 e.edn:3'
grep :ok e.edn | tr -d ']' | sed 's/nil/nil]/; s/ 1, :process/ 1]], :process/' >c.edn
places edn_completions c.edn 'c.edn:1 c.edn:2'
cat >e.json <<'J'
[{"type":"invoke","f":"txn","value":[["r","x",null],["w","y",1]],"process":0,"index":0},
 {"type":"ok","f":"txn","value":[["r","x",null],["w","y",1]],"process":0,"index":1},
 {"error":["a",
           "b"],"type":"invoke","f":"txn","value":[["r","y",null],["w","x",1]],"process":1,"index":2},
 {"type":"ok","f":"txn","value":[["r","y",null],["w","x",1]],"process":1,"index":3}]
J
places elle e.json 'e.json:1 e.json:3'

printf '\nr(1,0,0,1)\nr(2,0,1,2)\nw(2,5,0,1)\nw(1,6,1,2)\n' >plume.txt
places plume plume.txt 'plume.txt:2 plume.txt:3'
printf -- 'r 1 0\nw 2 5\n=====\n\nr 2 0\nw 1 6\n' >blocks.txt
places blocks blocks.txt 'blocks.txt:1 blocks.txt:5'
"$VISAR" convert blocks.txt --to dbcop --out h.bincode 2>"$dir/err" || bad convert "$(cat "$dir/err")"
# Five numbers, three strings ("visar" and two of no letters), the number of sessions and that of the
# first one's transactions; one transaction of two events of 18 bytes, and the next number.
places dbcop h.bincode 'h.bincode:byte 138 h.bincode:byte 85'
text dbcop_text h.bincode '(session 0, h.bincode: byte 85)'

mkdir viper cobra
echo '{"value": [["r", "x", 0], ["w", "y", 1]]}' >viper/J0.log
printf '{"value": [["w", "z", 1]]}\n\n{"value": [["r", "y", 0], ["w", "x", 1]]}\n' >viper/J1.log
places viper viper 'viper/J0.log:1 viper/J1.log:3'
text viper_text viper '(session J1, J1.log:3)'
python3 - <<'P'
import struct
def log(name, *txns):
    b = b""
    for number, key, write in txns:
        b += b"S" + struct.pack(">Q", number)
        if key:
            b += b"R" + struct.pack(">QQQQ", 0xbebeebee, 0xbebeebee, key, 0)
        b += b"W" + struct.pack(">QQQ", 100 + number, write, 200 + number) + b"C" + struct.pack(">Q", number)
    open("cobra/" + name, "wb").write(b)
log("T1.log", (1, 7, 8))
log("T2.log", (2, 0, 9), (3, 8, 7))
P
places cobra cobra 'cobra/T1.log:byte 0 cobra/T2.log:byte 43'
exit $rc
