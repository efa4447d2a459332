#!/bin/sh
# gen_predicates.sh KIND ROWS [SETS [TRANSACTIONS]]: a history of 10,000 transactions in 20 sessions, half of them
# with a read of all rows whose value is at least 900 … 999 (values are 0 … 999, so that rows change
# whether they match again and again), all with two writes; with complete version orders, and with
# version sets if SETS is 1.  KIND is what a read sees: `serial`: all transactions before it; `lag`:
# a snapshot up to 100 transactions old, but its session's own writes; `replicas`: the store of one
# of four replicas, which take over the others' transactions late, in their order.  Sessions are
# told one after the other.
kind=${1:-serial} rows=${2:-500} sets=${3:-0} txns=${4:-10000}
exec awk -v kind="$kind" -v rows="$rows" -v sets="$sets" -v txns="$txns" -v sessions=20 '
function random(n) { return int(rand() * n) }
# The last version of a row among the first `end` transactions: its number, 0: none.
function version_before(k, end,   i) {
    for (i = count[k]; i && by[k, i] >= end; i--)
        ;
    return i
}
function version_seen(k, t,   snapshot) {
    return kind == "replicas" ? seen[replica, k] + 0 : version_before(k, snap)
}
# What the other replicas have done since, up to a point.
function take_over(r,   upto, t, j, k) {
    if (random(10) >= 3)
        return
    upto = taken[r] + random(now - taken[r] + 1)
    for (t = taken[r]; t < upto; t++)
        for (j = 1; j <= 2; j++) {
            k = wrote[t, j]
            if (k != "" && version[t, j] > seen[r, k])
                seen[r, k] = version[t, j]
        }
    taken[r] = upto
}
function read_rows(t, s,   x, k, v, list, set) {
    x = 900 + random(100)
    snap = now
    if (kind == "lag") {
        snap = now - random(100)
        if (snap < last[s])
            snap = last[s]
    }
    for (k = 0; k < rows; k++) {
        v = version_seen(k, t)
        if (v && sets)
            set = set (set == "" ? "" : ",") "@" by[k, v] "," at[k, v] "]"
        if (v && value[k, v] >= x)
            list = list (list == "" ? "" : ",") "[" k "," value[k, v] "]"
    }
    ops[t] = "[\"predicate\",[[\"value\",\">=\"," x "]],[" list "]]"
    sees[t] = set
    asked[t] = 1
}
function write_row(t, j,   k) {
    k = random(rows)
    if (j == 2 && k == wrote[t, 1])
        return
    wrote[t, j] = k
    version[t, j] = ++count[k]
    by[k, count[k]] = t
    at[k, count[k]] = asked[t] + j - 1
    value[k, count[k]] = random(1000)
    ops[t] = ops[t] (ops[t] == "" ? "" : ",") "[\"w\"," k "," value[k, count[k]] "]"
    if (kind == "replicas")
        seen[replica, k] = count[k]
}
# "@7,…" names transaction 7 by when it ran; in the file it stands elsewhere.
function print_named(text,   i) {
    while (i = index(text, "@")) {
        printf "%s[", substr(text, 1, i - 1)
        text = substr(text, i + 1)
        i = index(text, ",")
        printf "%d", place[substr(text, 1, i - 1)]
        text = substr(text, i)
    }
    print text
}
BEGIN {
    srand(1)
    for (now = 0; now < txns; now++) {
        s = random(sessions)
        replica = s % 4
        take_over(replica)
        if (random(2))
            read_rows(now, s)
        write_row(now, 1)
        write_row(now, 2)
        session[s, ++length_of[s]] = now
        last[s] = now + 1
    }
    printf "{\"visar-history\":1,\"sessions\":%d,\"versions-complete\":true}\n", sessions
    for (s = 0; s < sessions; s++)
        for (i = 1; i <= length_of[s]; i++) {
            t = session[s, i]
            place[t] = n++
            printf "{\"session\":%d,\"ops\":[%s]}\n", s, ops[t]
        }
    for (k = 0; k < rows; k++) {
        if (!count[k])
            continue
        printf "{\"versions\":%d,\"order\":[", k
        for (i = 1; i <= count[k]; i++)
            printf "%s[%d,%d]", (i > 1 ? "," : ""), place[by[k, i]], at[k, i]
        print "]}"
    }
    for (t = 0; t < txns; t++)
        if (asked[t] && sets)
            print_named("{\"version-set\":@" t ",0],\"sees\":[" sees[t] "]}")
}'
