#!/bin/sh
# Version orders, expected orders, ranges and predicates on the command line: exit code and a piece
# of the output.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
ulimit -t 120 # seconds of processor time, for each command

# expect NAME CODE TEXT arguments…
expect() {
    name=$1 code=$2 text=$3
    shift 3
    got=$("$VISAR" check "$@" 2>&1)
    rc=$?
    if [ $rc != "$code" ]; then
        echo "not ok $name: exit code $rc, wanted $code: $got"
        failed=1
    elif ! printf '%s' "$got" | grep -qF -- "$text"; then
        echo "not ok $name: no \"$text\" in: $got"
        failed=1
    else
        echo "ok $name"
    fi
}

cat >"$dir/h.jsonl" <<'END'
{"visar-history":1,"default":0,"sessions":3}
{"session":0,"id":5,"ops":[["w","x",1]]}
{"session":1,"ops":[["w","x",2]]}
{"session":2,"ops":[["r","x",1]]}
END
printf '{"visar-version-order":1,"complete":true}\n{"versions":"x","order":["0.0","1.0"]}\n' >"$dir/good"
printf '{"visar-version-order":1}\n{"versions":"x","order":["1.0",[0,0]]}\n' >"$dir/partial"
printf '{"visar-version-order":1,"complete":true}\n{"versions":"x","order":["1.0"]}\n' >"$dir/short"
printf '{"versions":"y","order":["1.0"]}\n' >"$dir/wrong"
expect complete 0 OK "$dir/h.jsonl" --version-order "$dir/good" --level ser
expect partial 0 OK "$dir/h.jsonl" --version-order "$dir/partial" --level ser
expect incomplete 2 '/short:2: error: write(x, 1) of T5 is missing from a version order' "$dir/h.jsonl" --version-order "$dir/short"
expect unknown-key 2 'wrong:1:' "$dir/h.jsonl" --version-order "$dir/wrong"

cat >"$dir/rmw.jsonl" <<'END'
{"visar-history":1,"default":0,"sessions":2}
{"session":0,"ops":[["r","x",0],["w","x",1]]}
{"session":1,"ops":[["r","x",1],["w","x",2]]}
END
printf '{"visar-version-order":1,"complete":true}\n{"versions":"x","order":["1.0","0.0"]}\n' >"$dir/back"
expect any-order 0 OK "$dir/rmw.jsonl" --level ser
expect this-order 10 'Other orders might' "$dir/rmw.jsonl" --version-order "$dir/back" --level ser

printf '# an order\n1.0\nT5\nt 2.0\n' >"$dir/order"
printf '0.0\n1.0\n2.0\n' >"$dir/bad"
printf '0.0\n1.0\n' >"$dir/less"
expect order 0 explains "$dir/h.jsonl" --order "$dir/order"
expect order-wrong 10 'x is 2 there, as T1.0 (number 2 of' "$dir/h.jsonl" --order "$dir/bad"
expect order-short 2 'not in the order' "$dir/h.jsonl" --order "$dir/less"

# An order must keep the versions that are on record: x is T1.0's first, then T0.1's; T0.0 saw T0.1's.
cat >"$dir/kept.jsonl" <<'END'
{"visar-history":1,"versions-complete":true}
{"session":0,"ops":[["predicate",[],[["x",1]]]]}
{"session":0,"ops":[["w","x",1]]}
{"session":1,"ops":[["w","x",1]]}
{"versions":"x","order":[[2,0],[1,0]]}
{"version-set":[0,0],"sees":[[1,0]]}
END
printf '1.0\n0.0\n0.1\n' >"$dir/before"; printf '1.0\n0.1\n0.0\n' >"$dir/after"; printf '0.1\n0.0\n1.0\n' >"$dir/turned"
expect order-set-later 10 'its version set has x as T0.1 (number 3 of' "$dir/kept.jsonl" --order "$dir/before"
expect order-set-kept 0 explains "$dir/kept.jsonl" --order "$dir/after"
expect order-versions-turned 10 'by the version order' "$dir/kept.jsonl" --order "$dir/turned"
grep -v '"versions"\|"version-set"' "$dir/kept.jsonl" | sed 's/,"versions-complete":true//' >"$dir/blind.jsonl"
printf '{"visar-version-order":1}\n{"versions":"x","order":["1.0","0.1"]}\n' >"$dir/known"
expect order-blind 0 explains "$dir/blind.jsonl" --order "$dir/turned"
expect order-blind-known 10 'by the version order' "$dir/blind.jsonl" --order "$dir/turned" --version-order "$dir/known"
expect order-json 10 '"verdict": "violation"' "$dir/h.jsonl" --order "$dir/bad" --json

