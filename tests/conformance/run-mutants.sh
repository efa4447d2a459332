#!/bin/bash
# Mutation test: the enumerator with one rule taken away must fail unit_conformance.  Each mutant is one
# changed file, compiled and linked before the library.  --quick runs every eighth; with an argument only those
# whose names match it.
here=$ROOT/tests/conformance
lines() { grep -v -e '^#' -e '^$' "$here/mutants.txt" | grep -e "^[^|]*$1" | awk -v quick="$VISAR_QUICK" '!quick || NR % 8 == 1'; }
[ -x "$BUILD/tests/conformance/unit_conformance" ] || { echo "skip mutants: cmocka is not installed"; exit 0; }
work=$BUILD/tests/conformance-mutants
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
launcher=$(command -v ccache)
build() { # SOURCE OBJECT
    $launcher cc -std=c11 -D_GNU_SOURCE -O1 -w -I"$ROOT" -c "$1" -o "$2" 2>"$work/log"
}
build "$here/test_conformance.c" "$work/test.o" || { cat "$work/log"; echo "not ok mutants: the test does not compile"; exit 1; }
rc=0
bad() { echo "not ok $1: $2"; rc=1; }
while IFS='|' read -r name file change; do
    name=${name// /} file=${file// /}
    cp "$here/$file" "$work/mutant.c" || { bad "$name" "there is no file $file"; continue; }
    count=$(CHANGE=$change perl -0pi -e '$n = eval $ENV{CHANGE}; die $@ if $@; print STDERR $n + 0' "$work/mutant.c" 2>&1)
    again=$(CHANGE=$change perl -0pi -e '$n = eval $ENV{CHANGE}; print STDERR $n + 0' "$work/mutant.c" 2>&1)
    [ "$count" = 1 ] || { bad "$name" "its text is not in $file"; continue; }
    [ "$again" = 0 ] || { bad "$name" "its text is in $file more than once"; continue; }
    build "$work/mutant.c" "$work/mutant.o" || { bad "$name" "it does not compile"; continue; }
    cc "$work/test.o" "$work/mutant.o" "$BUILD/tests/conformance/libvisar_conformance.a" -lcmocka -o "$work/test" 2>"$work/log" ||
        { bad "$name" "it does not link"; continue; }
    if (ulimit -t 60 && "$work/test") >"$work/log" 2>&1; then bad "$name" "unit_conformance does not notice"; else echo "ok $name"; fi
done < <(lines "$1")
exit $rc
