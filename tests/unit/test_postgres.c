/* The parts of database/ that need no server: names, schedules, the growing file, turns. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "history/format/formats.h"
#include "database/aborts.h"
#include "database/engine.h"
#include "database/journal.h"
#include "database/plan.h"
#include "database/replay.h"
#include "database/schedule.h"
#include "database/scratch.h"
#include "database/turns.h"
#include "tests/unit/lying_search.h"

/* ---- names ---------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_string_equal(scratch_name("account", 3, &a), "\"account\"");
    assert_string_equal(scratch_name("a\"b\"", 3, &a), "\"a\"\"b\"\"\"");
    assert_string_equal(scratch_name("", 3, &a), "\"~3\"");
    char name[80];
    memset(name, 'x', 70);
    name[70] = 0;
    const char *cut = scratch_name(name, 12, &a);
    assert_int_equal(strlen(cut), 63 + 2);
    assert_string_equal(cut + 61, "~12\"");
    /* No character is cut in two: 60 bytes fit, the next one would be the first of two. */
    memset(name, 'x', 59);
    strcpy(name + 59, "\u00e4\u00e4\u00e4");
    assert_string_equal(scratch_name(name, 12, &a) + 60, "~12\"");
    arena_free(&a);
}

/* ---- schedules ------------------------------------------------------------------------------ */

/* Transactions in a few words.  "s0 x<- y=1": session 0, reads x from the initial state, writes 1
 * to y; "x<2" reads from transaction 2; "!x" locks x.  The final observer is added by the plan. */
static void put_row(struct strbuf *b, char row, const char *value)
{
    sb_printf(b,
              "{\"row\":\"%c\",\"table\":\"%c\",\"index\":[],\"fields\":[{\"name\":\"%c\","
              "\"path\":\"\",\"value\":%s}]",
              row, row, row, value);
}

/* What transaction `from` of the list writes to the row. */
static const char *written(const char *const *txns, char from, char row)
{
    static char value[2];
    if (from == '-')
        return "0";
    for (const char *p = txns[from - '0'] + 3; *p; p += strcspn(p, " "), p += *p == ' ')
        if (p[0] == row && p[1] == '=')
            value[0] = p[2];
    return value;
}

static void put_txn(struct strbuf *b, int id, const char *const *txns)
{
    struct strbuf reads = {0}, writes = {0}, locks = {0}, sees = {0};
    char session = txns[id][1];
    for (const char *p = txns[id] + 3; *p; p += strcspn(p, " "), p += *p == ' ') {
        if (*p == '!') {
            sb_puts(&locks, locks.len ? "," : "");
            put_row(&locks, p[1], "0");
            sb_putc(&locks, '}');
        } else if (p[1] == '<') {
            sb_puts(&reads, reads.len ? "," : "");
            put_row(&reads, p[0], written(txns, p[2], p[0]));
            sb_printf(&reads, ",\"point\":0,\"from\":%s}",
                      p[2] == '-' ? "null" : (char[]){p[2], 0});
        } else {
            sb_puts(&writes, writes.len ? "," : "");
            put_row(&writes, p[0], (char[]){p[2], 0});
            sb_putc(&writes, '}');
        }
    }
    for (int i = 0; i < id; i++)
        sb_printf(&sees, "%s%d", i ? "," : "", i);
    sb_printf(b,
              "%s{\"id\":%d,\"name\":\"t%d\",\"function\":\"t\",\"level\":\"si\",\"session\":%c,"
              "\"position\":%d,\"inputs\":[],\"returned\":[],\"sees\":[[%s]],"
              "\"end\":\"committed\",\"reads\":[%s],\"writes\":[%s],\"locks\":[%s]}",
              id ? "," : "", id, id, session, id, sb_str(&sees), sb_str(&reads), sb_str(&writes),
              sb_str(&locks));
    sb_free(&reads);
    sb_free(&writes);
    sb_free(&locks);
    sb_free(&sees);
}