cat >"$dir/sets.jsonl" <<'END'
{"visar-history":1,"sessions":2,"versions-complete":true}
{"session":0,"ops":[["predicate",[["on","=",1]],{"count":0}],["insert","a",{"on":1}]]}
{"session":1,"ops":[["predicate",[["on","=",1]],{"count":0}],["insert","b",{"on":1}]]}
{"versions":"a","order":[[0,1]]}
{"versions":"b","order":[[1,1]]}
{"version-set":[0,0],"sees":[]}
{"version-set":[1,0],"sees":[]}
END
expect sets-ser 10 'looked for rows where on = 1 and did not find b' "$dir/sets.jsonl" --level ser
expect sets-si 0 OK "$dir/sets.jsonl" --level si
expect sets-repeatable 0 OK "$dir/sets.jsonl" --level repeatable-read --certificate "$dir/repeatable"
expect sets-repeatable-proof 0 'satisfies PL-2.99' "$dir/sets.jsonl" --verify-certificate "$dir/repeatable"
expect sets-repeatable-ser 10 'says nothing about SER' "$dir/sets.jsonl" --verify-certificate "$dir/repeatable" --level ser
# rc, ra, cc: EXT by runs of versions, not Adya's dependencies.  Its own session's row is missed; and
# seeing the second of two versions that match is not having seen who wrote the first.
cat >"$dir/missed.jsonl" <<'END'
{"visar-history":1,"sessions":2,"versions-complete":true}
{"session":0,"ops":[["w","x",1]]}
{"session":1,"ops":[["w","x",2]]}
{"session":1,"ops":[["predicate",[["value",">=",1]],[]]]}
{"versions":"x","order":[[0,0],[1,0]]}
{"version-set":[2,0],"sees":[]}
END
expect run-missed-rc 0 OK "$dir/missed.jsonl" --level rc
expect run-missed-ra 10 'stale session read' "$dir/missed.jsonl" --level ra
expect run-missed-cc 10 'stale session read' "$dir/missed.jsonl" --level cc
expect run-missed-all 10 'VIOLATION' "$dir/missed.jsonl" --level all
expect run-missed-strongest 0 'satisfies RC, SI without session order and PL-2.99, but neither RCS nor RA' "$dir/missed.jsonl" --strongest
cat >"$dir/second.jsonl" <<'END'
{"visar-history":1,"sessions":3,"versions-complete":true}
{"session":0,"ops":[["w","x",1],["w","y",1]]}
{"session":1,"ops":[["w","x",2]]}
{"session":2,"ops":[["predicate",[["value",">=",1]],[["x",2]]]]}
{"versions":"x","order":[[0,0],[1,0]]}
{"versions":"y","order":[[0,1]]}
{"version-set":[2,0],"sees":[[1,0]]}
END
for level in rc ra cc; do
    expect run-second-$level 0 OK "$dir/second.jsonl" --level $level --certificate "$dir/run-proof"
    expect run-second-$level-proof 0 OK "$dir/second.jsonl" --verify-certificate "$dir/run-proof"
