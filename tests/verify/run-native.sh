#!/bin/bash
# Every example is a program for any compiler: C11 and C++17, gcc and clang, without warnings, with tables of any
# size (16 rows) and of three.
root=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
rc=0
compilers=
for pair in gcc:g++ clang:clang++ clang-19:clang++-19; do
    command -v ${pair%:*} >/dev/null && command -v ${pair#*:} >/dev/null && compilers="$compilers $pair"
done
[ -n "$compilers" ] || { echo "skip native: there is no C compiler"; exit 0; }
compilers=${compilers/clang:clang++ clang-19/clang-19}
# One process for each compiler and size: it says which files it does not like.
compile() { # COMPILER FLAGS…
    "$@" -Wall -Wextra -Werror -fsyntax-only -I"$root/frontend/include" "$root"/examples/*.c "$root"/examples/*/*.c 2>&1
}
for pair in $compilers; do
    for rows in '' -DANY=3; do
        for command in "${pair%:*} -std=c11" "${pair#*:} -x c++ -std=c++17"; do
            if out=$(compile $command $rows); then echo "ok native: $command $rows"
            else echo "not ok native: $command $rows: $(grep -m1 -e error -e warning <<<"$out")"; rc=1; fi
        done
    done
done
exit $rc
