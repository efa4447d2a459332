#!/bin/sh
# Every NAME.c here is outside the subset (or not C at all).  `visar summary` must end with exit code 2 and say
# exactly what NAME.expect says: each message with file, line and column, and its hint.  Below each message that
# has a line there must be the source line and a caret.  `run-reject.sh --update` writes the .expect files anew.
cd "$(dirname "$0")" || exit 1
: "${VISAR:?the binary to test}"
out=$(mktemp) || exit 1
got=$(mktemp) || exit 1
trap 'rm -f "$out" "$got"' EXIT
failed=0
fail() {
    echo "not ok reject/$1: $2"
    failed=1
}
for file in *.c; do
    name=${file%.c}
    # shellcheck disable=SC2086 # VISAR may hold options
    $VISAR summary "$file" >/dev/null 2>"$out"
    status=$?
    sed -nE -e '/^([^ ]+: (error|warning|note)|visar): /p' -e 's/^ +hint: /  hint: /p' "$out" >"$got"
    if [ "$1" = --update ]; then
        cp "$got" "$name.expect"
        continue
    fi
    if [ $status -ne 2 ]; then
        fail "$name" "exit code $status instead of 2"
    elif ! cmp -s "$got" "$name.expect"; then
        fail "$name" "the messages differ from $name.expect"
        diff "$name.expect" "$got" | sed 's/^/# /'
    elif [ "$(grep -cE '^[^ ]+:[0-9]+:[0-9]+: ' "$got")" -ne "$(grep -cE '^ +\| *\^' "$out")" ]; then
        fail "$name" "a message lacks its source line and caret"
    else
        echo "ok reject/$name"
    fi
done
exit $failed
