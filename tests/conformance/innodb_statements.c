/* InnoDB's statements. */
#include "tests/conformance/innodb.h"

/* A scan of a statement, or of its sub-select, over keys in their order. */
struct scan {
    const struct innodb_step *step;
    uint8_t lock;     /* of the rows that it finds */
    bool subselect;   /* finds every row and changes none */
    bool whole_table; /* not by key: my-rr locks everything */
};

static bool locks_gaps(const struct innodb_transaction *t)
{
    return t->level != CF_MY_RC;
}

static void go_on(const struct innodb_step *step, const struct innodb_transaction *t,
                  const struct cf_result *result)
{
    step->next(step->context, t, result);
}

static long long sum_of(const struct cf_result *rows)
{
    long long sum = 0;
    for (int i = 0; i < rows->rows; i++)
        sum += rows->row[i].value;
    return sum;
}

/* agg returns count and sum of what was found; the other statements return the rows. */
static void return_rows(const struct innodb_step *step, const struct innodb_transaction *t,
                        const struct cf_result *rows)
{
    if (step->statement->kind != CF_AGG) {
        go_on(step, t, rows);
        return;
    }
    struct cf_result counted = {0};
    struct cf_row row = {.key = rows->rows};
    if (!cf_to_int(sum_of(rows), &row.value))
        return;
    cf_result_add(&counted, row);
    go_on(step, t, &counted);
}

/* ---- plain reads ---- */

static void rows_at(const struct innodb_step *step, const struct innodb_transaction *t,
                    unsigned position, struct cf_result *rows)
{
    struct cf_row row;
    *rows = (struct cf_result){0};
    for (int k = 0; k < CF_KEYS; k++)
        if (innodb_row(step->search, t, position, k, &row) &&
            (step->statement->kind == CF_INSSEL || cf_matches(step->statement, row)))
            cf_result_add(rows, row);
}

/* "Plain reads: my-rc a snapshot per statement, my-rr one snapshot taken at the first plain read of
 * a table, plus rows that T itself changed." */
static void plain_read(const struct innodb_step *step, const struct innodb_transaction *t)
{
    struct cf_result rows;
    bool one_snapshot = t->level == CF_MY_RR;
    if (one_snapshot && t->snapshot >= 0) {
        rows_at(step, t, (unsigned)t->snapshot, &rows);
        return_rows(step, t, &rows);
        return;
    }
    for (unsigned m = t->end; m <= t->position; m++) {
        struct innodb_transaction u = *t;
        u.end = m;
        if (one_snapshot)
            u.snapshot = (int)m;
        rows_at(step, &u, m, &rows);
        return_rows(step, &u, &rows);
    }
}

/* ---- INSERT ---- */

/* The newest row decides, and is locked: a duplicate that is ignored is locked in shared mode. */
static void insert(const struct innodb_step *step, struct innodb_transaction *t, int value)
{
    const struct cf_statement *s = step->statement;
    struct cf_result result = {0};
    struct cf_row row = {s->key, value};
    struct cf_row there;
    if (!innodb_row(step->search, t, t->position, s->key, &there)) {
        innodb_lock(step->search, t, s->key, INNODB_X | INNODB_CHANGE);
    } else if (s->kind == CF_INSN) {
        innodb_lock(step->search, t, s->key, INNODB_S);
        go_on(step, t, &result);
        return;
    } else if (s->kind == CF_UPS && cf_new_value(s, there.value, NULL, &row.value)) {
        innodb_lock(step->search, t, s->key, INNODB_X);
    } else {
        return;
    }
    innodb_change(t, s->key, &row.value);
    cf_result_add(&result, row);
    go_on(step, t, &result);
}

/* ---- locking statements ---- */