static void put_report(struct strbuf *b, const char *const *txns)
{
    int n = 0;
    sb_puts(b, "{\"schema\":\"visar/1\",\"command\":\"verify\",\"file\":\"x.c\","
               "\"granularity\":\"row\",\"results\":[{\"model\":\"si\",\"status\":\"violated\","
               "\"verdicts\":[{\"property\":{\"name\":\"p\",\"kind\":\"final predicate\","
               "\"location\":null},\"status\":\"violated\",\"execution\":{\"model\":\"si\","
               "\"session_order\":true,\"scenario\":null,\"inputs\":[],\"anomaly\":null,"
               "\"initial\":[],\"final\":[],\"observer\":null,\"transactions\":[");
    for (; txns[n]; n++)
        put_txn(b, n, txns);
    sb_puts(b, "],\"arbitration\":[");
    for (int i = 0; i < n; i++)
        sb_printf(b, "%s%d", i ? "," : "", i);
    sb_puts(b, "]}}]}]}");
}

static struct plan *plan_of(const char *const *txns)
{
    struct strbuf b = {0};
    struct arena a = {0};
    struct plan *p = NULL;
    put_report(&b, txns);
    const char *error = plan_read_json(b.data, b.len, NULL, &a, &p);
    if (error)
        fail_msg("%s", error);
    sb_free(&b);
    arena_free(&a);
    return p;
}

static bool found(const char *const *txns, enum record_isolation level)
{
    struct plan *p = plan_of(txns);
    struct schedule s;
    enum record_isolation levels[16];
    for (int i = 0; i < 16; i++)
        levels[i] = level;
    bool yes = schedule_find(p, levels, &s);
    schedule_free(&s);
    plan_free(p);
    return yes;
}

#define TXNS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_schedules(void **state)
{
    (void)state;
    const char *const *write_skew = TXNS("s0 x<- y<- x=1", "s1 x<- y<- y=1");
    assert_true(found(write_skew, RECORD_REPEATABLE_READ));
    const char *const *lost_update = TXNS("s0 x<- x=1", "s1 x<- x=2");
    assert_false(found(lost_update, RECORD_REPEATABLE_READ));
    assert_true(found(lost_update, RECORD_READ_COMMITTED));
    const char *const *long_fork = TXNS("s0 x=1", "s1 y=1", "s2 x<0 y<-", "s3 y<1 x<-");
    assert_false(found(long_fork, RECORD_REPEATABLE_READ));
    assert_false(found(long_fork, RECORD_READ_COMMITTED));
    /* With its reads in the other order the second reader only has two snapshots. */
    assert_true(found(TXNS("s0 x=1", "s1 y=1", "s2 x<0 y<-", "s3 x<- y<1"), RECORD_READ_COMMITTED));
    const char *const *read_skew = TXNS("s0 x=1 y=1", "s1 x<- y<0");
    assert_false(found(read_skew, RECORD_REPEATABLE_READ));
    assert_true(found(read_skew, RECORD_READ_COMMITTED));
    assert_false(found(TXNS("s0 x=1 y=1", "s1 x<0 y<-"), RECORD_READ_COMMITTED));
    /* Session order: who comes after the write in its session sees it. */
    assert_true(found(TXNS("s0 x=1", "s1 x<-"), RECORD_REPEATABLE_READ));
    assert_false(found(TXNS("s0 x=1", "s0 x<-"), RECORD_REPEATABLE_READ));
    assert_false(found(TXNS("s0 x=1", "s0 x<-"), RECORD_READ_COMMITTED));
    /* The order of commits may have to differ from arbitration. */
    assert_true(found(TXNS("s0 x=1", "s1 y<- x<-", "s2 y=1"), RECORD_READ_COMMITTED));
    /* A lock keeps others from writing until the commit. */
    assert_true(found(TXNS("s0 x<- y=1", "s1 x=1"), RECORD_REPEATABLE_READ));
    assert_false(found(TXNS("s1 x=1 z=2", "s0 y=1 x<- !x z<0"), RECORD_READ_COMMITTED));
    /* A row that both only lock: with one snapshot the second goes on with what it has seen; with a
     * snapshot for each statement it sees the first. */
    const char *const *gate = TXNS("s0 !z x<- y=1", "s1 !z y<- x=1");
    assert_true(found(gate, RECORD_REPEATABLE_READ));
    assert_true(found(TXNS("s0 z<- !z x<- y=1", "s1 z<- !z y<- x=1"), RECORD_REPEATABLE_READ));
    assert_false(found(gate, RECORD_READ_COMMITTED));
}

/* ---- schedules, against all there are ------------------------------------------------------- */

enum { SMALL = 5 };

struct brute {
    const struct plan *p;
    bool snapshots;
    uint32_t order[SMALL], place[SMALL];
};

