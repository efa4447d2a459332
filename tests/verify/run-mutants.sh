#!/bin/bash
# Mutation test: the encoder with one axiom or guard taken away must fail the cases or disagree with
# the oracle.
# Each mutant is one changed file, compiled and linked before the library.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "${BUILD:?}" || exit 1
count=${VISAR_MUTANT_PROGRAMS:-400}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
link=$(ninja -t commands tests/verify/verify_oracle 2>/dev/null | tail -1)
link_matrix=$(ninja -t commands tests/verify/verify_matrix 2>/dev/null | tail -1)
case $link in
*verify_oracle*) ;;
*) echo "skip mutants: needs a Ninja build"; exit 0 ;;
esac
if ! tests/verify/verify_oracle 40 1 "$root/frontend/include" "$work" first >"$work/log"; then
    echo "not ok mutant-none: the encoder itself disagrees with the oracle"
    exit 1
fi
rc=0
while IFS='|' read -r name file change; do
    name=${name// /} file=${file// /}
    case $name in '' | '#'*) continue ;; esac
    mkdir -p "$work/encode"
    if ! CHANGE=$change perl -0777 -ne \
        'my $n = eval $ENV{CHANGE}; die $@ if $@; exit 1 if $n != 1; print' \
        "$root/encode/$file" >"$work/encode/$file"; then
        echo "not ok mutant-$name: the change does not apply once"
        rc=1
        continue
    fi
    if ! cc -O1 -w -std=c11 -D_GNU_SOURCE -I"$root" -c "$work/encode/$file" -o "$work/mutant.o" ||
        ! bash -c "${link/ -o tests\/verify\/verify_oracle/ $work/mutant.o -o $work/mutant}" >"$work/log" 2>&1; then
        echo "not ok mutant-$name: it does not build"
        rc=1
        continue
    fi
    if ! bash -c "${link_matrix/ -o tests\/verify\/verify_matrix/ $work/mutant.o -o $work/matrix}" >"$work/log" 2>&1; then
        echo "not ok mutant-$name: it does not build"
        rc=1
    elif ! timeout 300 "$work/matrix" "$root/frontend/include" "$root"/tests/verify/cases/*.c >"$work/log" 2>&1; then
        echo "ok mutant-$name"
    elif timeout 300 "$work/mutant" "$count" 1 "$root/frontend/include" "$work" first >"$work/log" 2>&1; then
        echo "not ok mutant-$name: nobody noticed"
        rc=1
    else
        echo "ok mutant-$name"
    fi
    rm -f "$work"/disagree-*.c
done <"$root/tests/verify/mutants.txt"
exit $rc
