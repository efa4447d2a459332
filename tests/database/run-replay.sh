#!/bin/bash
# visar replay against a private PostgreSQL: every violated example at the level that fits its model
# and at SERIALIZABLE, the recorded histories checked, hostile names, bad input.
# Not in --quick.
. "$ROOT/tests/database/cluster.sh"
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
missing=$(cluster_missing)
[ -z "$missing" ] || { echo "skip replay: $missing"; exit 0; }
dir=$(mktemp -d)
trap 'cluster_stop; rm -rf "$dir"' EXIT
cluster_start || { bad cluster "PostgreSQL does not start"; exit 1; }
cd "$dir" || exit 1
sql() { psql -XAtq "$url" -c "$1"; }
tester=$(ls /usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester 2>/dev/null | tail -1)

# What PostgreSQL cannot show at a level: what the model that the level is does not have, in any
# execution.  READ COMMITTED is rcs, REPEATABLE READ si.
inexpressible() { # the models' expected verdicts, model
    case $2 in
    ser) return 1 ;;
    si | psi) [[ $1 == *' si=holds '* ]] ;;
    *) [[ $1 == *' rcs=holds '* ]] ;;
    esac
}
level_of() { case $1 in ser) echo SERIALIZABLE ;; si | psi) echo 'REPEATABLE READ' ;; *) echo 'READ COMMITTED' ;; esac; }
field() { sed -n "s/^ *\"$2\": \"\(.*\)\",\?\$/\1/p" "$1" | head -1; }
# The history of a replay says what the report said: allowed at the level it ran at, and refused,
# with the same anomaly, by the model that rules the execution out.
check_history() { # name, level
    local by got name
    case $2 in S*) by=ser ;; REP*) by=si ;; *) by=rcs ;; esac
    "$VISAR" check h.jsonl --level $by --quiet >err 2>&1 || bad "$1_history" "$(head -1 err)"
    by=$(field replay.json ruled_out_by) name=$(field replay.json anomaly)
    # The server gets each read of a statement as a statement of its own, so rcs may rule out the one and not the other.
    [ -n "$by" ] && [ "$by" != rcs ] || return
    "$VISAR" check h.jsonl --level "$by" --json >check.json 2>&1
    got=$(field check.json name)
    [ "$got" = "$name" ] || bad "$1_anomaly" "visar check --level $by: '$got', not '$name'"
}

# The spec is what isolationtester reads: by the tester itself if it is there, by its grammar always.
check_spec() { # name, file, the level that it was made for: does no statement fail?
    python3 "$ROOT/tests/database/isolation_spec.py" "$2" >iso.out 2>&1 || { bad "$1_spec" "$(head -1 iso.out)"; return; }
    [ -n "$tester" ] || return
    "$tester" "host=127.0.0.1 port=$port user=visar dbname=postgres" <"$2" >iso.out 2>&1 &&
        ! grep -q ERROR iso.out || bad "$1_spec" "isolationtester: $(grep -m1 -i error iso.out)"
}