static uint32_t writer_before(const struct brute *b, uint32_t row, uint32_t point)
{
    uint32_t writer = PLAN_INITIAL;
    for (uint32_t i = 0; i < point; i++)
        if (plan_find_write(&b->p->txns.data[b->order[i]], row))
            writer = b->order[i];
    return writer;
}

static bool locks(const struct plan_txn *t, uint32_t row)
{
    bool yes = false;
    for (size_t i = 0; i < t->locks.len; i++)
        yes |= t->locks.data[i] == row;
    for (size_t i = 0; i < t->reads.len; i++)
        yes |= t->reads.data[i].lock && t->reads.data[i].cells.row == row;
    return yes;
}

/* Does somebody commit in between who writes the row (or locked it)? */
static bool taken(const struct brute *b, uint32_t row, uint32_t from, uint32_t to, bool too)
{
    bool yes = false;
    for (uint32_t i = from; i < to; i++) {
        const struct plan_txn *u = &b->p->txns.data[b->order[i]];
        yes |= plan_find_write(u, row) || (too && locks(u, row));
    }
    return yes;
}

/* From the n-th read on, none before `point`. */
static bool reads_fit(const struct brute *b, uint32_t id, size_t n, uint32_t point)
{
    const struct plan_txn *t = &b->p->txns.data[id];
    if (n == t->reads.len)
        return true;
    const struct plan_read *r = &t->reads.data[n];
    for (; point <= b->place[id]; point++)
        if (writer_before(b, r->cells.row, point) == r->source &&
            (!r->lock || !taken(b, r->cells.row, point, b->place[id], true)) &&
            reads_fit(b, id, n + 1, point))
            return true;
    return false;
}

static bool one_snapshot_fits(const struct brute *b, uint32_t id, uint32_t point)
{
    const struct plan_txn *t = &b->p->txns.data[id];
    bool fits = true;
    for (size_t i = 0; i < t->reads.len; i++)
        fits &= writer_before(b, t->reads.data[i].cells.row, point) == t->reads.data[i].source;
    for (uint32_t row = 0; row < b->p->rows.len; row++) {
        fits &= !plan_find_write(t, row) || !taken(b, row, point, b->place[id], false);
        fits &= !locks(t, row) || !taken(b, row, point, b->place[id], false);
    }
    return fits;
}

static bool txn_fits(const struct brute *b, uint32_t id)
{
    const struct plan_txn *t = &b->p->txns.data[id];
    uint32_t first = 0;
    bool any = false;
    for (uint32_t i = 0; i < b->p->txns.len; i++) { /* those of its session, in their order */
        const struct plan_txn *u = &b->p->txns.data[i];
        if (i == id || u->session != t->session)
            continue;
        if ((u->position < t->position) != (b->place[i] < b->place[id]))
            return false;
        if (b->place[i] < b->place[id] && b->place[i] >= first)
            first = b->place[i] + 1;
    }
    if (id == b->p->txns.len - 1) { /* the final observer */
        if (b->place[id] != id)
            return false;
        first = id;
    }
    if (!b->snapshots) {
        for (uint32_t point = first; point <= b->place[id] && !any; point++) {
            any = reads_fit(b, id, 0, point);
            for (size_t i = 0; i < t->locks.len; i++)
                any &= !taken(b, t->locks.data[i], point, b->place[id], true);
        }
        return any;
    }
    for (uint32_t point = first; point <= b->place[id]; point++)
        any |= one_snapshot_fits(b, id, point);
    return any;
}

static bool some_order(struct brute *b, uint32_t done, uint32_t used)
{
    uint32_t n = (uint32_t)b->p->txns.len;
    bool all = done == n;
    for (uint32_t i = 0; i < n && all; i++)
        all = txn_fits(b, i);
    if (all)
        return true;
    for (uint32_t i = 0; i < n && done < n; i++) {
        if (used >> i & 1)
            continue;
        b->order[done] = i;
        b->place[i] = done;
        if (some_order(b, done + 1, used | 1u << i))
            return true;
    }
    return false;
}

static uint32_t dice(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 16) % below;
}

