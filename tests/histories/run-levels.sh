#!/bin/sh
# The histories of docs/levels.md: A-not-B satisfies level A and violates level B.
here=$(dirname "$0")
failed=0
for file in "$here"/levels/*-not-*.jsonl; do
    name=$(basename "$file" .jsonl)
    yes=${name%-not-*} no=${name##*-not-}
    "$VISAR" check "$file" --level "$yes" -q >/dev/null 2>&1
    got_yes=$?
    "$VISAR" check "$file" --level "$no" -q >/dev/null 2>&1
    got_no=$?
    if [ $got_yes = 0 ] && [ $got_no = 10 ]; then
        echo "ok $name"
    else
        echo "not ok $name: $yes gives $got_yes (wanted 0), $no gives $got_no (wanted 10)"
        failed=1
    fi
done
exit $failed