/* UPDATE of the primary key: the row of the old key ends, one of the new key begins. */
static bool change_key(const struct innodb_step *step, struct innodb_transaction *t,
                       struct cf_row *row)
{
    int to = step->statement->value;
    struct cf_row there;
    if (to == row->key)
        return true;
    if (innodb_row(step->search, t, t->position, to, &there))
        return false;
    innodb_lock(step->search, t, to, INNODB_X | INNODB_CHANGE);
    innodb_change(t, row->key, NULL);
    innodb_change(t, to, &row->value);
    row->key = to;
    return true;
}

/* A row that was found and locked is returned, deleted or updated.  An UPDATE that changes nothing
 * makes no new version.  False: the statement fails. */
static bool change(const struct innodb_step *step, struct innodb_transaction *t, struct cf_row *row,
                   long long sum)
{
    const struct cf_statement *s = step->statement;
    struct cf_around around = {.sum = sum, .self = row->value, .last = t->last};
    int before = row->value;
    if (!cf_kinds[s->kind].writes)
        return true;
    if (s->kind == CF_UPK)
        return change_key(step, t, row);
    if (s->kind == CF_DEL || s->kind == CF_DELP) {
        innodb_change(t, row->key, NULL);
        return true;
    }
    if (!cf_new_value(s, before, &around, &row->value))
        return false;
    if (row->value != before || t->changed & 1u << row->key)
        innodb_change(t, row->key, &row->value);
    return true;
}

/* The sub-select of updsub or inssel has seen its rows. */
static void after_subselect(const struct innodb_step *step, struct innodb_transaction *t,
                            const struct cf_result *rows)
{
    const struct cf_statement *s = step->statement;
    struct cf_result result = {0};
    struct cf_row row;
    int value;
    if (s->kind == CF_INSSEL) {
        if (cf_to_int(sum_of(rows), &value))
            insert(step, t, value);
        return;
    }
    innodb_lock(step->search, t, s->key, INNODB_X);
    if (!innodb_row(step->search, t, t->position, s->key, &row) ||
        !change(step, t, &row, sum_of(rows)))
        return;
    cf_result_add(&result, row);
    go_on(step, t, &result);
}

static void scan_from(const struct scan *scan, const struct innodb_transaction *t, int key,
                      const struct cf_result *rows);

/* The scan finds a row: it is locked, and the statement does its work on it. */
static void find_row(const struct scan *scan, struct innodb_transaction *t, struct cf_row row,
                     const struct cf_result *rows)
{
    struct cf_result more = *rows;
    int key = row.key;
    innodb_lock(scan->step->search, t, key, scan->lock);
    if (!scan->subselect && !change(scan->step, t, &row, 0))
        return;
    cf_result_add(&more, row);
    scan_from(scan, t, key + 1, &more);
}

static bool finds(const struct scan *scan, const struct innodb_transaction *t, unsigned position,
                  int key, struct cf_row *row)
{
    return innodb_row(scan->step->search, t, position, key, row) &&
           (scan->subselect || cf_matches(scan->step->statement, *row));
}

/* my-rc: "By key: the newest row, locked; absent: absent in some St(m) around the statement, no
 * lock. By predicate: rows in key order at growing positions, those that match are locked."  A row
 * that is locked is the newest one, since everybody who changed it is within the lock's position.
 */
static void visit_at_growing_positions(const struct scan *scan, const struct innodb_transaction *t,
                                       int key, const struct cf_result *rows)
{
    unsigned lockable = innodb_lock_position(scan->step->search, t, key, scan->lock);
    bool passed = false;
    for (unsigned m = t->end; m <= t->position; m++) {
        struct innodb_transaction u = *t;
        struct cf_row row;
        u.end = m;
        if (!finds(scan, t, m, key, &row)) {
            if (!passed)
                scan_from(scan, &u, key + 1, rows);
            passed = true;
        } else if (m >= lockable) {
            find_row(scan, &u, row, rows);
            return;
        }
    }
}

/* my-rr: the newest state.  An absent key: "a gap lock, compatible with other gap locks, blocks
 * inserts"; "without an index locks all rows and gaps". */
