#!/bin/bash
# Random programs in all interleavings on a private PostgreSQL and a private MariaDB: what is seen is allowed
# by the axioms of docs/databases.md.  What is allowed and was not seen is a figure, not a failure: some of it
# needs a statement that is slow between its snapshot and its locks.
# Takes minutes.
. "$ROOT/tests/database/cluster.sh"
. "$ROOT/tests/conformance/mariadb.sh"
tester=$BUILD/tests/conformance/visar-conformance
[ -x "$tester" ] || { echo "skip servers: libmariadb-dev is not installed"; exit 0; }
trap 'cluster_stop; mariadb_stop' EXIT
programs=${VISAR_QUICK:+30}
programs=${programs:-300}
rc=0
missing=$(cluster_missing)
if [ -n "$missing" ]; then
    echo "skip postgresql: $missing"
else
    cluster_start || { echo "not ok postgresql: it does not start"; exit 1; }
    "$tester" "$url" --programs "$programs" || rc=1
    # A few more with slow statements.
    "$tester" "$url" --programs $((programs / 10)) --levels rc,rr --slow --runs 60 | sed 's/^\(ok\|not ok\) /&slow_/'
    [ "${PIPESTATUS[0]}" -eq 0 ] || rc=1
fi
missing=$(mariadb_missing)
if [ -n "$missing" ]; then
    echo "skip mariadb: $missing"
else
    mariadb_start || { echo "not ok mariadb: it does not start"; exit 1; }
    "$tester" "$mariadb_url" --programs "$programs" || rc=1
fi
exit $rc