done
expect run-second-pc 10 'looked for rows where value >= 1 and found x' "$dir/second.jsonl" --level pc
expect run-second-strongest 0 'satisfies CC and PL-2.99, but neither RCS nor PSI' "$dir/second.jsonl" --strongest
sed 's/"count":0/"count":1/' "$dir/sets.jsonl" >"$dir/mismatch.jsonl"
echo stale >"$dir/proof"
expect mismatch 10 'result mismatch' "$dir/mismatch.jsonl" --level ser --certificate "$dir/proof"
expect mismatch-proof 0 'violates SER' "$dir/mismatch.jsonl" --verify-certificate "$dir/proof"
expect mismatch-proof-rc 0 OK "$dir/mismatch.jsonl" --verify-certificate "$dir/proof" --level rc
expect mismatch-proof-foreign 10 'is what it should be' "$dir/sets.jsonl" --verify-certificate "$dir/proof"
sed 's/aggregate/row 0/' "$dir/proof" >"$dir/proof2"
expect mismatch-proof-other 10 REJECTED "$dir/mismatch.jsonl" --verify-certificate "$dir/proof2"
sed 's/mismatch 0.0 0/mismatch 0.0 9/' "$dir/proof" >"$dir/proof2"
expect mismatch-proof-none 10 REJECTED "$dir/mismatch.jsonl" --verify-certificate "$dir/proof2"
sed 's/aggregate/sum/' "$dir/proof" >"$dir/proof2"
expect mismatch-proof-bad 2 'proof2:3: error: ' "$dir/mismatch.jsonl" --verify-certificate "$dir/proof2"
grep -v version-set "$dir/sets.jsonl" >"$dir/aggregate.jsonl"
expect aggregate-ser 10 'count where on = 1, which gave 0, and saw the initial value of b' "$dir/aggregate.jsonl" --level ser
expect aggregate-si 0 OK "$dir/aggregate.jsonl" --level si
expect aggregate-json 0 '"level": "pl-2.99"' "$dir/aggregate.jsonl" --level pl-2.99 --json
expect mismatch-json 10 '"words": "result mismatch"' "$dir/mismatch.jsonl" --level ser,rc --json
expect aggregate-repeatable 0 OK "$dir/aggregate.jsonl" --level pl-2.99
for level in ser si psi rc rcs pl-2.99; do
    "$VISAR" check "$dir/aggregate.jsonl" --level $level --certificate "$dir/aggregate.$level" >"$dir/out" 2>&1
    expect aggregate-certificate-$level 0 proves "$dir/aggregate.jsonl" --verify-certificate "$dir/aggregate.$level"
done
sed '2s/"count":0/"count":2/' "$dir/aggregate.jsonl" >"$dir/impossible.jsonl"
expect aggregate-impossible 10 'which gave 2, but whichever versions' "$dir/impossible.jsonl" --level rc
cat >"$dir/together.jsonl" <<'END'
{"visar-history":1,"sessions":2}
{"session":0,"ops":[["w","a",5]]}
{"session":1,"ops":[["predicate",[["value",">",3]],{"count":1}],["predicate",[["value",">",3]],{"sum":["value",null]}]]}
END
expect together-ser 10 'No versions of the rows are left that give what T1.0 read, sum' "$dir/together.jsonl" --level ser
expect together-psi 10 'no versions of the rows give that together' "$dir/together.jsonl" --level psi
cat >"$dir/stale.jsonl" <<'END'
{"visar-history":1,"sessions":3}
{"initial":[["a",{"on":1}],["b",{"on":1}]]}
{"session":0,"ops":[["predicate",[["on","=",1]],[["b",{"on":1}]]],["w","c",1]]}
{"session":1,"ops":[["w","a",{"on":0}]]}
{"session":2,"ops":[["r","a",{"on":0}],["w","a",{"on":1,"z":3}],["w","b",{"on":0}],["w","d",1]]}
{"session":0,"ops":[["r","d",1],["predicate",[["on","=",1]],[["a",{"on":1,"z":3}]]]]}
{"session":0,"ops":[["predicate",[["on","=",1]],[]]]}
END
expect stale 0 OK "$dir/stale.jsonl" --level pl-2.99 --certificate "$dir/stale.proof"
expect stale-proof 0 'satisfies PL-2.99' "$dir/stale.jsonl" --verify-certificate "$dir/stale.proof"
expect stale-ser 10 VIOLATION "$dir/stale.jsonl" --level ser
sed 's/\["w","a",{"on":0}\]/["r","c",1],&/; 6,7d' "$dir/stale.jsonl" >"$dir/future.jsonl"
expect future 10 'as T1.0 had written it' "$dir/future.jsonl" --level pl-2.99 --certificate "$dir/future.proof"
expect future-proof 0 'violates PL-2.99' "$dir/future.jsonl" --verify-certificate "$dir/future.proof"
sed 's/,\[\["b",{"on":1}\]\]\]/,{"count":1}]/' "$dir/future.jsonl" >"$dir/future-count.jsonl"
sed 's/,\[\["b",{"on":1}\]\]\]/,{"sum":["on",1]}]/' "$dir/future.jsonl" >"$dir/future-sum.jsonl"
for kind in count sum; do
    expect future-$kind 10 'No versions of the rows are left' "$dir/future-$kind.jsonl" --level pl-2.99 --certificate "$dir/proof"
    expect future-$kind-proof 0 'violates PL-2.99' "$dir/future-$kind.jsonl" --verify-certificate "$dir/proof"
    sed 's/\["r","c",1\],//' "$dir/future-$kind.jsonl" >"$dir/stale-$kind.jsonl"
    expect stale-$kind 0 OK "$dir/stale-$kind.jsonl" --level pl-2.99 --certificate "$dir/proof"
    expect stale-$kind-proof 0 'satisfies PL-2.99' "$dir/stale-$kind.jsonl" --verify-certificate "$dir/proof"