static void visit_newest(const struct scan *scan, const struct innodb_transaction *t, int key,
                         const struct cf_result *rows)
{
    const struct innodb_search *search = scan->step->search;
    struct innodb_transaction u = *t;
    struct cf_row row;
    bool there = innodb_row(search, t, t->position, key, &row);
    innodb_lock(search, &u, key, there ? scan->lock : INNODB_GAP);
    if (finds(scan, &u, t->position, key, &row))
        find_row(scan, &u, row, rows);
    else
        scan_from(scan, &u, key + 1, rows);
}

static void scan_from(const struct scan *scan, const struct innodb_transaction *t, int key,
                      const struct cf_result *rows)
{
    uint32_t keys = scan->step->search->keys;
    if (!scan->whole_table)
        keys = 1u << scan->step->statement->key;
    while (key < CF_KEYS && !(keys & 1u << key))
        key++;
    if (key == CF_KEYS) {
        struct innodb_transaction u = *t;
        if (scan->subselect)
            after_subselect(scan->step, &u, rows);
        else
            return_rows(scan->step, &u, rows);
    } else if (locks_gaps(t)) {
        visit_newest(scan, t, key, rows);
    } else {
        visit_at_growing_positions(scan, t, key, rows);
    }
}

static void locking_statement(const struct innodb_step *step, const struct innodb_transaction *t)
{
    const struct cf_statement *s = step->statement;
    bool shared = s->kind == CF_FS || s->kind == CF_FKS || s->kind == CF_SEL || s->kind == CF_AGG;
    struct scan scan = {
        .step = step, .lock = shared ? INNODB_S : INNODB_X, .whole_table = cf_by_predicate(s)};
    struct cf_result none = {0};
    scan_from(&scan, t, 0, &none);
}

/* ---- statements with sub-selects ---- */

static void subselect(const struct innodb_step *step, const struct innodb_transaction *t)
{
    struct scan scan = {.step = step, .lock = INNODB_S, .subselect = true, .whole_table = true};
    struct cf_result none = {0};
    scan_from(&scan, t, 0, &none);
}

/* INSERT … SELECT: at my-rc the SELECT is a plain read; at my-rr it is a locking one. */
static void insert_select(const struct innodb_step *step, const struct innodb_transaction *t)
{
    if (locks_gaps(t)) {
        subselect(step, t);
        return;
    }
    for (unsigned m = t->end; m <= t->position; m++) {
        struct innodb_transaction u = *t;
        struct cf_result rows;
        u.end = m;
        rows_at(step, &u, m, &rows);
        after_subselect(step, &u, &rows);
    }
}

/* UPDATE of a key with a sum over the table: if the row is there, the sub-select locks what it
 * sees. */
static void update_with_sum(const struct innodb_step *step, const struct innodb_transaction *t)
{
    int key = step->statement->key;
    struct cf_row row;
    struct cf_result none = {0};
    unsigned first = locks_gaps(t) ? t->position : t->end;
    for (unsigned m = first; m <= t->position; m++) {
        if (innodb_row(step->search, t, m, key, &row))
            continue;
        struct innodb_transaction u = *t;
        if (locks_gaps(t))
            innodb_lock(step->search, &u, key, INNODB_GAP);
        else
            u.end = m;
        go_on(step, &u, &none);
        break;
    }
    if (innodb_row(step->search, t, t->position, key, &row))
        subselect(step, t);
}

void innodb_execute(const struct innodb_step *step, const struct innodb_transaction *t)
{
    struct innodb_transaction u = *t;
    switch (step->statement->kind) {
    case CF_SEL:
    case CF_AGG:
        /* SERIALIZABLE: a plain read is one in shared mode. */
        if (t->level == CF_MY_SER)
            locking_statement(step, t);
        else
            plain_read(step, t);
        break;
    case CF_INS:
    case CF_UPS:
    case CF_INSN:
        insert(step, &u, step->statement->value);
        break;
    case CF_INSSEL:
        insert_select(step, t);
        break;
    case CF_UPDSUB:
        update_with_sum(step, t);
        break;
    default:
        locking_statement(step, t);
    }
}
