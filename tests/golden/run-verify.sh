#!/bin/bash
# What verify and weakest print, to the letter.  Each file tests/golden/verify/NAME.expect starts
# with the command, `$ visar …` (one line, run from the project's root), goes on with everything
# that it prints, standard error included, and ends with `exit CODE`.  Seconds in JSON are replaced
# by 0.  VISAR_UPDATE=1 writes the files anew.
cd "$ROOT" || exit 1
[ -x "$VISAR" ] || { echo "not ok golden_verify: no binary at '$VISAR'"; exit 1; }
rc=0
for file in tests/golden/verify/*.expect; do
    name=$(basename "$file" .expect)
    IFS= read -r first <"$file"
    case $first in
    '$ visar '*) command=${first#'$ visar '} ;;
    *) echo "not ok $name: the first line is not a command"; rc=1; continue ;;
    esac
    got=$(
        echo "$first"
        eval "\"\$VISAR\" $command" 2>&1 </dev/null | sed -E 's/("[a-z_]*seconds": )[0-9.e-]+/\10/'
        echo "exit ${PIPESTATUS[0]}"
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