done
# pl-2.99 beside other levels: each sees predicate reads in its own way.  With ranges only, pl-2.99
# alone has to put them in terms of items.
expect mixed 10 'satisfies PL-2.99' "$dir/sets.jsonl" --level ser,pl-2.99,adya-si,si --certificate "$dir/mixed"
# What satisfies SI satisfies it without session order: one proof is for both.
for says in 'violates SER' 'satisfies PL-2.99' 'satisfies SI'; do
    expect "mixed-proof-$says" 0 "sets.jsonl $says" "$dir/sets.jsonl" --verify-certificate "$dir/mixed"
done
cat >"$dir/phantom-range.jsonl" <<'END'
{"visar-history":1,"sessions":2}
{"session":0,"ops":[["range",1,9,[]],["insert",1,5]]}
{"session":1,"ops":[["range",1,9,[]],["insert",2,6]]}
END
expect mixed-range 10 'satisfies PL-2.99' "$dir/phantom-range.jsonl" --level pl-2.99,si,ser --certificate "$dir/mixed"
expect mixed-range-ser 10 'phantom (G2)' "$dir/phantom-range.jsonl" --level pl-2.99,ser
for says in 'violates SER' 'satisfies PL-2.99' 'satisfies SI'; do
    expect "mixed-range-proof-$says" 0 "$says" "$dir/phantom-range.jsonl" --verify-certificate "$dir/mixed"
