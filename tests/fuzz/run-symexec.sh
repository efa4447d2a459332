#!/bin/sh
# Compiled, interpreted and summarised: thousands of random functions (transactions, predicates, INITIAL, scenarios) on
# random states.  VISAR_FUZZ: how many transactions with gcc (a quarter as many again with clang; default 1600); the
# other functions come along.  FUZZ_SEED may be set for other campaigns.
fuzzer=${BUILD:-build}/tests/fuzz/fuzz_symexec
files=$(((${VISAR_FUZZ:-1600} + 99) / 100)) seed=${FUZZ_SEED:-1} failed=0
if [ ! -x "$fuzzer" ]; then
    echo "skip symexec-fuzz: $fuzzer is not built"
    exit 0
fi
keep=$(mktemp -d)
campaign() { # compiler files
    if ! command -v "$1" >/dev/null 2>&1; then
        echo "skip symexec-fuzz-$1: no such compiler"
        return
    fi
    if "$fuzzer" --compiler "$1" --seed "$seed" --files "$2" --keep "$keep"; then
        echo "ok symexec-fuzz-$1"
    else
        echo "not ok symexec-fuzz-$1: see $keep"
        failed=1
    fi
}
folds() { # compiler files: tables of any size, each program with 1 to 5 rows
    command -v "$1" >/dev/null 2>&1 || return
    if "$fuzzer" --compiler "$1" --seed "$seed" --files "$2" --per-file 20 --folds 1 --keep "$keep"; then
        echo "ok symexec-folds-$1"
    else
        echo "not ok symexec-folds-$1: see $keep"
        failed=1
    fi
}
kept() { # compiler: programs written by hand, with field granularity too (seed 3)
    command -v "$1" >/dev/null 2>&1 || return
    for program in "$(dirname "$0")"/symexec/programs/*.c; do
        name=symexec-$(basename "$program" .c)-$1
        if "$fuzzer" --compiler "$1" --file "$program" --states 400 --seed 1 &&
            "$fuzzer" --compiler "$1" --file "$program" --states 400 --seed 3; then
            echo "ok $name"
        else
            echo "not ok $name: see above"
            failed=1
        fi
    done
}
clang=$(command -v clang-19 >/dev/null 2>&1 && echo clang-19 || echo clang)
kept gcc
kept "$clang"
campaign gcc "$files"
folds gcc $(((files + 1) / 2))
seed=$((seed + files))
campaign "$clang" $(((files + 3) / 4))
[ "$failed" = 1 ] || rm -rf "$keep"
exit "$failed"
