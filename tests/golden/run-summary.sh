#!/bin/bash
# What summary prints, to the letter; the files are like those of run-verify.sh.
# VISAR_UPDATE=1 writes them anew.
cd "$ROOT" || exit 1
rc=0
for file in tests/golden/summary/*.expect; do
    name=$(basename "$file" .expect)
    IFS= read -r first <"$file"
    case $first in
    '$ visar '*) command=${first#'$ visar '} ;;
    *) echo "not ok $name: the first line is not a command"; rc=1; continue ;;
    esac
    got=$(
        echo "$first"
        eval "\"\$VISAR\" $command" 2>&1 </dev/null
        echo "exit $?"
    )
    if [ -n "$VISAR_UPDATE" ]; then
        printf '%s\n' "$got" >"$file"
        echo "ok $name"
    elif [ "$got" = "$(cat "$file")" ]; then
        echo "ok $name"
    else
        echo "not ok $name: see the difference"
        diff <(printf '%s\n' "$got") "$file" | head -40
        rc=1
    fi
done
exit $rc