done
expect mixed-strongest 0 'satisfies SI and PL-2.99, but not SER' "$dir/phantom-range.jsonl" --strongest
expect mixed-mismatch 10 'satisfies no level' "$dir/mismatch.jsonl" --level si,pl-2.99 --certificate "$dir/mixed"
expect mixed-mismatch-proof 0 'violates' "$dir/mismatch.jsonl" --verify-certificate "$dir/mixed"
expect mixed-batch 10 'phantom-range.jsonl satisfies PL-2.99' "$dir/sets.jsonl" "$dir/h.jsonl" "$dir/phantom-range.jsonl" --level si,pl-2.99,ser -q
# One time stamp each: what gsi then says, and that it says little.
cat >"$dir/heard.jsonl" <<'END'
{"visar-history":1,"default":0,"sessions":2}
{"session":0,"begin":10,"commit":50,"ops":[["w","x",1]]}
{"session":1,"begin":20,"commit":60,"ops":[["r","x",1]]}
END
expect heard 0 'satisfies GSI' "$dir/heard.jsonl" --level gsi
expect heard-note 0 'does not say when commits were asked for' "$dir/heard.jsonl" --level gsi
expect heard-strongest 0 'satisfies strong SI and strict SER' "$dir/heard.jsonl" --strongest
sed 's/"begin":\([0-9]*\),"commit":\([0-9]*\)/"begin":\1,"begin-answered":\1,"commit-asked":\2,"commit":\2/' "$dir/heard.jsonl" >"$dir/points.jsonl"
expect points 10 "T1.0's begin was answered (at 20) before T0.0's commit was asked for (at 50)" "$dir/points.jsonl" --level gsi --certificate "$dir/proof"
expect points-rules-out 10 'Rules out: gsi, strong-si.' "$dir/points.jsonl" --level strong-si
expect points-proof 0 'violates GSI' "$dir/points.jsonl" --verify-certificate "$dir/proof"
expect points-strongest 0 'satisfies strict SER, but not GSI' "$dir/points.jsonl" --strongest
# A cycle of items beside a maximum is no phantom, and pl-2.99 rules it out.
cat >"$dir/maximum.jsonl" <<'END'
{"visar-history":1,"sessions":2,"versions-complete":true}
{"initial":[["a",1],["b",7]]}
{"session":0,"ops":[["r","a",1],["w","b",8]]}
{"session":1,"ops":[["predicate",[["value",">=",5]],{"max":["value",7]}],["w","a",2]]}
{"versions":"a","order":[[1,1]]}
{"versions":"b","order":[[0,1]]}
{"version-set":[1,0],"sees":[]}
END
grep -v version "$dir/maximum.jsonl" | sed '1i {"visar-history":1,"sessions":2}' >"$dir/maximum-open.jsonl"
for file in maximum maximum-open; do
    expect $file-name 10 'write skew (G2-item)' "$dir/$file.jsonl" --level pl-2.99 --certificate "$dir/proof"
    expect $file-rules-out 10 'Rules out: ser (with or without session order); and pl-2.99' "$dir/$file.jsonl" --level pl-2.99
    expect $file-proof 0 'violates PL-2.99' "$dir/$file.jsonl" --verify-certificate "$dir/proof"
    expect $file-si 10 'satisfies SI' "$dir/$file.jsonl" --level pl-2.99,si,ser
done
printf '0.0\n1.0\n' >"$dir/two"
expect order-predicate 10 'but it is 1 there' "$dir/sets.jsonl" --order "$dir/two"
"$VISAR" convert "$dir/sets.jsonl" -o "$dir/again.jsonl" && "$VISAR" convert "$dir/again.jsonl" -o "$dir/twice.jsonl"
if cmp -s "$dir/again.jsonl" "$dir/twice.jsonl"; then echo "ok round-trip"; else echo "not ok round-trip"; failed=1; fi

cat >"$dir/range.jsonl" <<'END'
{"visar-history":1,"sessions":2}
{"session":0,"ops":[["range",1,9,[]],["insert",3,7]]}
{"session":1,"ops":[["range",1,9,[[3,7]]],["delete",3],["range",1,9,[]]]}
{"session":0,"ops":[["range",2,4,[]]]}
END
expect range 0 OK "$dir/range.jsonl" --level ser
sed 's/"range",2,4,\[\]/"range",2,4,[[3,7]]/' "$dir/range.jsonl" >"$dir/range2.jsonl"
expect range-either 0 OK "$dir/range2.jsonl" --level ser
expect range-levels 0 OK "$dir/range.jsonl" --strongest

# A predicate read that returned nothing still belongs to its statement.
cat >"$dir/statement.jsonl" <<'END'
{"visar-history":1,"sessions":2}
{"session":0,"ops":[["insert",1,3]]}
{"session":1,"ops":[["r",2,null],["predicate",[["value",">=",2]],[]],["r",1,3,{"same-statement":true}]]}
END
expect statement 10 'VIOLATION' "$dir/statement.jsonl" --level rcs
"$VISAR" convert "$dir/statement.jsonl" -o "$dir/statement2.jsonl"
expect statement-converted 10 'VIOLATION' "$dir/statement2.jsonl" --level rcs
sed 's/,{"same-statement":true}//' "$dir/statement.jsonl" >"$dir/statements.jsonl"
expect statements 0 OK "$dir/statements.jsonl" --level rcs

# Which of many equal writes a read saw is found along the history's own order.
awk 'BEGIN {
    print "{\"visar-history\":1,\"default\":0,\"sessions\":4}"
    for (i = 0; i < 4000; i++) {
        x = i % 7
        printf "{\"session\":%d,\"ops\":[[\"r\",\"x%d\",%d],[\"w\",\"x%d\",%d]]}\n", i % 4, x, v[x] + 0, (i * 3) % 7, i % 3 + 1
        v[(i * 3) % 7] = i % 3 + 1
    }
}' >"$dir/equal.jsonl"
for level in rc ra cc psi; do
    expect "equal-$level" 0 OK "$dir/equal.jsonl" --level "$level"
