#!/bin/bash
# README shows the real output: every command of its indented blocks is run, in a folder that has the
# examples, and where output follows it is compared.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
awk -v dir="$dir" '
    /^    \$ / { n++; sub(/^    \$ /, ""); print > (dir "/" n ".cmd"); shown = 1; next }
    /^    / && shown { sub(/^    /, ""); print > (dir "/" n ".out"); next }
    /^$/ && shown { print "" > (dir "/" n ".blank"); close(dir "/" n ".blank"); next }
    { shown = 0 }' "$ROOT/README.md"
mkdir "$dir/checkout" && ln -s "$ROOT/examples" "$dir/checkout/examples" && cd "$dir/checkout" || exit 1
for n in $(seq "$(find "$dir" -name '*.cmd' | wc -l)"); do
    out=$dir/$n.out command=$(cat "$dir/$n.cmd")
    touch "$out"
    ${command/.\/visar/$VISAR} 2>/dev/null | grep -v '^$' | sed 's/ *$//' >"$dir/got"
    if diff <(grep -v '^$' "$out" | sed 's/ *$//') "$dir/got" >"$dir/diff"; then echo "ok readme: $command"
    else echo "not ok readme: $command: $(head -5 "$dir/diff" | tr '\n' ' ')"; rc=1; fi
done
exit $rc
