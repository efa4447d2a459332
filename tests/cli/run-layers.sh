#!/bin/bash
# The layer check passes on the tree, and fails when a forbidden include is added.
cd "$ROOT" || exit 1
rc=0
if out=$(tests/layers); then echo "ok layers"; else echo "not ok layers: $out"; rc=1; fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
try() { # NAME FILE INCLUDE
    rm -rf "${copy:?}"/* && cp -r base models frontend symexec history encode report postgres cli "$copy"
    printf '#include %s\n' "$3" >>"$copy/$2"
    if tests/layers "$copy" >/dev/null; then echo "not ok $1: not noticed"; rc=1; else echo "ok $1"; fi
}
try base_may_not_see_models base/arena.c '"models/models.h"'
try symexec_may_not_see_frontend symexec/term.c '"frontend/clang.h"'
try history_may_not_see_encode history/history.c '"encode/verify.h"'
try report_may_not_see_the_encoder report/story.c '"encode/zx.h"'
try models_may_not_see_z3 models/models.c '<z3.h>'
try cli_may_not_see_libclang cli/main.c '<clang-c/Index.h>'
try libclang_has_one_door frontend/clang_tree.c '<clang-c/Index.h>'
try libclang_has_no_door_in_a_header frontend/clang_tree.h '<clang-c/CXString.h>'
exit $rc
