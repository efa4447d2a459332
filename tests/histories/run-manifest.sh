#!/bin/bash
# Every line of the manifest of public histories at its level.  The verdicts there are of published
# checkers, not of an oracle: a difference is a failure here until a certificate decides who is right.
folder=${VISAR_HISTORIES:-$ROOT/../shared/histories}
if [ ! -r "$folder/manifest.tsv" ]; then
    echo "skip manifest: no $(basename "$folder")/manifest.tsv (set VISAR_HISTORIES)"
    exit 0
fi
rc=0
ulimit -t "${VISAR_CHECK_SECONDS:-300}" # of processor time, for each history
while IFS=$'\t' read -r path format level verdict truth; do
    [ "$path" = path ] && continue
    name=${path}_$level
    case $verdict in ok) code=0 ;; violation) code=10 ;; *) echo "not ok $name: verdict '$verdict' in the manifest"; rc=1; continue ;; esac
    out=$("$VISAR" check "$folder/$path" --level "$level" --quiet 2>&1 </dev/null)
    got=$?
    if [ $got -eq $code ]; then echo "ok $name"
    else echo "not ok $name: exit $got, not $code ($truth): $(tail -n 1 <<<"$out" | sed "s|$folder/||g")"; rc=1
    fi
done <"$folder/manifest.tsv"
exit $rc