/* Two to four transactions on three rows; reads are from whichever earlier one writes the row. */
static struct plan *random_plan(uint32_t *seed)
{
    uint32_t n = 2 + dice(seed, 3), sessions = 1 + dice(seed, 4);
    bool writes[4][3];
    struct strbuf text[4] = {{0}};
    const char *txns[5] = {NULL};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t row = 0; row < 3; row++)
            writes[i][row] = dice(seed, 3) == 0;
    for (uint32_t i = 0; i < n; i++) {
        sb_printf(&text[i], "s%u", dice(seed, 3) ? i % 4 : dice(seed, sessions));
        for (uint32_t k = dice(seed, 4); k > 0; k--) {
            uint32_t row = dice(seed, 3), from = dice(seed, i + 1);
            bool initial = from == i || !writes[from][row] || dice(seed, 3) == 0;
            sb_printf(&text[i], " %c<%c", 'x' + (int)row, initial ? '-' : '0' + (int)from);
        }
        if (dice(seed, 3) == 0)
            sb_printf(&text[i], " !%c", 'x' + (int)dice(seed, 3));
        for (uint32_t row = 0; row < 3; row++)
            if (writes[i][row])
                sb_printf(&text[i], " %c=%u", 'x' + (int)row, i + 1);
        sb_puts(&text[i], text[i].len == 2 ? " " : "");
        txns[i] = sb_str(&text[i]);
    }
    struct plan *p = plan_of(txns);
    for (uint32_t i = 0; i < n; i++)
        sb_free(&text[i]);
    return p;
}

/* A schedule is found iff there is one; and most often it is the certificate's. */
static void test_all_schedules(void **state)
{
    (void)state;
    uint32_t seed = 7, none = 0, certificate = 0, searched = 0;
    for (int round = 0; round < 6000; round++) {
        struct plan *p = random_plan(&seed);
        enum record_isolation levels[SMALL];
        struct brute b = {.p = p, .snapshots = round % 2};
        struct schedule s;
        for (int i = 0; i < SMALL; i++)
            levels[i] = b.snapshots ? RECORD_REPEATABLE_READ : RECORD_READ_COMMITTED;
        bool yes = schedule_find(p, levels, &s);
        if (yes != some_order(&b, 0, 0) || s.gave_up || s.broken)
            fail_msg("round %d: %s", round, yes ? "there is no such schedule" : "there is one");
        none += !yes;
        certificate += yes && s.order == SCHEDULE_CERTIFICATE;
        searched += yes && s.order == SCHEDULE_SEARCHED;
        bool locked = false;
        for (uint32_t i = 0; i < p->txns.len; i++)
            for (uint32_t row = 0; row < p->rows.len; row++)
                locked |= locks(&p->txns.data[i], row);
        assert_true(locked || !yes || s.order == SCHEDULE_CERTIFICATE);
        schedule_free(&s);
        plan_free(p);
    }
    print_message("%u by certificate, %u searched, %u not at all\n", certificate, searched, none);
    assert_true(none > 500 && certificate > 500 && searched > 10);
}

static void test_spec(void **state)
{
    (void)state;
    struct plan *p = plan_of(TXNS("s0 x<- y=1", "s1 y<- x=1"));
    struct schedule s;
    struct replay r = {0};
    char *text = NULL;
    size_t size = 0;
    pgreplay_levels(&r, p, -1);
    assert_true(pgreplay_schedule(&r, p, false, &s));
    FILE *out = open_memstream(&text, &size);
    pgreplay_spec(&r, p, &s, out);
    fclose(out);
    assert_non_null(strstr(text, "permutation \"t1_begin\" \"t1_read1\" \"t2_begin\" \"t2_read1\" "
                                 "\"t1_write1\" \"t1_end\" \"t2_write1\" \"t2_end\" "
                                 "\"t3_begin\" \"t3_read1\" \"t3_read2\" \"t3_end\""));
    assert_non_null(strstr(text,
                           "step \"t1_write1\" { UPDATE visar_replay.\"y\" SET \"value\" = 1, "
                           "\"#version\" = 1; }"));
    free(text);
    schedule_free(&s);
    pgreplay_free(&r);
    plan_free(p);
}

static const char *plan_error(const char *text)
{
    static struct arena a;
    struct plan *p = NULL;
    const char *error = plan_read_json(text, strlen(text), NULL, &a, &p);
    plan_free(p);
    return error;
}

/* The report of a write skew with one text in place of another: the error has this beginning. */
static void assert_refused(const char *old, const char *new, const char *error)
{
    struct strbuf b = {0}, changed = {0};
    put_report(&b, TXNS("s0 x<- y=1", "s1 y<0 x=2"));
    const char *at = strstr(b.data, old);
    assert_non_null(at);
    sb_add(&changed, b.data, (size_t)(at - b.data));
    sb_printf(&changed, "%s%s", new, at + strlen(old));
    const char *got = plan_error(changed.data);
    if (!got || strncmp(got, error, strlen(error)) != 0)
        fail_msg("%s instead of %s: %s", new, old, got ? got : "accepted");
    sb_free(&b);
    sb_free(&changed);
}

