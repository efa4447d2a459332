#!/bin/bash
# What `visar record` and `visar replay` write for a row is what `visar verify --save-history` writes:
# numbers are numbers, rows are objects of their fields.
. "$ROOT/tests/database/cluster.sh"
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
missing=$(cluster_missing)
[ -z "$missing" ] || { echo "skip values: $missing"; exit 0; }
dir=$(mktemp -d)
trap 'cluster_stop; rm -rf "$dir"' EXIT
cluster_start || { bad cluster "PostgreSQL does not start"; exit 1; }
cd "$dir" || exit 1
cat >seats.c <<'C'
#include <visar.h>
enum kind { PLAIN, FIRST };
DATABASE struct { int owner; bool taken; enum kind kind; unsigned long long code; int value; } seat[2];
DATABASE int sold;
DATABASE bool open;
TRANSACTION void book(int i, int who) {
    assume(i >= 0 && i < 2);
    if (!seat[i].taken) {
        seat[i].taken = true;
        seat[i].owner = who;
        seat[i].kind = FIRST;
        seat[i].code = ~0ull;
        sold = sold + 1;
        open = !open;
    } else
        rollback();
}
INVARIANT bool counted(void) { return sold == seat[0].taken + seat[1].taken; }
C
has() { # name, file, text...
    local name=$1 file=$2 text; shift 2
    for text in "$@"; do
        grep -qF -- "$text" "$file" || { bad "$name" "no $text in $(head -c 1500 "$file")"; return; }
    done
    grep -q '"(\|"[0-9]*"[],]' "$file" && bad "$name" "texts for numbers: $(head -c 1500 "$file")" || ok "$name"
}
before='{"code":0,"kind":"PLAIN","owner":0,"taken":0,"value_":0}'
"$VISAR" record --on "$url" --out recorded.jsonl --lockstep --workload seats.c --txns 40 --isolation serializable >record.out 2>&1
[ $? -eq 0 ] && ok record || bad record "$(cat record.out)"
has recorded recorded.jsonl "[\"seat[0]\",$before]" '["sold",0]' '["open",0]' '["w","sold",1,' '["w","open",1,' \
    '{"code":"18446744073709551615u","kind":"FIRST","owner":'
"$VISAR" check recorded.jsonl --level ser --quiet >check.out 2>&1 && ok recorded_is_read || bad recorded_is_read "$(cat check.out)"
[ "$(grep -c 'rolled back by the program itself' record.out)" -eq 1 ] && ok rolled_back_once || bad rolled_back_once "$(cat record.out)"

"$VISAR" verify seats.c --model rc --json --save-history saved.jsonl >cex.json 2>err
has saved saved.jsonl "[\"seat[0]\",$before]" '["sold",0]'
"$VISAR" replay cex.json --on "$url" --save-history replayed.jsonl >replay.out 2>&1
[ $? -eq 10 ] && ok replay || bad replay "$(cat replay.out)"
# A counterexample gives enumerators as numbers, and so does its replay.
has replayed replayed.jsonl "[\"seat[0]\",${before/\"PLAIN\"/0}]" '["sold",0]' '"code":"18446744073709551615u"'
"$VISAR" check replayed.jsonl --level rc --quiet >check.out 2>&1 && ok replayed_is_read || bad replayed_is_read "$(cat check.out)"
exit $rc
