#!/bin/bash
# What `verify` and `weakest` say besides the verdict: what is known when the time is up, and how a
# violation is told.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# says NAME TEXT ARGUMENTS…: the output, as one line with single blanks, contains the text.
says() {
    local name=$1 text=$2; shift 2
    "${VISAR:?}" "$@" >out 2>err
    tr -s '\n\302\240 ' ' ' <out | grep -qF -- "$text" && ok "$name" || bad "$name" "no '$text': $(head -20 out err)"
}

# ---- finished proofs are kept ----
# The proof of `fits` takes no time.  `small` is not inductive, so the rule tries again with facts
# about how fields change, and of those of `mix` none is settled soon.
cat >kept.c <<'C'
#include <visar.h>
typedef unsigned long long word;
DATABASE int used, level;
DATABASE struct { word a, b, c, d, e, f; } mix;
INITIAL void opening(void) { level = 1; }
TRANSACTION void take(void) { if (used < 10) used = used + 1; }
TRANSACTION void stir(word k)
{
    mix.a = mix.a * (k | 1) * mix.b ^ mix.c * mix.c;
    mix.b = mix.b * (k | 3) * mix.c ^ mix.d * mix.d;
    mix.c = mix.c * (k | 5) * mix.d ^ mix.e * mix.e;
    mix.d = mix.d * (k | 7) * mix.e ^ mix.f * mix.f;
    mix.e = mix.e * (k | 9) * mix.f ^ mix.a * mix.a;
    mix.f = mix.f * (k | 11) * mix.a ^ mix.b * mix.b;
}
TRANSACTION void rise(void) { if (level < 100) level = level + 1; }
INVARIANT bool fits(void) { return used <= 10; }
INVARIANT bool small(void) { return level != 50; }
C
# patiently COMMAND…: with 3 seconds, which are enough unless the machine has much else to do; else with more.
patiently() {
    for seconds in 3 10 30 100 300; do "$@" && return; done
}
proof_is_kept() {
    "$VISAR" verify kept.c --model si --prove --timeout $seconds >out 2>err # in the report, or if the solver does not stop, among what is known
    grep -qE 'PROVED +(invariant )?fits' out
}
patiently proof_is_kept && ok proofs_are_kept || bad proofs_are_kept "$(cat out)"
[ -s err ] && bad no_progress_in_files "$(cat -v err)" || ok no_progress_in_files

# ---- progress, on a terminal only ----
shows_progress() {
    python3 "$ROOT/tests/cli/terminal.py" "$VISAR" verify kept.c --model si --prove --timeout $seconds >out 2>&1
    grep -q $'\r\033\\[Kverifying under si … [0-9]* s' out
}
patiently shows_progress && ok progress || bad progress "$(cat -v out)"
[ "$(tail -c 4 out)" = $'\r\033[K' ] && ok progress_is_erased || bad progress_is_erased "$(cat -v out)"
python3 "$ROOT/tests/cli/terminal.py" "$VISAR" verify kept.c --model si --prove --timeout 3 --quiet >out 2>&1
[ -s out ] && bad no_progress_when_quiet "$(cat -v out)" || ok no_progress_when_quiet

# ---- fields that are carried over ----
# note() has read the row, so there is no read of its own for what it keeps: its write says so.
cat >carried.c <<'C'
#include <visar.h>
DATABASE struct { int on, seats, note; } r;
INITIAL void i(void) { r.on = 1; r.seats = 5; }
TRANSACTION void shut(void) { r.on = 0; }
TRANSACTION void note(int n) { if (r.on == 1) r.note = n; }
SCENARIO void s(void) { shut(); note(4); }
FINAL bool closed(void) { return r.on == 0; }
C
says carried_over 'writes r.note = 4; with it r.on keeps the value that was read, 1, which undoes r.on = 0 of shut()' verify carried.c --model cc
says carried_over_rc 'which undoes r.on = 0 of shut()' verify carried.c --model rc
# A write of a row that was not read reads the other fields itself.
sed 's/if (r.on == 1) //' carried.c >blind.c
says kept 'keeps r.on = 1, r.seats = 5 from the initial state, although shut() had already changed r.on to 0' verify blind.c --model cc
# Nothing is undone: the transaction sees the change.
sed -i 's/note(4); }/SESSION { shut(); note(4); } }/; s/r.on == 0; }/r.on == 2; }/' carried.c
"$VISAR" verify carried.c --model ser >out; grep -q undoes out && bad nothing_undone "$(cat out)" || ok nothing_undone

# ---- values of transactions that did not commit ----
cat >rolled.c <<'C'
#include <visar.h>
DATABASE int x;
TRANSACTION int get(int k) { int v = x; if (v == 0) rollback(); return v + k; }
TRANSACTION int put(void) { x = 1; return 8; }
SCENARIO void s(void) { int q = put(); int r = get(3); assert(r == 4 || q != 8); }
C
says rolled_back_value 'rolls back at rolled.c:3: no effect returns nothing, for it did not commit: its caller goes on with any value, here' verify rolled.c --model cc
says returned_value 'returns 8' verify rolled.c --model cc

# ---- the one line about an execution ----
# arm() is not part of the cycle, but without it there is none; idle() has nothing to do with it.
cat >three.c <<'C'
#include <visar.h>
DATABASE int x, y, z, w;
TRANSACTION void arm(void) { z = 1; }
TRANSACTION void idle(void) { w = 1; }
TRANSACTION void a(void) { if (y == 0 && z == 1) x = 1; }
TRANSACTION void b(void) { if (x == 0 && z == 1) y = 1; }
SCENARIO void s(void) { arm(); idle(); a(); b(); }
FINAL bool f(void) { return !(x == 1 && y == 1); }
C
says those_that_matter 'write skew of a() and b(), with arm(); then f is false' weakest three.c
cat >six.c <<'C'
#include <visar.h>
DATABASE int x[6];
TRANSACTION void set(int i) { assume(i >= 0 && i < 6); if (x[(i + 1) % 6] == 0) x[i] = 1; }
SCENARIO void s(void) { set(0); set(1); set(2); set(3); set(4); set(5); }
FINAL bool f(void) { return !(x[0] && x[1] && x[2] && x[3] && x[4] && x[5]); }
C
says all_that_matter 'write skew of set(0), set(1), set(2), set(3), set(4) and set(5);' weakest six.c