done

# Nobody else wrote what an unknown transaction read: so it did not happen, and nor did who read from it.
cat >"$dir/unread.jsonl" <<'END'
{"visar-history":1,"default":0,"sessions":3}
{"session":0,"status":"unknown","ops":[["w","y",1],["r","x",3],["w","x",1]]}
{"session":1,"status":"unknown","ops":[["w","y",1],["r","x",3],["w","x",3]]}
{"session":2,"ops":[["r","y",1]]}
END
for level in rc rcs ser; do
    expect "unread-$level" 10 'VIOLATION' "$dir/unread.jsonl" --level "$level"
done
sed 's/"sees":\[\]/"sees":[[1,1]]/' "$dir/sets.jsonl" >"$dir/own-set.jsonl"
expect set-fault 10 'result mismatch' "$dir/own-set.jsonl" --level rc --certificate "$dir/proof"
expect set-fault-proof 0 'violates RC' "$dir/own-set.jsonl" --verify-certificate "$dir/proof"

# Orders that cannot be, partial ones, too: in the history and beside it.
cat >"$dir/twice.jsonl" <<'END'
{"visar-history":1}
{"session":0,"ops":[["w","x",1],["w","x",2]]}
{"session":1,"status":"aborted","ops":[["w","x",3]]}
{"session":2,"ops":[["w","x",4,{"failed":true}]]}
{"session":3,"ops":[["w","x",5]]}
END
# order_is NAME CODE TEXT ORDER
order_is() {
    { cat "$dir/twice.jsonl"; printf '{"versions":"x","order":%s}\n' "$4"; } >"$dir/with-order.jsonl"
    printf '{"visar-version-order":1}\n{"versions":"x","order":%s}\n' "$4" >"$dir/order-file"
    expect "order-$1" "$2" "$3" "$dir/with-order.jsonl" --level ser
    expect "order-file-$1" "$2" "$3" "$dir/twice.jsonl" --version-order "$dir/order-file" --level ser
}
order_is twice 2 'write(x, 5) of T3.0 stands twice' '[[3,0],[3,0]]'
order_is twice-apart 2 'stands twice' '[[0,1],[3,0],[0,1]]'
order_is reversed 2 'behind a later write of its own transaction' '[[0,1],[0,0]]'
order_is failed 2 '' '[[2,0],[3,0]]'
order_is passed-over 0 OK '[[0,0],[1,0],[0,1],[3,0]]'

# The sum of nothing is null, never 0; that of a row with 0 is 0.
cat >"$dir/sum.jsonl" <<'END'
{"visar-history":1}
{"session":0,"ops":[["predicate",[],{"sum":["value",0]}]]}
{"session":1,"ops":[["w","x",null]]}
END
for level in rc ra rcs cc pc psi si ser; do
    expect "sum-nothing-$level" 10 'VIOLATION' "$dir/sum.jsonl" --level $level
done
sed 's/"value",0/"value",null/' "$dir/sum.jsonl" >"$dir/sum-null.jsonl"
sed 's/"x",null/"x",0/' "$dir/sum.jsonl" >"$dir/sum-zero.jsonl"
for level in rc si ser; do
    expect "sum-null-$level" 0 OK "$dir/sum-null.jsonl" --level $level
    expect "sum-zero-$level" 0 OK "$dir/sum-zero.jsonl" --level $level
done
printf '1.0\n0.0\n' >"$dir/sum-order"
expect sum-order-nothing 10 'but it is null there' "$dir/sum.jsonl" --order "$dir/sum-order"
expect sum-order-zero 0 explains "$dir/sum-zero.jsonl" --order "$dir/sum-order"

