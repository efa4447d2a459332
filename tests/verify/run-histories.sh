#!/bin/bash
# `--save-history`, and what `visar check` says of the file: the execution is allowed at the model
# that was verified, and refused where the story says that it cannot happen.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
visar=${VISAR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rc=0
level_exit() {
    "$visar" check "$work/h.jsonl" --level "$1" >"$work/check" 2>&1
    echo $?
}
check() { # NAME PROGRAM MODEL [OPTION…]
    local name=$1 program=$2 model=$3 why=
    shift 3
    rm -f "$work/h.jsonl"
    "$visar" verify "$program" --model "$model" "$@" --save-history "$work/h.jsonl" >"$work/out" 2>&1
    [ $? -eq 10 ] || return 1
    local refused
    refused=$(sed -nE 's/.*annot happen under .*\(([a-z]+)\).*/\1/p; s/.*This is no anomaly.*/none/p' \
        <(tr '\n' ' ' <"$work/out" | sed -E 's/ +/ /g; s/(How [a-z_]+ fails)/\n\1/g' | sed -n 2p))
    [ "$(level_exit "$model")" = 0 ] || why="refused at $model: $(head -1 "$work/check")"
    if [ -z "$why" ] && [ "$refused" = none ]; then
        [ "$(level_exit ser)" = 0 ] || why="no anomaly, but refused at ser: $(head -1 "$work/check")"
    elif [ -z "$why" ] && [ -n "$refused" ]; then
        [ "$(level_exit "$refused")" = 10 ] || why="not refused at $refused: $(head -1 "$work/check")"
    fi
    if [ -n "$why" ]; then
        echo "not ok $name: $why"
        rc=1
    else
        echo "ok $name"
    fi
}
seats=$root/tests/verify/histories/seats.c
for scenario in holders discounts odd; do
    for model in rc ra cc pc psi si; do
        check "history-$scenario-$model" "$seats" $model --scenario $scenario
    done
done
for granularity in row field; do
    check "history-granularity-$granularity" "$seats" ra --scenario holders --granularity $granularity
done
for example in bank counter long_fork tpcc post_comment read_only_anomaly smallbank_overdraft; do
    for model in rc ra cc pc psi si; do
        check "history-$example-$model" "$root/examples/$example.c" $model
    done
done
# An enumerator is named in the file, and a name of the format's own is avoided.
"$visar" verify "$seats" --model pc --scenario holders --save-history "$work/h.jsonl" >/dev/null 2>&1
if grep -q '"status":"HELD"' "$work/h.jsonl" && grep -q '"key_":1' "$work/h.jsonl" &&
    grep -q '"value_":0,"value__":0' "$work/h.jsonl" && grep -q '"18446744073709551615u"' "$work/h.jsonl"; then
    echo "ok history-names"
else
    echo "not ok history-names: $(head -3 "$work/h.jsonl" | tr '\n' ' ')"
    rc=1
fi
exit $rc
