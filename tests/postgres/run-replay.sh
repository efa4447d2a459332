#!/bin/bash
# visar replay against a private PostgreSQL: every violated example at the level that fits its model
# and at SERIALIZABLE, the recorded histories checked, hostile names, bad input.
. "$ROOT/tests/postgres/cluster.sh"
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

# What PostgreSQL cannot show: its commits have one order, and everybody sees a prefix of it.
inexpressible() {
    case $1-$2 in
    long_fork-* | overlapping_unions-* | union_snapshot-* | post_comment-*) return 0 ;;
    esac
    return 1
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
    [ -n "$by" ] || return
    "$VISAR" check h.jsonl --level "$by" --json >check.json 2>&1
    got=$(field check.json name)
    [ "$got" = "$name" ] || bad "$1_anomaly" "visar check --level $by: '$got', not '$name'"
}

# ---- every violated example ----
for file in "$ROOT"/examples/*.c "$ROOT"/examples/exactness/*.c; do
    example=$(basename "$file" .c)
    expect=" $(sed -n 's/.*expect: //p' "$file") "
    violated=$(tr ' ' '\n' <<<"$expect" | sed -n 's/=violated//p')
    [ -n "$violated" ] || continue
    "$VISAR" verify "$file" --model "$(echo $violated | tr ' ' ',')" --json >cex.json 2>err
    [ $? -eq 10 ] || { bad "$example" "visar verify: $(head -1 err)"; continue; }
    for model in $violated; do
        name=${example}_$model level=$(level_of "$model")
        if inexpressible "$example" "$model"; then want=5 outcome='not expressible'; else want=10 outcome=reproduced; fi
        "$VISAR" replay cex.json --model "$model" --on "$url" --json --save-history h.jsonl --spec cex.spec >replay.json 2>err; got=$?
        [ $got -eq $want ] && [ "$(field replay.json outcome) at $(field replay.json isolation)" = "$outcome at $level" ] ||
            bad "$name" "exit $got: $(field replay.json outcome) $(field replay.json reason) $(head -1 err)"
        [ $got -ne 10 ] || check_history "$name" "$level"
        # SERIALIZABLE refuses, unless the execution is serial or PostgreSQL cannot even try.
        [ $want -eq 5 ] || [[ $expect == *' ser=violated '* ]] || want=0
        out=$("$VISAR" replay cex.json --model "$model" --on "$url" --quiet --isolation serializable 2>&1); got=$?
        [ $got -eq $want ] || bad "${name}_serializable" "exit $got, not $want: $out"
        [ $want -ne 0 ] || [[ $out == REFUSED*'SQLSTATE 40001'* || $out == REFUSED*'the execution has '* ]] ||
            bad "${name}_serializable" "$out"
        if [ -n "$tester" ] && [ $got -ne 5 ] && [ "$model" = "$(head -1 <<<"$violated")" ]; then
            "$tester" "host=127.0.0.1 port=$port user=visar dbname=postgres" <cex.spec >iso.out 2>&1 &&
                ! grep -q ERROR iso.out || bad "${name}_spec" "$(grep -m1 -i error iso.out)"
        fi
        ok "$name"
    done
done
[ -n "$tester" ] || echo "skip isolationtester: it is not installed"

# ---- hostile names ----
# Existing tables are not touched, whatever a counterexample calls its own.
sql 'CREATE TABLE account (balance int); INSERT INTO account VALUES (7); CREATE TABLE victim (x int); INSERT INTO victim VALUES (1)'
"$VISAR" verify "$ROOT/examples/bank.c" --model si --json >bank.json
long=$(printf 'a%.0s' {1..120})
hostile() { # name, how the table is called, how its field is called (both as in JSON)
    sed -e "s|\"table\": \"account\"|\"table\": \"$2\"|" -e "s|\"path\": \".balance\"|\"path\": \".$3\"|" \
        -e "s|\"row\": \"account\[|\"row\": \"$2[|" bank.json >hostile.json
    out=$("$VISAR" replay hostile.json --on "$url" --save-history h.jsonl --spec h.spec 2>&1); got=$?
    [ $got -eq 10 ] || { bad "hostile_$1" "exit $got: $out"; return; }
    "$VISAR" check h.jsonl --level ser --quiet >/dev/null; [ $? -eq 10 ] || { bad "hostile_$1" "the history is not refused"; return; }
    grep -q "$(printf '\033')" <<<"$out" && { bad "hostile_$1" "an escape sequence reaches the terminal"; return; }
    if [ -n "$tester" ]; then
        "$tester" "host=127.0.0.1 port=$port user=visar dbname=postgres" <h.spec >iso.out 2>&1 &&
            ! grep -q ERROR iso.out || { bad "hostile_$1" "isolationtester: $(grep -m1 -i error iso.out)"; return; }
    fi
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
sql "CREATE ROLE reader LOGIN" && sql "REVOKE CREATE ON DATABASE postgres FROM PUBLIC"
expect_exit no_permission 2 replay bank.json --on "postgresql://reader@127.0.0.1:$port/postgres"
left=$(sql "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'visar%'")
[ "$left" = 0 ] && ok nothing_left_behind || bad nothing_left_behind "$left schemas"
exit $rc