#define EXECUTION "results[0].verdicts[0].execution"

static void test_bad_plans(void **state)
{
    (void)state;
    assert_non_null(plan_error(""));
    assert_non_null(plan_error("[]"));
    assert_non_null(plan_error("{\"command\":\"check\"}"));
    assert_non_null(plan_error("{\"command\":\"verify\",\"results\":3}"));
    assert_refused("visar/1", "visar/2", "schema: expected \"visar/1\", found \"visar/2\"");
    assert_refused("\"schema\":\"visar/1\",", "", "schema: expected \"visar/1\", it is missing");
    assert_refused("[{\"model\":\"si\"", "[{\"model\":\"zzz\"",
                   "results[0].model: expected the name of a model, found \"zzz\"");
    assert_refused("[{\"model\":\"si\"", "[{\"model\":\"pc\"",
                   EXECUTION ": its model is si, but the result is about pc");
    assert_refused("\"execution\":{\"model\":\"si\"", "\"execution\":{\"model\":3",
                   EXECUTION ".model: expected the name of a model, or null, found 3");
    assert_refused("\"level\":\"si\"", "\"level\":\"cc\"",
                   EXECUTION ".transactions[0]: \"level\" is cc");
    assert_refused("\"granularity\":\"row\"", "\"granularity\":\"\\u001b[31m\"",
                   "granularity: expected \"row\" or \"field\", found \"\\u001B[31m\"");
    assert_refused("\"index\":[]", "\"index\":[-1]",
                   EXECUTION ".transactions[0].reads[0].index[0]: expected an integer from 0, "
                             "found -1");
    assert_refused("\"index\":[]", "\"index\":[1]",
                   EXECUTION ".transactions[0].reads[0]: \"row\" is not what");
    assert_refused("\"session\":0", "\"session\":-1",
                   EXECUTION ".transactions[0].session: expected an integer from 0 to 999");
    assert_refused("\"session\":0", "\"session\":0.5", EXECUTION ".transactions[0].session: ");
    assert_refused("\"position\":0", "\"position\":1", EXECUTION ".transactions[0]: \"position\"");
    assert_refused("\"id\":1", "\"id\":0", EXECUTION ".transactions[1]: \"id\"");
    assert_refused("\"arbitration\":[0,1]", "\"arbitration\":[0,0]",
                   EXECUTION ".transactions[1]: \"position\"");
    assert_refused("\"arbitration\":[0,1]", "\"arbitration\":[0]",
                   EXECUTION ": \"arbitration\" has 1 transactions, and there are 2");
    assert_refused("\"from\":0", "\"from\":7",
                   EXECUTION ".transactions[1].reads[0]: reads from transaction 7");
    assert_refused("\"point\":0,\"from\":0", "\"point\":1,\"from\":0",
                   EXECUTION ".transactions[1].reads[0]: \"sees\" has no set number 1");
    assert_refused("\"sees\":[[0]]", "\"sees\":[[]]",
                   EXECUTION
                   ".transactions[1].reads[0]: reads from transaction 0 (\"from\"), which "
                   "it does not see");
    assert_refused("\"sees\":[[0]]", "\"sees\":[[1]]",
                   EXECUTION ".transactions[1].sees[0][0]: transaction 1 does not come earlier");
    assert_refused("\"sees\":[[0]]", "\"sees\":[[0,0]]",
                   EXECUTION ".transactions[1].sees[0][1]: transaction 0 is there twice");
    assert_refused("\"value\":0", "\"value\":3",
                   EXECUTION ".transactions[0].reads[0]: has another value than the initial state");
    assert_refused("\"value\":1", "\"value\":3",
                   EXECUTION ".transactions[1].reads[0]: has another value than the transaction");
    assert_refused("\"value\":1", "\"value\":\"1; DROP TABLE x\"",
                   EXECUTION ".transactions[0].writes[0].fields[0].value: expected true, false or");
    assert_refused("\"value\":1", "\"value\":true",
                   EXECUTION ".transactions[1].reads[0].fields[0].value: this column has numbers");
    assert_refused("\"end\":\"committed\"", "\"end\":\"gone\"",
                   EXECUTION ".transactions[0].end: expected \"committed\", \"rolled back\" or ");
    assert_refused("\"end\":\"committed\"", "\"end\":\"rolled back\"",
                   EXECUTION ".transactions[0].writes[0]: the transaction did not commit");
    assert_refused("\"kind\":\"final predicate\"", "\"kind\":\"axiom\"",
                   "results[0].verdicts[0].property.kind: expected ");
    assert_refused("\"status\":\"violated\",\"execution\"", "\"status\":\"holds\",\"execution\"",
                   "it has no counterexample");
}

