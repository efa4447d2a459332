#!/bin/bash
# One number per session, the file's own: in text, JSON, graphs, certificates and orders.
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
# Sessions 7, 2, 0 in order of appearance; a write skew of 7 and 2.
cat >h.jsonl <<'E'
{"visar-history":1,"default":0}
{"session":7,"ops":[["w","z",5]]}
{"session":7,"ops":[["r","x",0],["r","y",0],["w","x",1]]}
{"session":2,"ops":[["r","x",0],["r","y",0],["w","y",2]]}
{"session":0,"ops":[["r","x",1],["r","y",2]]}
E
"$VISAR" check h.jsonl --level ser >text; got=$?
[ $got -eq 10 ] && grep -q '^  T7.1  *(session 7, h.jsonl:3)' text && grep -q '^  T2.0  *(session 2, h.jsonl:4)' text && ! grep -q 'T0\.1\|T1\.0' text && ok text || bad text "$(cat text)"
"$VISAR" check h.jsonl --level ser --json >json
python3 - <<'E' && ok json || bad json "$(cat json)"
import json
levels = json.load(open("json"))["levels"]
txns = {t["name"]: t["session"] for t in levels[0]["transactions"]}
assert txns["T7.1"] == 7 and txns["T2.0"] == 2, txns
E
"$VISAR" check h.jsonl --level ser --quiet --dot g.dot >/dev/null
grep -q 'T7.1 (session 7)' g.dot && grep -q 'T2.0 (session 2)' g.dot && ok dot || bad dot "$(cat g.dot)"
"$VISAR" check h.jsonl --level ser --quiet --certificate no.cert >/dev/null
grep -q '7\.1' no.cert && ! grep -q '1\.0' no.cert && ok violation_certificate || bad violation_certificate "$(cat no.cert)"
"$VISAR" check h.jsonl --verify-certificate no.cert --quiet >out 2>&1 && ok violation_certificate_checked || bad violation_certificate_checked "$(cat out)"
"$VISAR" check h.jsonl --level si --quiet --certificate yes.cert >/dev/null
sed -n 's/^c //p' yes.cert | sort | tr '\n' ' ' >names
[ "$(cat names)" = '0.0 2.0 7.0 7.1 ' ] && ok certificate || bad certificate "$(cat yes.cert)"
"$VISAR" check h.jsonl --verify-certificate yes.cert --quiet >out 2>&1 && ok certificate_checked || bad certificate_checked "$(cat out)"
# A serialization order names them so, too.
grep -v '"session":2' h.jsonl | sed 's/\["r","y",2\]/["r","y",0]/' >serial.jsonl
printf '7.0\n7.1\n0.0\n' >order
"$VISAR" check serial.jsonl --order order --quiet >out 2>&1 && ok order || bad order "$(cat out)"
printf '7.0\n1.0\n0.0\n' >order
"$VISAR" check serial.jsonl --order order --quiet >out 2>&1; [ $? -eq 2 ] && ok order_of_places || bad order_of_places "$(cat out)"
# A conversion keeps them.
"$VISAR" convert h.jsonl --out again.jsonl 2>/dev/null
"$VISAR" check again.jsonl --level ser | sed 's/again.jsonl/h.jsonl/' | cmp -s - text && ok converted || bad converted "$("$VISAR" check again.jsonl --level ser)"
# Names stand for themselves, and never for another session's number.
sed 's/"session":7/"session":"teller"/; s/"session":2/"session":0/; s/"session":0/"session":2/' h.jsonl >mixed.jsonl
sed -i 's/"session":"teller"/"session":"a"/' mixed.jsonl
"$VISAR" check mixed.jsonl --dump history | sed -n 's/^session //p' >out
[ "$(cut -d' ' -f1 out | sort | uniq -d)" = '' ] && grep -q ' a$' out && ok names || bad names "$(cat out)"
exit $rc
