#!/bin/bash
# README shows the real output: every command of its indented blocks that is followed by output is
# run, and the output compared.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
awk -v dir="$dir" '
    /^    \$ / { n++; sub(/^    \$ /, ""); print > (dir "/" n ".cmd"); shown = 1; next }
    /^    / && shown { sub(/^    /, ""); print > (dir "/" n ".out"); next }
    /^$/ && shown { print "" > (dir "/" n ".blank"); close(dir "/" n ".blank"); next }
    { shown = 0 }' README.md
for out in "$dir"/*.out; do
    command=$(cat "${out%.out}.cmd")
    ${command/.\/visar/$VISAR} 2>/dev/null | grep -v '^$' | sed 's/ *$//' >"$dir/got"
    if diff <(grep -v '^$' "$out" | sed 's/ *$//') "$dir/got" >"$dir/diff"; then echo "ok readme: $command"
    else echo "not ok readme: $command: $(head -5 "$dir/diff" | tr '\n' ' ')"; rc=1; fi
done
exit $rc
