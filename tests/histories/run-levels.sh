#!/bin/sh
# The histories of docs/levels.md: A-not-B satisfies level A and violates level B.  Over all files
# together: every level's verdict fits the lattice, and every two levels are told apart.
here=$(dirname "$0")
failed=0
table=$(mktemp) || exit 1
trap 'rm -f "$table"' EXIT

# verdict FILE LEVEL: 0 or 10
verdict() {
    "$VISAR" check "$1" --level "$2" -q >/dev/null 2>&1
    echo $?
}

for file in "$here"/levels/*-not-*.jsonl; do
    name=$(basename "$file" .jsonl)
    yes=${name%-not-*} no=${name##*-not-}
    got_yes=$(verdict "$file" "$yes") got_no=$(verdict "$file" "$no")
    if [ "$got_yes" = 0 ] && [ "$got_no" = 10 ]; then
        echo "ok $name"
    else
        echo "not ok $name: $yes gives $got_yes (wanted 0), $no gives $got_no (wanted 10)"
        failed=1
    fi
    for level in ec rc rcs ra cc pc psi si ser; do
        echo "$name $level $(verdict "$file" "$level")" >>"$table"
    done
done

# Which levels each level implies, itself included.
awk '
BEGIN {
    below["ec"] = "ec"; below["rc"] = "ec rc"; below["rcs"] = "ec rc rcs"
    below["ra"] = "ec rc ra"; below["cc"] = "ec rc ra cc"
    below["pc"] = "ec rc rcs ra cc pc"; below["psi"] = "ec rc ra cc psi"
    below["si"] = "ec rc rcs ra cc pc psi si"; below["ser"] = "ec rc rcs ra cc pc psi si ser"
}
{ got[$1, $2] = $3; files[$1] = 1 }
END {
    bad = 0
    for (a in below) {
        split("", implied); n = split(below[a], list, " ")
        for (i = 1; i <= n; i++) implied[list[i]] = 1
        for (b in below) {
            apart = 0
            for (f in files) {
                if (got[f, a] == 0 && got[f, b] == 10) apart = f
                if (got[f, a] != 0 && got[f, a] != 10) { print "not ok " f ": " a " gives " got[f, a]; bad = 1 }
            }
            if (b in implied && apart) { print "not ok lattice: " apart " satisfies " a " but not " b; bad = 1 }
            if (!(b in implied) && !apart) { print "not ok separated: no history satisfies " a " but not " b; bad = 1 }
        }
    }
    if (!bad) print "ok lattice"
    exit bad
}' "$table" || failed=1
exit $failed
