#!/bin/bash
# No control character of a stranger reaches the terminal, and no text of theirs looks like a line of
# a report: keys, names and sessions of histories, file names, source lines, options, databases.
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# A byte that a terminal takes for a command (C0, C1), text that runs backwards, no text at all.
hostile='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae|\xff'
clean() { # name, arguments: the command may fail, but prints nothing hostile and no line FAKE
    local name=$1; shift
    "$VISAR" "$@" >out 2>&1 </dev/null
    [ -s out ] || { bad "$name" "it prints nothing"; return; }
    LC_ALL=C grep -qaP "$hostile" out && { bad "$name" "a control character: $(cat -v out | head -5)"; return; }
    LC_ALL=C grep -qa '^FAKE' out && { bad "$name" "a line that is not visar's: $(cat -v out | head -5)"; return; }
    ok "$name"
}
esc='\u001b[2J\u009b31m\u0007\r\nFAKE: OK\u202e'
name=$(printf 'h\033[2J\nFAKE\302\233.jsonl')
cat >"$name" <<E
{"visar-history":1,"sessions":["s$esc","t"]}
{"initial":[["k$esc","v$esc"],["l","v"]]}
{"session":0,"name":"n$esc","ops":[["r","k$esc","v$esc"],["r","l","v"],["w","k$esc","1$esc"]]}
{"session":1,"name":"n$esc","ops":[["r","k$esc","v$esc"],["r","l","v"],["w","l","2"]]}
{"session":1,"ops":[["r","k$esc","1$esc"],["r","l","2"]]}
E
cp "$name" plain.jsonl
for file in "$name" plain.jsonl; do
    for level in ser si; do
        clean "check_${level}_${file:0:1}" check "$file" --level $level
        clean "check_${level}_json_${file:0:1}" check "$file" --level $level --json
        clean "check_${level}_quiet_${file:0:1}" check "$file" --level $level --quiet
    done
    clean "check_all_${file:0:1}" check "$file" --strongest
    clean "dump_history_${file:0:1}" check "$file" --dump history
    clean "certificate_${file:0:1}" check "$file" --level ser --certificate - --quiet
    clean "dot_${file:0:1}" check "$file" --level ser --dot - --quiet
done
clean several check "$name" plain.jsonl --level ser
"$VISAR" check plain.jsonl --level ser --json 2>&1 | python3 -c 'import json, sys; d = json.load(sys.stdin); sys.exit("\x9b" not in json.dumps(d, ensure_ascii=False))' && ok json_keeps_text || bad json_keeps_text "the JSON has lost something"
# What is there for colour stays, and nothing else passes with it.
"$VISAR" check plain.jsonl --level ser --color always >out 2>&1
grep -q "$(printf '\033\\[1;31mVIOLATION\033\\[0m')" out && ! sed 's/\x1b\[[0-9;]*m//g' out | LC_ALL=C grep -qaP "$hostile" && ok color || bad color "$(cat -v out | head -3)"

# ---- bad input ----
clean no_such_file check "$(printf 'no\033such\nFAKE')"
clean no_such_program verify "$(printf 'no\033such\nFAKE.c')"
clean no_such_option check "$(printf -- '--no\033such')"
clean no_such_level check plain.jsonl --level "$(printf 's\033i')"
clean no_such_command "$(printf 'no\033such')"
clean no_such_database record --out r.jsonl --on "$(printf 'postgresql://127.0.0.1:1/x\033[2J')"
clean no_such_host record --out r.jsonl --on "$(printf 'host=no\033such\nFAKE port=1')"
for text in '{"visar-history":1}\n{"session":0,"x\\u001b[2J\\u009b":1,"ops":[]}\n' '{"visar-history":1}\n{"session":0,"ops":[["\\u001b[2J\\nFAKE","k",1]]}\n' '{"visar-history":1}\n\033[2J\302\233\n' '\033[2J\377\n'; do
    printf "$text" >bad.jsonl
    clean "bad_input_$(cksum <<<"$text" | cut -d' ' -f1)" check bad.jsonl
    cp bad.jsonl "$name"
    clean "bad_input_name_$(cksum <<<"$text" | cut -d' ' -f1)" check "$name"
done
program=$(printf 'p\033[2J.c')
printf '#include <visar.h>\nDATABASE int x; /*\033[2J\302\233\377*/ double d;\nTRANSACTION void t(void) { x = 1; }\n' >"$program"
clean source_line verify "$program"
clean source_line_summary summary "$program"
printf '#include <visar.h>\nDATABASE int x;\nTRANSACTION void t(void) { x = x + 1; }\nINVARIANT bool small(void) { /*\033[2J*/ return x < 2; }\nSCENARIO void s(void) { t(); t(); }\n' >"$program"
for command in verify weakest summary; do
    clean "program_$command" $command "$program"
    clean "program_${command}_json" $command "$program" --json
done
# The caret stands under its column, whatever is before it.
printf '#include <visar.h>\nDATABASE int x; /*\033ä*/ double d;\nTRANSACTION void t(void) { x = 1; }\n' >caret.c
"$VISAR" verify caret.c >out 2>&1
python3 - <<'E' && ok caret || bad caret "$(cat -v out)"
lines = open("out", encoding="utf-8").read().split("\n")
at = next(i for i, l in enumerate(lines) if "double d" in l)
raise SystemExit(lines[at + 1].index("^") not in (lines[at].index("double"), lines[at].index("d;")))
E
exit $rc
