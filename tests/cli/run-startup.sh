#!/bin/bash
# Which libraries a command loads: libclang, Z3 and libpq take long to relocate, so only commands
# that need one of them load it.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rc=0
ok() { echo "ok $1"; }
bad() { echo "not ok $1: $2"; rc=1; }
# loads NAME "LIBRARY…" COMMAND…: of the three, exactly these (a pattern).  What a process maps is told by the
# dynamic linker, into files of its own.
loads() {
    local name=$1 want=$2 got; shift 2
    rm -f "$dir"/ld.*
    LD_DEBUG=files LD_DEBUG_OUTPUT=$dir/ld "$VISAR" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$(cat "$dir"/ld.* | grep -oE 'file=lib(clang|z3|pq)\b' | sort -u | sed 's/file=//' | paste -sd' ')
    [[ $got =~ ^($want)$ ]] && ok "$name" || bad "$name" "loads '$got', not '$want'"
}
"$VISAR" generate --transactions 50 --out "$dir/h.jsonl"
loads models "" models
loads help "" --help
loads generate "" generate --transactions 10
loads convert "" convert "$dir/h.jsonl" --to edn
loads check "" check "$dir/h.jsonl" --strongest
loads check_violation "" check tests/histories/check/write-skew.txt --level ser
"$VISAR" generate --sessions 20 --transactions 300 --keys 5 --reads 0.2 --to dbcop --out "$dir/hard"
loads check_hard "" check "$dir/hard" --level si
loads check_z3 "libz3" check "$dir/hard" --solver z3 --level si
# LLVM may use Z3 itself.
loads summary "libclang( libz3)?" summary examples/bank.c
loads verify "libclang libz3" verify examples/bank.c --model ser
loads version "libclang libpq libz3" --version

# The linker does not see these libraries: every function in the tables must be there.
for table in frontend/clang.def:LIBCLANG check/solver/z3.def:LIBZ3 database/libpq.def:LIBPQ; do
    file=${table%:*}
    soname=$(grep -ohE "VISAR_${table#*:}_SONAME=[^ ]*\.so[.0-9]*" "$BUILD/build.ninja" | head -n 1 | sed 's/.*"//')
    missing=$(python3 - "$soname" "$file" 2>&1 <<'PY'
import ctypes, re, sys
library = ctypes.CDLL(sys.argv[1])
names = re.findall(r"^LIBRARY_FUNCTION\(.*?, (\w+), \(", open(sys.argv[2]).read(), re.M)
print(*[n for n in names if not hasattr(library, n)] if names else ["no functions"])
PY
    )
    [ -z "$missing" ] && ok "functions_of_$file" || bad "functions_of_$file" "$missing"
done
exit $rc