/* ---- the growing file ----------------------------------------------------------------------- */

static void test_journal(void **state)
{
    (void)state;
    char path[] = "/tmp/visar-journal-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct arena a = {0};
    struct journal j;
    struct strbuf ops = {0};
    int64_t place[300];
    assert_null(journal_open(&j, path, false, &a)); /* it is there, but empty */
    assert_null(journal_begin(&j, ",\"default\":0", &a));
    for (int i = 0; i < 300; i++) {
        sb_clear(&ops);
        for (int k = 0; k <= i % 40; k++)
            sb_printf(&ops, "%s[\"w\",%d,%d]", k ? "," : "", k, i * 100 + k + 1);
        struct journal_txn t = {.session = (uint64_t)i,
                                .status = HIST_UNKNOWN,
                                .begin = i,
                                .begin_answered = i % 3 ? i + 1 : HIST_NO_TIME,
                                .commit_asked = i + 2,
                                .ops = &ops};
        place[i] = journal_add(&j, &t);
        assert_true(place[i] / 4096 == (place[i] + 55) / 4096);
    }
    for (int i = 0; i < 300; i += 2)
        journal_settle(&j, place[i], i % 4 ? HIST_ABORTED : HIST_COMMITTED, INT64_MAX - i);
    assert_null(journal_close(&j, &a));
    struct io_bytes bytes;
    assert_null(io_read(path, &a, &bytes));
    /* No line that fits in a page crosses the border of one. */
    for (size_t start = 0; start < bytes.size;) {
        size_t n = (size_t)(strchr(bytes.data + start, '\n') - (bytes.data + start)) + 1;
        assert_true(n > 4096 || start / 4096 == (start + n - 1) / 4096);
        assert_true(bytes.data[start] == '{'); /* nor is one empty */
        start += n;
    }
    io_bytes_free(&bytes);
    struct fmt_result r;
    const char *error = fmt_read(path, NULL, &a, &r);
    if (error)
        fail_msg("%s", error);
    assert_int_equal(r.history->txns.len, 300);
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(r.history->txns.data[i].status, i % 2   ? HIST_UNKNOWN
                                                         : i % 4 ? HIST_ABORTED
                                                                 : HIST_COMMITTED);
        assert_int_equal(r.history->txns.data[i].op_count, i % 40 + 1);
        struct hist_times times = r.history->times[i];
        assert_true(times.begin_asked == i && times.commit_asked == i + 2);
        assert_true(times.begin_answered == (i % 3 ? i + 1 : HIST_NO_TIME));
        assert_true((times.commit_answered == HIST_NO_TIME) == (i % 4 != 0));
    }
    assert_true(r.history->times[4].commit_answered == INT64_MAX - 4);
    hist_free(r.history);
    vec_free(&r.notes);
    sb_free(&ops);
    arena_free(&a);
    unlink(path);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_journal_files(void **state)
{
    (void)state;
    char path[] = "/tmp/visar-journal-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    struct arena a = {0};
    struct journal one, two;
    /* Nothing was recorded: no file is left. */
    assert_null(journal_open(&one, path, false, &a));
    journal_abandon(&one);
    assert_false(exists(path));
    /* One at a time, whatever the other one asks for. */
    assert_null(journal_open(&one, path, false, &a));
    assert_non_null(strstr(journal_open(&two, path, true, &a), "another recorder"));
    assert_null(journal_begin(&one, "", &a));
    assert_non_null(strstr(journal_open(&two, path, false, &a), "another recorder"));
    assert_null(journal_close(&one, &a));
    /* What is there stays, unless it is to be overwritten and the recording begins. */
    assert_non_null(strstr(journal_open(&two, path, false, &a), "--force"));
    assert_null(journal_open(&two, path, true, &a));
    journal_abandon(&two);
    struct io_bytes bytes;
    assert_null(io_read(path, &a, &bytes));
    assert_string_equal(bytes.data, "{\"visar-history\":1}\n");
    io_bytes_free(&bytes);
    arena_free(&a);
    unlink(path);
}

