#!/bin/bash
# Mutation test: the encoder with one axiom or guard taken away must fail a case or disagree with the
# oracle.  Each mutant is one changed file, compiled and linked before the library.
#
# mutants.txt says which case or which random program notices each mutant, so that this takes a
# second; where that has become wrong all cases and VISAR_MUTANT_PROGRAMS programs are tried.  With
# VISAR_MUTANT_SCAN=1 nothing is believed, and what notices each mutant is printed as a comment.
# Not in --quick.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "${BUILD:?}" || exit 1
count=${VISAR_MUTANT_PROGRAMS:-600}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
headers=$root/frontend/include
for binary in oracle matrix; do
    ninja -t commands tests/verify/verify_$binary 2>/dev/null | tail -1 >"$work/link-$binary"
    case $(cat "$work/link-$binary") in
    *verify_$binary*) ;;
    *) echo "skip mutants: needs a Ninja build"; exit 0 ;;
    esac
done
if ! tests/verify/verify_oracle 40 1 "$headers" "$work" first >"$work/log"; then
    echo "not ok mutant-none: the encoder itself disagrees with the oracle"
    exit 1
fi

build() { # FILE CHANGE: mutant.o
    local file=$1
    [ -f "$root/$file" ] || file=encode/$file
    mkdir -p "$work/$(dirname "$file")"
    rm -f "$work/oracle" "$work/matrix"
    CHANGE=$2 perl -0777 -ne 'my $n = eval $ENV{CHANGE}; die $@ if $@; exit 1 if $n != 1; print' \
        "$root/$file" >"$work/$file" || { why="the change does not apply once"; return 1; }
    cc -O1 -w -std=c11 -D_GNU_SOURCE -I"$root" -c "$work/$file" -o "$work/mutant.o" ||
        { why="it does not compile"; return 1; }
}
link() { # oracle or matrix
    [ -x "$work/$1" ] && return
    local command
    command=$(cat "$work/link-$1")
    bash -c "${command/ -o tests\/verify\/verify_$1/ $work/mutant.o -o $work/$1}" >"$work/log" 2>&1
}
# A mutant may loop.  Seconds of processor time: how much else the machine has to do must not matter.
limited() { # SECONDS COMMAND…
    (ulimit -t "$1" && shift && exec "$@")
}
by_case() { # NAME…: some case fails
    local file
    link matrix || return 1
    for file; do
        noticed=$(basename "$file" .c)
        limited 60 "$work/matrix" "$headers" "$root/tests/verify/cases/$noticed.c" >"$work/log" 2>&1 || return 0
    done
    return 1
}
by_oracle() { # COUNT SEED
    link oracle || return 1
    limited 300 "$work/oracle" "$1" "$2" "$headers" "$work" first >"$work/log" 2>&1 && return 1
    noticed=$(sed -n 's/^# seed \([0-9]*\),.*/\1/p' "$work/log" | head -1)
}
by_unit() { # unit_NAME: a unit test, run from the project's root
    local command
    command=$(ninja -t commands "tests/unit/$1" 2>/dev/null | tail -1)
    bash -c "${command/ -o tests\/unit\/$1/ $work/mutant.o -o $work/$1}" >"$work/log" 2>&1 || return 1
    (cd "$root" && ! limited 100 "$work/$1" >"$work/log" 2>&1)
}
by_hint() {
    case $1 in unit_*) by_unit "$1"; return ;; esac
    [ -z "$VISAR_MUTANT_SCAN" ] || return 1
    case $1 in
    '') return 1 ;;
    [0-9]*) by_oracle 1 "$1" ;;
    *) by_case "$1" ;;
    esac
}

rc=0
while IFS='|' read -r name file hint change; do
    name=${name// /} file=${file// /} hint=${hint// /} why="nobody noticed" noticed=$hint
    case $name in '' | '#'*) continue ;; esac
    if build "$file" "$change" && { by_hint "$hint" || by_oracle "$count" 1 || by_case "$root"/tests/verify/cases/*.c; }; then
        echo "ok mutant-$name"
        [ "$noticed" = "$hint" ] || echo "# mutant-$name: noticed by ${noticed:-a crash}"
    else
        echo "not ok mutant-$name: $why"
        rc=1
    fi
    rm -f "$work"/disagree-*.c
done <"$root/tests/verify/mutants.txt"
exit $rc