# Predicates are told apart by what they say, not by how they look in print: an owner may be called
# like a condition, or like nothing in particular.
told_apart() { # NAME CODE: the history is on standard input; ODD stands for the owner's name
    sed "s/ODD/plain/" >"$dir/plain.jsonl"
    sed "s/plain/a' and team = 'b/" "$dir/plain.jsonl" >"$dir/odd.jsonl"
    for which in plain odd; do
        sed 's/,\[\]\]/,{"count":0}]/' "$dir/$which.jsonl" >"$dir/$which-count.jsonl"
        sed 's/,\[\]\]/,{"sum":["size",null]}]/' "$dir/$which.jsonl" >"$dir/$which-sum.jsonl"
        for result in '' -count -sum; do
            for level in rc ra cc pc psi si ser; do
                expect "$1-$which$result-$level" "$2" '' "$dir/$which$result.jsonl" --level $level
            done
        done
    done
}
told_apart names-ok 0 <<'END'
{"visar-history":1}
{"session":0,"ops":[["w","k",{"owner":"a","team":"b","size":1}],["w","z",1]]}
{"session":1,"ops":[["predicate",[["owner","=","a"],["team","=","b"]],[]]]}
{"session":2,"ops":[["r","z",1],["predicate",[["owner","=","ODD"]],[]],["w","y",1]]}
{"session":3,"ops":[["r","y",1],["w","k",{"owner":"ODD","size":1}]]}
END
told_apart names-violation 10 <<'END'
{"visar-history":1}
{"session":3,"ops":[["w","k",{"owner":"ODD","size":1}],["w","y",1]]}
{"session":2,"ops":[["r","y",1],["predicate",[["owner","=","a"],["team","=","b"]],[]],["w","x",1]]}
{"session":0,"ops":[["r","x",1],["w","k",{"owner":"a","team":"b","size":1}],["w","z",1]]}
{"session":1,"ops":[["r","y",1],["predicate",[["owner","=","ODD"]],[]],["r","z",null]]}
END

# A search for an argument by cases that is given up: nothing points to what it had found.
expect given-up 10 VIOLATION "$ROOT/tests/histories/whitebox/given-up.jsonl" --level ser
# Keys that are decimals, beside conditions with integers.
decimal_key() {
    printf '%s\n' '{"visar-history":1}' '{"session":0,"ops":[["w",'"$1"',3]]}' \
        '{"session":0,"ops":[["r",'"$1"',3],["predicate",[["key","'"$2"'",'"$3"']],'"$4"']]}' \
        >"$dir/decimal-key.jsonl"
}
for level in rc ser; do
    decimal_key 1.5 ">" 1 '{"count":0}'
    expect "decimal-key-missed-$level" 10 VIOLATION "$dir/decimal-key.jsonl" --level $level
    decimal_key 1.5 ">" 1 '{"count":1}'
    expect "decimal-key-counted-$level" 0 "OK" "$dir/decimal-key.jsonl" --level $level
    decimal_key -1.5 ">" -2 '{"count":0}'
    expect "negative-decimal-key-$level" 10 VIOLATION "$dir/decimal-key.jsonl" --level $level
    decimal_key 1.5 "<" 2 '{"max":["value",null]}'
    expect "decimal-key-maximum-$level" 10 VIOLATION "$dir/decimal-key.jsonl" --level $level
    decimal_key 1.5 "!=" 1 '{"sum":["value",3]}'
    expect "decimal-key-sum-$level" 0 "OK" "$dir/decimal-key.jsonl" --level $level
done

# A range that misses a row, beside a predicate that no version concerns: pl-2.99 allows that.
cat >"$dir/missed.jsonl" <<'END'
{"visar-history":1}
{"session":0,"ops":[["predicate",[["value","=",3]],[]],["w",1,11]]}
{"session":0,"ops":[["range",null,1,[]]]}
END
expect missed-row-strongest 0 "PL-2.99" "$dir/missed.jsonl" --strongest
expect missed-row-repeatable 0 "OK" "$dir/missed.jsonl" --level pl-2.99
got=$("$VISAR" check "$dir/missed.jsonl" --level ra | sed -n '/^Rules out/,$p')
case $got in
*pl-2.99* | "") echo "not ok missed-row-rules-out: $got" && failed=1 ;;
*) echo "ok missed-row-rules-out" ;;
esac
exit $failed
