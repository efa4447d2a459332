#!/bin/bash
# Mutation test: the history engine and its certifier with one line changed must fail the unit test
# that mutants.txt names.  Each mutant is one changed file, compiled and linked before the libraries
# of that one test program, of which nothing but the named case runs.
#
# A mutant whose text is no longer in its file, or is there more than once, is a failure that says so:
# give it the new text, or take it out if there is nothing left that it could break.  Which cases
# notice a mutant is printed by VISAR_MUTANT_SCAN=NAME (a part of its name; all: .), of all unit tests of
# the engine.  --quick runs six of the mutants; with an argument only those run whose names match it.
# Takes minutes.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "${BUILD:?}" || exit 1
here=$root/tests/histories
launcher=$(command -v ccache)
# The same place every time, so that a compiler cache recognizes what it has seen.
work=$PWD/tests/histories-mutants
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

link_command() { # PROGRAM: how the build links it
    local command
    command=$(ninja -t commands "tests/unit/$1" 2>/dev/null | tail -1)
    case $command in *"-o tests/unit/$1"*) echo "$command" ;; *) return 1 ;; esac
}
link_command unit_sat >/dev/null || { echo "skip mutants: needs a Ninja build"; exit 0; }

# cmocka can be told which case to run, but only from inside.
cat >"$work/one_case.c" <<'END'
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void choose(void)
{
    const char *name = getenv("VISAR_TEST_CASE");
    if (name && *name)
        cmocka_set_test_filter(name);
}
END
cc -O1 -c "$work/one_case.c" -o "$work/one_case.o" || exit 1

link() { # PROGRAM TARGET OBJECT…
    local command program=$1 target=$2
    command=$(link_command "$program") || { why="there is no test program $program"; return 1; }
    shift 2
    bash -c "${command/ -o tests\/unit\/$program/ $* $work/one_case.o -o $target}" >"$work/log" 2>&1 ||
        { why="it does not link with $program"; return 1; }
}
run() { # PROGRAM-FILE CASE COUNT: what the case says; processor time is limited, for a mutant may loop
    (cd "$root" && ulimit -t 60 && VISAR_TEST_CASE=$2 VISAR_FUZZ=$3 "$1" >"$work/log" 2>&1)
}
build() { # FILE TEXT REPLACEMENT: mutant.o
    rm -f "$work/mutant.o"
    [ -f "$root/$1" ] || { why="there is no file $1"; return 1; }
    mkdir -p "$work/$(dirname "$1")"
    # White space is as good as any other, so that a formatter may break lines elsewhere.
    FROM=$2 TO=$3 perl -0777 -ne '
        my $from = join "\\s+", map { quotemeta } split " ", $ENV{FROM};
        my $n = () = /$from/g;
        if ($n != 1) { print STDERR $n; exit 1; }
        s/$from/$ENV{TO}/; print' "$root/$1" >"$work/$1" 2>"$work/log" ||
        { why="its text is $(cat "$work/log") times in $1, not once: $2"; return 1; }
    $launcher cc -O1 -w -std=c11 -D_GNU_SOURCE -I"$root" -c "$work/$1" -o "$work/mutant.o" 2>"$work/log" ||
        { why="it does not compile: $(head -1 "$work/log")"; return 1; }
}
# The program as it is passes the case; asked once.
declare -A fine
passes() { # PROGRAM CASE COUNT
    local key="$1 $2 $3"
    if [ -z "${fine[$key]}" ]; then
        [ -x "$work/original_$1" ] || link "$1" "$work/original_$1" || return 1
        fine[$key]=no
        if run "$work/original_$1" "$2" "$3" && grep -q "^\[       OK \] $2\$" "$work/log"; then fine[$key]=yes; fi
    fi
    why="$1 has no case $2, or it fails without any mutant"
    [ "${fine[$key]}" = yes ]
}
noticed() { # PROGRAM CASE COUNT
    local rc
    link "$1" "$work/mutated" "$work/mutant.o" || return 1
    run "$work/mutated" "$2" "$3"
    rc=$?
    why="$1 does not notice it in $2"
    [ $rc -ne 152 ] || why="it runs for too long"
    [ $rc -ne 0 ] && [ $rc -ne 152 ]
}
scan() { # which cases notice the mutant
    local program last
    for program in tests/unit/unit_{acyclic,aggregate,certificates,certify,diagram,explain,greedy,history_engine,history_lists,lower,match,polygraph,real_time,repeatable,replay,rereads,residual,sat,saturate,visibility,whitebox}; do
        program=$(basename "$program")
        [ -x "tests/unit/$program" ] && link "$program" "$work/mutated" "$work/mutant.o" || continue
        run "$work/mutated" '' "${VISAR_FUZZ:-200}" && continue
        last=$(sed -n 's/^\[ RUN      \] //p' "$work/log" | tail -1)
        echo "# $1: $program $(sed -n 's/^\[  FAILED  \] \([a-z_0-9]*\)$/\1/p' "$work/log" | sort -u | tr '\n' ' ')(last: $last)"
    done
}

# --quick: six of them, spread over the list.
each=$((($(grep -c '^mutant ' "$here/mutants.txt") + 5) / 6))
only=$1
rc=0 number=0 name='' file='' hint='' from='' to=''
judge() { # the mutant that was read
    local program case count
    read -r program case count <<<"$hint"
    why="nothing says who notices it"
    if [ -n "$VISAR_MUTANT_SCAN" ]; then
        if [[ $name =~ $VISAR_MUTANT_SCAN ]]; then
            if build "$file" "$from" "$to"; then scan "$name"; else echo "# $name: $why"; fi
            [ -z "$program" ] || { passes "$program" "$case" "${count:-200}" && noticed "$program" "$case" "${count:-200}"; } ||
                echo "# $name: $why"
        fi
    elif ! [[ $name =~ $only ]]; then
        return
    elif [ -n "$VISAR_QUICK" ] && [ $((number++ % each)) -ne $((each / 2)) ]; then
        return
    elif [ -n "$program" ] && build "$file" "$from" "$to" && passes "$program" "$case" "${count:-200}" &&
        noticed "$program" "$case" "${count:-200}"; then
        echo "ok mutant-$name"
    else
        echo "not ok mutant-$name: $why"
        rc=1
    fi
}
while IFS= read -r line; do
    case $line in
    '' | '#'*) ;;
    'mutant '*) name=${line#mutant } ;;
    'file '*) file=${line#file } ;;
    'test'*) hint=${line#test} ;;
    '- '*) from=${line#- } ;;
    '+'*) # the last line of a mutant
        to=${line#+} to=${to# }
        judge
        ;;
    *) echo "not ok mutants: what is this? $line"; rc=1 ;;
    esac
done <"$here/mutants.txt"
exit $rc