# ---- every violated example, under every model that it is violated under ----
reproduced=0 refused=0 not_expressible=0 serial=0 pairs=0 searched=0
# (Those of examples/databases are about row locks and single statements, which the models here do not have.)
for file in "$ROOT"/examples/*.c "$ROOT"/examples/*/*.c; do
    case $file in */examples/databases/*) continue ;; esac
    example=$(basename "$file" .c)
    expect=" $(sed -n 's/.*expect: //p' "$file") "
    violated=$(tr ' ' '\n' <<<"$expect" | sed -n 's/=violated//p')
    [ -n "$violated" ] || continue
    "$VISAR" verify "$file" --model "$(echo $violated | tr ' ' ',')" --json >cex.json 2>err
    [ $? -eq 10 ] || { bad "$example" "visar verify: $(head -1 err)"; continue; }
    for model in $violated; do
        name=${example}_$model level=$(level_of "$model") failures=$rc
        pairs=$((pairs + 1))
        # Row locks do more than the models say (docs/language.md): who waits cannot go on.
        waits=; grep -q 'for_update(' "$file" && waits=1
        if [ -n "$waits" ] || inexpressible "$expect" "$model"; then want=5 outcome='not expressible'; else want=10 outcome=reproduced; fi
        "$VISAR" replay cex.json --model "$model" --on "$url" --json --save-history h.jsonl --spec cex.spec >replay.json 2>err; got=$?
        # Eventual consistency has executions that READ COMMITTED has not, though others break the property there.
        [ $got -ne 5 ] || [ $model != ec ] || ! grep -q 'that READ COMMITTED does not have' replay.json || want=5 outcome='not expressible' waits=
        [ $got -eq $want ] && [ "$(field replay.json outcome) at $(field replay.json isolation)" = "$outcome at $level" ] ||
            bad "$name" "exit $got: $(field replay.json outcome) $(field replay.json reason) $(head -1 err)"
        if [ $got -eq 10 ]; then
            reproduced=$((reproduced + 1))
            grep -q '"evaluated": true' replay.json || bad "$name" "not evaluated: $(field replay.json not_evaluated)"
            [ "$(field replay.json schedule)" = certificate ] || searched=$((searched + 1))
            check_history "$name" "$level"
            check_spec "$name" cex.spec
        else
            not_expressible=$((not_expressible + 1))
            [ -z "$waits" ] || grep -q 'waits for a row that another transaction holds' replay.json || bad "$name" "$(field replay.json reason)"
        fi
        # SERIALIZABLE refuses, unless the execution is serial or PostgreSQL cannot even try.
        [ $want -eq 5 ] || [[ $expect == *' ser=violated '* ]] || want=0
        out=$("$VISAR" replay cex.json --model "$model" --on "$url" --quiet --isolation serializable 2>&1); got=$?
        [ $got -eq $want ] || bad "${name}_serializable" "exit $got, not $want: $out"
        [ $want -ne 0 ] || [[ $out == REFUSED*'SQLSTATE 40001'* || $out == REFUSED*'the execution has '* ]] ||
            bad "${name}_serializable" "$out"
        [ $got -ne 0 ] || refused=$((refused + 1))
        [ $got -ne 10 ] || serial=$((serial + 1))
        [ $rc -ne $failures ] || ok "$name"
    done
done
echo "# $pairs examples and models: $reproduced reproduced at the matching level ($searched not in the certificate's order), $not_expressible not expressible;"
echo "# at SERIALIZABLE $refused refused, $serial reproduced because they are serial"
[ $((reproduced + not_expressible)) -eq $pairs ] && [ $reproduced -gt 100 ] && [ $searched -eq 0 ] && ok coverage || bad coverage "$reproduced of $pairs, $searched searched"
[ -n "$tester" ] || echo "skip isolationtester: it is not installed"

# ---- the property is judged by what the server answered ----
replay() { # name, code, pattern, arguments: of the last counterexample
    local name=$1 code=$2 pattern=$3; shift 3
    out=$("$VISAR" replay cex.json --on "$url" "$@" 2>&1); local got=$?
    [ $got -eq "$code" ] && grep -q -- "$pattern" <<<"$out" && ok "$name" || bad "$name" "exit $got, no '$pattern': $(tail -1 <<<"$out")"
}
verify() { "$VISAR" verify "$@" --json >cex.json 2>err || [ $? -eq 10 ] || bad "$1" "$(head -1 err)"; }
# A row that everybody only locks: the second waits for the lock and goes on with its old snapshot, also where the lock
# is the only statement before the writes (another one then takes the snapshot).  At READ COMMITTED it would see the first.
for reads in 'booked[1 - who]' 'false'; do
    cat >gate.c <<C
#include <visar.h>
DATABASE int gate;
DATABASE bool booked[2];
TRANSACTION void book(int who) { assume(who == 0 || who == 1); for_update(gate); if (!($reads)) booked[who] = true; }
INVARIANT bool once(void) { return !(booked[0] && booked[1]); }
SCENARIO void two(void) { book(0); book(1); }
C
    verify gate.c --model si
    replay "gate_${reads%%[!a-z]*}" 10 '^REPRODUCED on PostgreSQL .* at REPEATABLE READ'
done
sed -i 's/(false)/(booked[1 - who])/' gate.c
verify gate.c --model rcs
replay gate_rcs 5 '^NOT EXPRESSIBLE on PostgreSQL: row locks prevent it: .*only a read under the models below psi'
cat >twice.c <<'C'
#include <visar.h>
DATABASE struct { int n, m; } a, b;
TRANSACTION void put(void) { a.n = a.n + 1; b.n = b.n + 1; }
TRANSACTION void look(int z) { assume(z == 2); int x = a.n; assert(x == b.n); int y = a.n; assert(y == x || z != 2); }
SCENARIO void s(void) { put(); look(2); }
C
for model in rc rcs; do
    verify twice.c --model $model
    replay assertion_$model 10 'assertion x == b.n fails (evaluated on what the server answered)'
    replay assertion_${model}_refused 0 'REFUSED.*the execution has' --isolation repeatable-read
done
sed -i 's/x == b.n/b.n >= x/' twice.c
replay other_property 5 'with these answers x == b.n holds: is twice.c still the program'
sed -i 's/b.n + 1/b.n + 2/' twice.c
replay other_program 5 'put() writes something else, run on what the server answered'
echo '#error LIMIT is missing' >twice.c
replay does_not_compile 5 "^NOT EVALUATED on .* fails on them is not known: twice.c does not compile here; the compiler flags that it needs follow '--'"
replay does_not_compile_so 5 '^NOT EVALUATED .*: twice.c does not compile here with these flags' -- -DLIMIT=1
rm twice.c
replay no_program 5 '^NOT EVALUATED .*: twice.c is not there'
replay no_program_json 5 '"outcome": "not evaluated"' --json
replay no_program_reason 5 '"reason": "twice.c is not there"' --json
cat >scenario.c <<'C'
#include <visar.h>
DATABASE int x, y, z;
TRANSACTION int a(void) { for_update(x); int n = y; x = 1; return n; }
TRANSACTION int b(void) { y = 1; return z; }
TRANSACTION int c(int k) { assume(k == 3); int i = nondet_int(); assume(i > 5 && i < 8); z = k + i; return x; }
SCENARIO void s(void) { int k = nondet_int(); int p = a(), q = b(), r = c(k); assert(p || q || r); }
C
for model in si pc ra rc; do
    verify scenario.c --model $model
    replay scenario_assertion_$model 10 'assertion p || q || r fails (evaluated on'
    replay scenario_assertion_${model}_refused 0 'SQLSTATE 40001' --isolation serializable
done
cat >division.c <<'C'
#include <visar.h>
DATABASE int n = 1, q, m = 1;
TRANSACTION void clear(void) { n = 0; m = 0; }
TRANSACTION void divide(void) { if (m != 0) q = 6 / n; }
SCENARIO void s(void) { clear(); divide(); }
C
verify division.c --model rcs
replay check_rcs 10 'division check .* fails (evaluated on'
cat >nosession.c <<'C'
#include <visar.h>
DATABASE int x;
TRANSACTION void put(void) { x = 1; }
TRANSACTION void look(void) { assert(x == 1); }
SCENARIO void s(void) { SESSION { put(); look(); } }
C
verify nosession.c --model si --no-session-order
replay without_session_order 10 'assertion x == 1 fails (evaluated on'
# Locks: the order of the certificate may not be possible, but another one is.
cat >locks.c <<'C'
#include <visar.h>
DATABASE int x, y;
TRANSACTION int one(void) { for_update(x); int n = y; return n + x; }
TRANSACTION void two(void) { for_update(x); y = 1; x = 1; }
TRANSACTION int three(void) { int n = x; return n - y; }
SCENARIO void s(void) { int p = one(); two(); int q = three(); assert(p != 0 || q != 0); }
C
verify locks.c --model rcs
replay locks 10 'REPRODUCED'
"$VISAR" replay cex.json --spec locks.spec && check_spec locks locks.spec

# ---- hostile names ----
# Existing tables are not touched, whatever a counterexample calls its own.
sql 'CREATE TABLE account (balance int); INSERT INTO account VALUES (7); CREATE TABLE victim (x int); INSERT INTO victim VALUES (1)'
"$VISAR" verify "$ROOT/examples/bank.c" --model si --json >bank.json
long=$(printf 'a%.0s' {1..120})
hostile() { # name, how the table is called, how its field is called (both as in JSON)
    sed -e "s|\"table\": \"account\"|\"table\": \"$2\"|" -e "s|\"path\": \".balance\"|\"path\": \".$3\"|" \
        -e "s|\"row\": \"account\[|\"row\": \"$2[|" -e 's|"file": ".*bank.c"|"file": "no such file.c"|' bank.json >hostile.json
    out=$("$VISAR" replay hostile.json --on "$url" --save-history h.jsonl --spec h.spec 2>&1); got=$?
    [ $got -eq 5 ] && grep -q '^NOT EVALUATED .*: no such file.c is not there' <<<"$out" || { bad "hostile_$1" "exit $got: $out"; return; }
    "$VISAR" check h.jsonl --level ser --quiet >/dev/null; [ $? -eq 10 ] || { bad "hostile_$1" "the history is not refused"; return; }
    grep -q "$(printf '\033')" <<<"$out" && { bad "hostile_$1" "an escape sequence reaches the terminal"; return; }
    check_spec "hostile_$1" h.spec
    [ "$(sql 'SELECT balance FROM account') $(sql 'SELECT x FROM victim')" = '7 1' ] || { bad "hostile_$1" "an existing table was touched"; return; }
    ok "hostile_$1"
}
hostile plain account balance
hostile injection 'a\\"; DROP TABLE victim; --' 'b\\" int); DROP TABLE account; --'
hostile quotes "it's \\\\\"quoted\\\\\"" "'); DELETE FROM victim; --"
hostile braces '} teardown { DROP TABLE victim; }' '{}'
hostile newline 'a\\nb' 'c\\td'
hostile escape 'a\\u001b[31mred' 'b\\u0007'
hostile backslash 'a\\\\007Db' 'c\\\\'
hostile dollar '$1' '$$'
hostile keyword select where
hostile version '#version' '#0'
hostile unicode 'Ökonomie €' '数'
hostile empty '' ''
hostile long "$long" "$long"
sed -e 's/"value": 60/"value": "60; DROP TABLE victim"/' bank.json >value.json
"$VISAR" replay value.json --on "$url" >out 2>&1
[ $? -eq 2 ] && ok hostile_value || bad hostile_value "$(cat out)"

# ---- bad input ----
expect_exit() { # name, code, arguments
    local name=$1 code=$2; shift 2
    "$VISAR" "$@" >out 2>&1; local got=$?
    [ $got -eq "$code" ] && [ -s out ] && ok "$name" || bad "$name" "exit $got, not $code: $(head -1 out)"
}
echo '{' >broken.json; echo '{}' >empty.json; head -c 3000 bank.json >torn.json
"$VISAR" verify "$ROOT/examples/bank.c" --model ser --json >holds.json
expect_exit no_file 1 replay --on "$url"
expect_exit no_server 1 replay bank.json
expect_exit not_json 2 replay broken.json --on "$url"
expect_exit not_a_report 2 replay empty.json --on "$url"
expect_exit torn_report 2 replay torn.json --on "$url"
expect_exit nothing_violated 2 replay holds.json --on "$url"
expect_exit other_model 2 replay bank.json --model rc --on "$url"
expect_exit unreachable 2 replay bank.json --on "postgresql://visar@127.0.0.1:1/postgres"
expect_exit bad_url 2 replay bank.json --on "postgresql://%%%"
# A counterexample that was changed by hand: one line that says where.
damaged() { # name, sed expression, the message
    sed -e "$2" bank.json >damaged.json
    "$VISAR" replay damaged.json --on "$url" >out 2>&1; local got=$?
    [ $got -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -q 'damaged.json: ' out && grep -qF "$3" out && ok "damaged_$1" || bad "damaged_$1" "exit $got: $(head -2 out)"
}
damaged schema 's|visar/1|visar/2|' 'schema: expected "visar/1", found "visar/2"'
damaged model 's|"model": "si"|"model": "zzz"|' 'results[0].model: expected the name of a model, found "zzz"'
damaged level 's|"level": "si"|"level": "zzz"|' 'results[0].verdicts[0].execution.transactions[0].level: expected the name of a model'
damaged session 's|"session": 1|"session": -1|' 'transactions[1].session: expected an integer from 0 to 999, found -1'
damaged value '0,/"value": 60/s//"value": 61/' 'has another value than the initial state'
sql "CREATE ROLE reader LOGIN" && sql "REVOKE CREATE ON DATABASE postgres FROM PUBLIC"
expect_exit no_permission 2 replay bank.json --on "postgresql://reader@127.0.0.1:$port/postgres"
left=$(sql "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'visar%'")
[ "$left" = 0 ] && ok nothing_left_behind || bad nothing_left_behind "$left schemas"
exit $rc