/* ---- turns and reasons ---------------------------------------------------------------------- */

struct player {
    struct turns *t;
    unsigned number, rounds;
    struct strbuf *log; /* of all: who has the turn writes */
};

static void *play(void *arg)
{
    struct player *p = arg;
    turns_join(p->t, p->number);
    for (unsigned i = 0; i < p->rounds; i++) {
        turns_next(p->t, p->number);
        sb_putc(p->log, (char)('a' + p->number));
    }
    turns_leave(p->t, p->number);
    return NULL;
}

static void test_turns(void **state)
{
    (void)state;
    struct strbuf log[3] = {0};
    for (int run = 0; run < 3; run++) {
        struct turns t;
        struct player players[5];
        pthread_t threads[4];
        turns_init(&t, true, 5, run == 2 ? 8 : 7);
        turns_leave(&t, 4); /* one that never comes */
        for (unsigned i = 0; i < 4; i++) {
            players[i] = (struct player){&t, i, 20 + 10 * i, &log[run]};
            assert_int_equal(pthread_create(&threads[i], NULL, play, &players[i]), 0);
        }
        for (unsigned i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        turns_free(&t);
        assert_int_equal(log[run].len, 20 + 30 + 40 + 50);
    }
    assert_string_equal(sb_str(&log[0]), sb_str(&log[1]));
    assert_string_not_equal(sb_str(&log[0]), sb_str(&log[2]));
    for (int run = 0; run < 3; run++)
        sb_free(&log[run]);
}

static void test_aborts(void **state)
{
    (void)state;
    struct aborts a = {0}, b = {0};
    aborts_count(&a, "40P01", NULL, 2);
    aborts_count(&a, "40001", NULL, 3);
    aborts_count(&a, "", ABORTED_LOST, 1);
    aborts_count(&b, "40P01", NULL, 4);
    aborts_count(&b, "40002", NULL, 1);
    aborts_add(&a, &b);
    aborts_sort(&a);
    assert_int_equal(a.n, 4);
    assert_string_equal(a.by[0].why, "deadlock");
    assert_int_equal(a.by[0].count, 6);
    assert_string_equal(a.by[1].why, "serialization failure");
    assert_string_equal(a.by[2].why, "connection lost");
    assert_string_equal(a.by[3].why, "transaction rolled back by the server");
    for (int i = 0; i < 40; i++) {
        char state_text[6];
        snprintf(state_text, sizeof state_text, "ZZ0%02d", i);
        aborts_count(&a, state_text, NULL, 1);
    }
    assert_int_equal(a.n, ABORT_REASONS);
    assert_string_equal(a.by[ABORT_REASONS - 1].why, "other reasons");
    uint64_t sum = 0;
    for (size_t i = 0; i < a.n; i++)
        sum += a.by[i].count;
    assert_int_equal(sum, 11 + 40);
}

/* ---- the history engine --------------------------------------------------------------------- */

/* An answer of the engine that does not stand is no answer, whichever way it is wrong. */
static void test_engine_is_guarded(void **state)
{
    (void)state;
    static const char *const write_skew[] = {"s0 x<- y<- x=1", "s1 x<- y<- y=1", NULL};
    static const enum lie lies[] = {LIE_VIOLATION, LIE_RELABELLED, LIE_ORDER, LIE_WEAKER};
    struct plan *p = plan_of(write_skew);
    struct arena a = {0};
    struct engine_answer answer;
    engine_ask(p, RECORD_REPEATABLE_READ, &a, &answer);
    assert_int_equal(answer.verdict, ENGINE_ACCEPTS);
    engine_ask(p, RECORD_SERIALIZABLE, &a, &answer);
    assert_int_equal(answer.verdict, ENGINE_REFUSES);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        lying_search(lies[i]);
        engine_ask(p, RECORD_REPEATABLE_READ, &a, &answer);
        lying_search(LIE_NONE);
        assert_int_equal(answer.verdict, ENGINE_BROKEN);
    }
    arena_free(&a);
    plan_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_all_schedules), cmocka_unit_test(test_spec),
        cmocka_unit_test(test_bad_plans),     cmocka_unit_test(test_journal),
        cmocka_unit_test(test_journal_files), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_aborts),        cmocka_unit_test(test_engine_is_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
