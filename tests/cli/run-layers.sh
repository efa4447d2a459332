#!/bin/bash
# The layer check passes on the tree, and fails when a forbidden include is added.
cd "$ROOT" || exit 1
rc=0
if out=$(tests/layers); then echo "ok layers"; else echo "not ok layers: $out"; rc=1; fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
try() { # NAME FILE INCLUDE
    rm -rf "${copy:?}"/* && cp -r base models frontend symexec history certify check encode report database cli "$copy"
    printf '#include %s\n' "$3" >>"$copy/$2"
    if tests/layers "$copy" >/dev/null; then echo "not ok $1: not noticed"; rc=1; else echo "ok $1"; fi
}
try base_may_not_see_models base/arena.c '"models/models.h"'
try symexec_may_not_see_frontend symexec/term.c '"frontend/clang.h"'
try history_may_not_see_encode history/history.c '"encode/verify.h"'
try report_may_not_see_the_encoder report/story/story.c '"encode/z3ctx.h"'
try models_may_not_see_z3 models/models.c '<z3.h>'
try cli_may_not_see_libclang cli/main.c '<clang-c/Index.h>'
try libclang_has_one_door frontend/clang_tree.c '<clang-c/Index.h>'
try libclang_has_no_door_in_a_header frontend/clang_tree.h '<clang-c/CXString.h>'
try certify_may_not_see_check certify/order/certify_order.c '"check/check.h"'
try the_search_may_not_see_the_solvers_users check/solver/sat.c '"check/problem/match.h"'
try inner_rooms_do_not_include_each_other check/graph/saturate.c '"check/order/greedy.h"'
try inner_rooms_may_not_see_the_room_around_them check/problem/match.c '"check/check.h"'
try cli_may_not_go_round_the_door cli/cross_check.c '"check/certified_search.h"'
try cli_may_not_see_the_inner_rooms_of_check cli/whitebox.c '"check/predicate/missing_rows.h"'
try databases_may_not_go_round_the_door database/engine.c '"check/certified_search.h"'
try reports_may_not_go_round_the_door report/story.c '"check/search.h"'
try histories_may_not_see_their_formats history/history.c '"history/format/formats.h"'
try libpq_has_one_driver database/record.c '<libpq-fe.h>'
twice() { # NAME COMMANDS: the tree with a change
    rm -rf "${copy:?}"/* && cp -r base models frontend symexec history certify check encode report database cli "$copy"
    (cd "$copy" && eval "$2")
    if tests/layers "$copy" >/dev/null; then echo "not ok $1: not noticed"; rc=1; else echo "ok $1"; fi
}
twice no_name_twice 'cp base/map.c report/map.c'
exit $rc
