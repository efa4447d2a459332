#!/bin/bash
# Hand-written histories in every format, converted to visar's own (expected/FILE.jsonl), and from
# there to every format and back; files that must be refused, with the message (expected/FILE.err).
# With --bless the expectations are written instead of compared.
cd "${ROOT:-$(dirname "$0")/../..}/tests/histories/formats" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
same() { # name, what came out, what was expected
    [ "$bless" ] && cp "$2" "$3"
    if cmp -s "$2" "$3"; then ok "$1"; else bad "$1" "$(diff "$2" "$3" | head -3 | tr '\n' ' ')"; fi
}
[ "$1" = --bless ] && bless=1

for path in accept/*; do
    file=${path#accept/}
    if "$VISAR" convert "$path" --to jsonl --output "$dir/out.jsonl" 2>"$dir/err"; then
        same "convert_$file" "$dir/out.jsonl" "expected/$file.jsonl"
    else
        bad "convert_$file" "$(cat "$dir/err")"
        continue
    fi
    # Every other format says the same, or says why it cannot.
    for to in edn dbcop plume blocks; do
        if "$VISAR" convert "$path" --to "$to" --output "$dir/there" 2>"$dir/err"; then
            "$VISAR" convert "$dir/there" --format "$to" --to "$to" --output "$dir/back" 2>/dev/null
            # In EDN processes may get other numbers: the lines without them are the same.
            sed -i 's/:process [0-9]*//' "$dir/there" "$dir/back"
            if cmp -s "$dir/there" "$dir/back"; then ok "there_and_back_${file}_$to"
            else bad "there_and_back_${file}_$to" "differs"; fi
        elif grep -q 'cannot express' "$dir/err"; then ok "there_and_back_${file}_$to"
        else bad "there_and_back_${file}_$to" "$(cat "$dir/err")"; fi
    done
done

for path in reject/*; do
    file=${path#reject/}
    "$VISAR" convert "$path" --to jsonl --output "$dir/none.jsonl" >"$dir/out" 2>"$dir/err"
    code=$?
    if [ $code -ne 2 ]; then bad "reject_$file" "exit code $code, not 2"; continue; fi
    if [ -e "$dir/none.jsonl" ]; then bad "reject_$file" "left an output"; continue; fi
    same "reject_$file" "$dir/err" "expected/$file.err"
done

# Compressed files and standard input.
gzip -c accept/append.edn >"$dir/a.edn.gz"
"$VISAR" convert "$dir/a.edn.gz" 2>/dev/null >"$dir/out.jsonl"
same gzip "$dir/out.jsonl" expected/append.edn.jsonl
"$VISAR" convert - <accept/append.edn 2>/dev/null >"$dir/out.jsonl"
same standard_input "$dir/out.jsonl" expected/append.edn.jsonl
if command -v zstd >/dev/null; then
    zstd -qc accept/append.edn >"$dir/a.edn.zst"
    "$VISAR" convert "$dir/a.edn.zst" 2>/dev/null >"$dir/out.jsonl"
    same zstd "$dir/out.jsonl" expected/append.edn.jsonl
else
    echo "skip zstd: no zstd program"
fi
exit $rc
