#!/bin/bash
# Limits from the command line: memory that runs out in every place, loops that are too long, stacks
# that are too small.  Nothing here depends on how fast the machine is.
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
measure=$(dirname "$VISAR")/tests/bench/measure
[ -x "$measure" ] || measure=
cd "$dir" || exit 1

# expect NAME EXIT REGEX COMMAND…
expect() {
    local name=$1 want=$2 text=$3 got out
    shift 3
    out=$("$@" 2>&1 </dev/null); got=$?
    [ $got -eq "$want" ] && grep -q -- "$text" <<<"$out" && ok "$name" || bad "$name" "exit $got: $(head -c 400 <<<"$out")"
}
# within NAME MB COMMAND…: the peak of the resident memory, and a little for the time between two looks
within() {
    local name=$1 most=$2 peak
    shift 2
    [ -n "$measure" ] || return
    peak=$("$measure" "$@" </dev/null | cut -d' ' -f2)
    [ "$peak" -le $((most + 10)) ] && ok "$name" || bad "$name" "$peak MB"
}

head -c 600000000 /dev/zero | zstd -q -o bomb.jsonl.zst
head -c 600000000 /dev/zero | gzip -1 >bomb.jsonl.gz
expect zstd_bomb 5 "^UNKNOWN: memory ran out (300 MB) while inflating bomb.jsonl.zst" "$VISAR" check bomb.jsonl.zst --memory 300
within zstd_bomb_peak 300 "$VISAR" check bomb.jsonl.zst --memory 300
expect gzip_bomb 5 "^UNKNOWN: memory ran out (300 MB) while inflating bomb.jsonl.gz" "$VISAR" convert bomb.jsonl.gz --memory 300
expect endless_file 5 "^UNKNOWN: memory ran out (300 MB) while reading /dev/zero" "$VISAR" check /dev/zero --memory 300
within endless_file_peak 300 "$VISAR" check /dev/zero --memory 300
expect endless_counterexample 5 "^UNKNOWN: memory ran out (300 MB) while reading /dev/zero" "$VISAR" replay /dev/zero --spec x.spec --memory 300
expect endless_history_json 5 '"phase": "reading /dev/zero"' "$VISAR" check /dev/zero --memory 300 --json
expect endless_history_limit 5 '"limit": "memory"' "$VISAR" check /dev/zero --memory 300 --json

"$VISAR" generate --transactions 500 --out h.jsonl
expect not_looked_at 5 "^UNKNOWN: h.jsonl: not looked at: memory ran out (100 MB) while reading /dev/zero" "$VISAR" check /dev/zero h.jsonl --memory 100
expect not_looked_at_json 5 '"reason": "not looked at: memory ran out (100 MB) while reading /dev/zero"' "$VISAR" check /dev/zero h.jsonl --memory 100 --json

printf '#include <visar.h>\n#include "huge.h"\nDATABASE int x;\nTRANSACTION void t(void) { x = 1; }\nINVARIANT bool i(void) { return x >= 0; }\n' >huge.c
truncate -s 900M huge.h
expect huge_include 5 "^UNKNOWN: memory ran out (300 MB) while clang read huge.c" "$VISAR" verify huge.c --memory 300
within huge_include_peak 300 "$VISAR" verify huge.c --memory 300
expect generate 5 "^UNKNOWN: memory ran out (150 MB) while generating the history" "$VISAR" generate --transactions 100000000 --memory 150 --out out.jsonl
within generate_peak 150 "$VISAR" generate --transactions 100000000 --memory 150 --out out.jsonl
[ -z "$(ls out.jsonl* 2>/dev/null)" ] && ok no_half_files || bad no_half_files "$(ls)"

# Wherever a library is refused memory, the answer is UNKNOWN and says what was going on.  What is
# enough differs a little from run to run, so a verdict is as good.
squeeze() {
    local name=$1 n out got wrong=
    shift
    for n in 20 50 75 80 85 90 95 100 105 110; do
        out=$("$@" --memory $n 2>&1 </dev/null); got=$?
        case $got in
        0 | 10) ;;
        5) tr -s ' \n' ' ' <<<"$out" | grep -q "memory ran out ($n MB) while [a-zA-Z]" || wrong+="$n: $out; " ;;
        *) wrong+="$n: exit $got: $out; " ;;
        esac
    done
    [ -z "$wrong" ] && ok "$name" || bad "$name" "$(head -c 600 <<<"$wrong")"
}
printf '#include <visar.h>\nDATABASE int x, y;\nTRANSACTION void t(void) { if (x + y > 0) x--; }\nTRANSACTION void u(void) { if (x + y > 0) y--; }\nINITIAL void start(void) { x = 1; y = 1; }\nINVARIANT bool i(void) { return x + y >= 0; }\n' >skew.c
"$VISAR" verify skew.c --json >skew.json
if ! ldd "$VISAR" | grep -q 'asan\|tsan'; then
    squeeze squeezed_verify "$VISAR" verify skew.c --jobs 1
    squeeze squeezed_weakest "$VISAR" weakest skew.c --jobs 2
    squeeze squeezed_summary "$VISAR" summary skew.c
    squeeze squeezed_replay "$VISAR" replay skew.json --spec skew.spec --json
    squeeze squeezed_check "$VISAR" check h.jsonl --level ser --solver z3
    expect least_memory 5 "while clang read skew.c (loading libclang.*); a C program takes about 120 MB at least" "$VISAR" verify skew.c --memory 20