# ---- many reads that found nothing are one line ----
cat >scan.c <<'C'
#include <visar.h>
DATABASE struct { bool used; int name; } user[60];
TRANSACTION void add(int name, int slot)
{
    assume(slot >= 0 && slot < 60 && name > 0);
    for (int k = 0; k < 60; k++)
        if (user[k].used && user[k].name == name)
            rollback();
    if (!user[slot].used) { user[slot].used = true; user[slot].name = name; }
}
SCENARIO void s(void) { add(7, 3); add(7, 8); }
FINAL bool unique(void) { return !(user[3].used && user[8].used && user[3].name == user[8].name); }
C
says absent_rows 'reads each of user[0] to user[59]: used = false, name = 0 from the initial state writes' verify scan.c --model si
says absent_rows_rc 'reads each of user[4] to user[59]: used = false, name = 0 (line 7) from the initial state' verify scan.c --model rc
# Two places in one loop that is no fold: their reads alternate, and are told as two lines.
cat >loop.c <<'C'
#include <visar.h>
DATABASE struct { bool used; int name; } user[20];
TRANSACTION void put(int k) { assume(k >= 0 && k < 20); user[k].used = true; user[k].name = 1; }
TRANSACTION void sum(void)
{
    int n = 0, m = 0;
    for (int k = 0; k < 19; k++) {
        n += user[k].used;
        m += user[k].name;
    }
    assert(n == m);
}
SCENARIO void s(void) { put(0); sum(); }
C
says two_places_in_a_loop 'reads each of user[1] to user[18]: used = false (line 8) from the initial state reads' verify loop.c --model rc

# ---- where a transaction stands: its call in the scenario, else its definition ----
cat >places.c <<'C'
#include <visar.h>
DATABASE int x, y;
TRANSACTION void t(void) { x = y + 1; }
INITIAL void i(void) { x = 0; }
INVARIANT bool ok(void) { return x <= 0; }
C
says defined_at '1. t(), places.c:3' verify places.c
echo 'SCENARIO void s(void) { t(); }' >>places.c
says called_at '1. t(), called at places.c:6' verify places.c
"$VISAR" verify places.c --json | python3 -c 'import json, sys
t = json.load(sys.stdin)["results"][0]["verdicts"][0]["execution"]["transactions"][0]
sys.exit((t["definition"]["line"], t["call"]["line"]) != (3, 6))' && ok places_json || bad places_json "not lines 3 and 6"

# ---- the line of a transaction in the history file ----
cat >h.jsonl <<'J'
{"visar-history": 1, "default": 0}

{"session": 0, "ops": [["r", "x", 0], ["w", "x", 1]]}
{"session": 1, "ops": [["r", "x", 0], ["w", "x", 2]]}
J
"$VISAR" check h.jsonl --level si --json | python3 -c 'import json, sys
t = json.load(sys.stdin)["levels"][0]["transactions"]
sys.exit(sorted(x["line"] for x in t) != [3, 4])' && ok history_lines || bad history_lines "not lines 3 and 4"

# ---- --help has what has an effect ----
for pair in check:--seed check:--jobs models:--timeout completion:--json; do
    "$VISAR" "${pair%:*}" --help | grep -q -e " ${pair#*:}" && bad "help_$pair" "is shown" || ok "help_$pair"
done
for pair in generate:--seed verify:--jobs check:--timeout models:--json; do
    "$VISAR" "${pair%:*}" --help | grep -q -e " ${pair#*:}" && ok "help_$pair" || bad "help_$pair" "is not shown"
done
"$VISAR" models --timeout 5 --jobs 2 >/dev/null && ok idle_options_are_taken || bad idle_options_are_taken "exit $?"

# ---- no INITIAL ----
cat >anywhere.c <<'C'
#include <visar.h>
DATABASE int x, y;
TRANSACTION void t(void) { x = y + 1; }
INVARIANT bool ok(void) { return x >= 0; }
C
says no_initial_violated 'No model is enough: not even serializability. no INITIAL: started in any state' weakest anywhere.c
says no_initial_json '"from_invariants": true' weakest anywhere.c --json

# ---- a level for each transaction: a reason for each ----
# However early the time ends, every transaction that is not at the lowest level has its lines.
cat >slow.c <<'C'
#include <visar.h>
DATABASE int a, b, c, d;
INITIAL void i(void) { a = 1; b = 1; c = 1; d = 1; }
TRANSACTION void ta(void) { if (a + b + c + d > 1) a = 0; }
TRANSACTION void tb(void) { if (a + b + c + d > 1) b = 0; }
TRANSACTION void tc(void) { if (a + b + c + d > 1) c = 0; }
TRANSACTION void td(void) { if (a + b + c + d > 1) d = 0; }
INVARIANT bool one(void) { return a + b + c + d >= 1; }
C
for seconds in 0.3 0.6 1 2; do
    "$VISAR" weakest slow.c --per-transaction --timeout $seconds >out 2>&1
    grep -A1 'not lower:' out | grep -v -e 'not lower:' -e '^--' -e '^      at ' >left
    [ -s left ] && bad "reasons_in_$seconds" "$(cat out)" || ok "reasons_in_$seconds"
done

exit $rc