fi

# A chain of else-ifs overflows the stack of a thread, but not ours.
{
    printf '#include <visar.h>\nDATABASE int x;\nTRANSACTION void t(int a)\n{\n    if (a == 0)\n        x = 0;\n'
    for ((i = 1; i < 8000; i++)); do printf '    else if (a == %d)\n        x = %d;\n' $i $i; done
    printf '}\nINVARIANT bool i(void) { return x >= 0; }\n'
} >chain.c
if [ "$(ulimit -Hs)" = unlimited ]; then
    expect else_ifs 2 "nested more than 2000 levels deep" "$VISAR" verify chain.c
fi
# Where the stack cannot be enlarged, clang's crash says so.
if ! ldd "$VISAR" | grep -q asan; then
    expect crash 6 "internal error (SIGSEGV.*) while clang read chain.c; no verdict is given.  Please report this line, the command" \
        bash -c 'ulimit -Ss 1024; ulimit -Hs 1024; exec "$0" verify chain.c' "$VISAR"
fi

# A loop that never gets anywhere: not "raise --unwind".
printf '#include <visar.h>\nDATABASE int x;\nTRANSACTION void t(void) { while (1) x ^= 1; }\nINVARIANT bool i(void) { return x >= 0; }\n' >forever.c
expect forever 5 "since nothing leaves this one" bash -c '"$0" verify forever.c --bounded | tr -s " \n" " "; exit ${PIPESTATUS[0]}' "$VISAR"
# --unwind is advised beside the loop that it helps; of two loops on a line one is named.
printf '#include <visar.h>\nDATABASE int x;\nTRANSACTION void t(int n) { for (int i = 0; i < n; i++) x++; }\nTRANSACTION void u(unsigned n) { while (n) n >>= 1; }\nINVARIANT bool i(void) { return x >= 0; }\n' >two.c
expect advice 5 'are possible: bound them with assume, or that the loop ends within 8 iterations (two.c:4): raise --unwind ' \
    bash -c '"$0" verify two.c --model ser --bounded | tr -s " \n" " "; exit ${PIPESTATUS[0]}' "$VISAR"
printf '#include <visar.h>\nDATABASE int x;\nTRANSACTION void t(int n) { while (n) ; while (n) ; }\nINVARIANT bool i(void) { return x >= 0; }\n' >line.c
out=$("$VISAR" verify line.c --model ser --bounded | tr -s " \n" " ")
case $out in *'or that the loops end'* | *'raise --unwind'*) bad one_line "$out" ;; *'whatever --unwind is'*) ok one_line ;; *) bad one_line "$out" ;; esac
# … and where a number is advised, that number does.
printf '#include <visar.h>\nDATABASE unsigned char x;\nINITIAL void z(void) { x = 0; }\nTRANSACTION void t(int n) { assume(n <= 12); for (int i = 0; i < n; i++) if (x < 200) x++; }\nINVARIANT bool i(void) { return x <= 200; }\n' >twelve.c
out=$("$VISAR" verify twelve.c --model ser --bounded | tr -s " \n" " ")
n=$(sed -n 's/.*raise --unwind to \([0-9]*\).*/\1/p' <<<"$out")
[ -n "$n" ] && "$VISAR" verify twelve.c --model ser --bounded --unwind "$n" >/dev/null && ok advised_number || bad advised_number "$n: $out"

# The same reason under every model is told once.
printf '#include <visar.h>\nDATABASE int x;\nTRANSACTION void t(int n) { for (int i = 0; i < n; i++) x ^= 1; }\nINVARIANT bool i(void) { return x >= 0; }\n' >long.c
expect reason_once 5 "^1$" bash -c '"$0" weakest long.c --bounded >long.txt; code=$?; grep -c "not certain" long.txt; exit $code' "$VISAR"

# What is refused half-way is given back.
if command -v valgrind >/dev/null; then
    expect no_leak_when_refused 2 "too large to be computed exactly" valgrind -q --error-exitcode=99 --leak-check=full \
        --suppressions="$ROOT/tests/cli/loader.supp" --errors-for-leak-kinds=definite "$VISAR" verify "$ROOT/tests/reject/huge_product.c"
fi
exit $rc
