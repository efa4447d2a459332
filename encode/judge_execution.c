/* The axioms on concrete executions, by plain loops over docs/semantics.md.  The decoder and
 * rerun.c check EXT; this file checks the rules about ar and vis. */
#include "encode/judge_execution.h"

#include <string.h>

#include "base/mem.h"

/* A node: a transaction, or the observer (number n_txns). */
struct node {
    const struct model *level;
    uint32_t position; /* in ar, doubled, so that the observer fits between two */
    const bool *visible;
    uint32_t n_points;
    bool observer;
};

static struct node node_of(const struct execution *x, uint32_t i)
{
    if (i == x->n_txns)
        return (struct node){x->observer.level, 2 * x->observer.position, x->observer.visible,
                             x->observer.n_points, true};
    const struct exec_txn *t = &x->txns[i];
    return (struct node){t->level, 2 * exec_position(x, i) + 1, t->visible, exec_views(t), false};
}

static bool in_set(const struct execution *x, const struct node *t, uint32_t point, uint32_t s)
{
    return t->visible[(size_t)point * x->n_txns + s];
}

static bool sees(const struct execution *x, const struct node *t, uint32_t s)
{
    return in_set(x, t, t->n_points - 1, s);
}

static bool has(const struct execution *x, const struct model *m, enum model_axiom a)
{
    if (model_has(m, a))
        return true;
    enum model_axiom conflicts = model_is_server(m) ? AXIOM_FIRSTUPDATER : AXIOM_NOCONFLICT;
    return model_has(m, AXIOM_TOTALVIS) && !x->total && (a == AXIOM_PREFIX || a == conflicts);
}

static const char *visibility(const struct execution *x, const struct node *t)
{
    for (uint32_t p = 0; p < t->n_points; p++)
        for (uint32_t s = 0; s < x->n_txns; s++) {
            if (in_set(x, t, p, s) && node_of(x, s).position >= t->position)
                return "vis is not within ar";
            bool grows = t->level->snapshot != SNAPSHOT_ANY;
            if (p > 0 && grows && in_set(x, t, p - 1, s) && !in_set(x, t, p, s))
                return "visible sets do not grow";
            if (!grows && in_set(x, t, p, s) && !sees(x, t, s))
                return "the last visible set does not contain all";
        }
    return NULL;
}

static const char *session(const struct execution *x, uint32_t i, const struct node *t)
{
    bool counts = x->session_order && !t->observer && model_counts_sessions(t->level);
    for (uint32_t s = 0; counts && s < x->n_txns; s++) {
        if (x->txns[s].session != x->txns[i].session || x->txns[s].index >= x->txns[i].index)
            continue;
        if (node_of(x, s).position > t->position)
            return "SESSION: ar";
        for (uint32_t p = 0; p < t->n_points; p++)
            if (model_sees_session(t->level) && !in_set(x, t, p, s))
                return "SESSION";
    }
    return NULL;
}

static const char *closure(const struct execution *x, const struct node *t)
{
    for (uint32_t u = 0; u < x->n_txns; u++)
        for (uint32_t s = 0; s < x->n_txns; s++) {
            struct node nu = node_of(x, u), ns = node_of(x, s);
            if (has(x, t->level, AXIOM_TRANSVIS) && sees(x, t, u) && sees(x, &nu, s) &&
                !sees(x, t, s))
                return "TRANSVIS";
            for (uint32_t p = 0; p < t->n_points; p++) {
                bool last = p + 1 == t->n_points;
                bool binds = t->level->snapshot == SNAPSHOT_STATEMENT ||
                             (last && has(x, t->level, AXIOM_PREFIX));
                if (binds && in_set(x, t, p, u) && ns.position < nu.position && !in_set(x, t, p, s))
                    return "PREFIX";
            }
        }
    if (has(x, t->level, AXIOM_TOTALVIS) && x->total)
        for (uint32_t s = 0; s < x->n_txns; s++)
            if ((node_of(x, s).position < t->position) != sees(x, t, s))
                return "TOTALVIS";
    return NULL;
}

static bool writes(const struct exec_txn *t, uint32_t table, uint64_t row)
{
    for (size_t i = 0; i < t->n_writes; i++)
        if (t->writes[i].row.table == table && t->writes[i].row.row == row)
            return true;
    return false;
}

static bool touches(const struct exec_txn *t, uint32_t table, uint64_t row)
{
    for (size_t i = 0; i < t->n_locks; i++)
        if (t->locks[i].table == table && t->locks[i].row == row)
            return true;
    return writes(t, table, row);
}

/* a writes a row that b writes (or also: locks, as `in` says). */
static bool common_row(const struct exec_txn *a, const struct exec_txn *b,
                       bool (*in)(const struct exec_txn *, uint32_t, uint64_t))
{
    for (size_t i = 0; i < a->n_writes; i++)
        if (in(b, a->writes[i].row.table, a->writes[i].row.row))
            return true;
    return false;
}

static const char *conflict(const struct execution *x, uint32_t i, const struct node *t)
{
    if (t->observer || !has(x, t->level, AXIOM_NOCONFLICT))
        return NULL;
    for (uint32_t s = 0; s < x->n_txns; s++)
        if (s != i && node_of(x, s).position < t->position &&
            common_row(&x->txns[s], &x->txns[i], touches) && !sees(x, t, s))
            return "NOCONFLICT";
    return NULL;
}

/* ---- levels of databases ------------------------------------------------------------------- */

/* s wrote a row that t touches, and the base of t does not contain s. */
static const char *first_updater(const struct execution *x, uint32_t s, uint32_t t)
{
    struct node later = node_of(x, t);
    for (size_t i = 0; i < x->txns[t].n_touches && !sees(x, &later, s); i++)
        if (writes(&x->txns[s], x->txns[t].touches[i].table, x->txns[t].touches[i].row))
            return "FIRSTUPDATER";
    return NULL;
}

/* s touched a row before t did, and a later view of t does not contain s. */
static const char *lock_order(const struct execution *x, uint32_t s, uint32_t t)
{
    struct node later = node_of(x, t);
    for (size_t i = 0; i < x->txns[t].n_touches; i++)
        for (size_t k = 0; k < x->txns[s].n_touches; k++) {
            const struct exec_touch *a = &x->txns[t].touches[i], *b = &x->txns[s].touches[k];
            if (a->table != b->table || a->row != b->row || !sx_touch_conflicts(b->mode, a->mode))
                continue;
            for (uint32_t p = a->view; p < later.n_points; p++)
                if (!in_set(x, &later, p, s))
                    return "LOCKORDER";
        }
    return NULL;
}

static const char *touched(const struct execution *x, uint32_t t, const struct node *n)
{
    const char *error = NULL;
    if (n->observer || !model_is_server(n->level))
        return NULL;
    for (uint32_t s = 0; s < x->n_txns && !error; s++) {
        bool before = node_of(x, s).position < n->position;
        if (in_set(x, n, n->n_points, s) != before)
            return "the newest versions are not those before it in ar";
        if (before && has(x, n->level, AXIOM_FIRSTUPDATER))
            error = first_updater(x, s, t);
        if (before && !error && has(x, n->level, AXIOM_LOCKORDER))
            error = lock_order(x, s, t);
    }
    return error;
}

/* ---- SER among other levels ---------------------------------------------------------------- */

static bool reads_row(const struct exec_read *reads, size_t n, const struct exec_txn *writer,
                      uint32_t source, bool from_source)
{
    for (size_t i = 0; i < n; i++) {
        if (from_source && reads[i].source == source)
            return true;
        if (!from_source && writes(writer, reads[i].row.table, reads[i].row.row))
            return true;
    }
    return false;
}

/* A dependency of b on a: a before b. */
static bool depends(const struct execution *x, uint32_t a, uint32_t b)
{
    struct node na = node_of(x, a), nb = node_of(x, b);
    const struct exec_read *reads_a = na.observer ? x->observer.reads : x->txns[a].reads;
    const struct exec_read *reads_b = nb.observer ? x->observer.reads : x->txns[b].reads;
    size_t n_a = na.observer ? x->observer.n_reads : x->txns[a].n_reads;
    size_t n_b = nb.observer ? x->observer.n_reads : x->txns[b].n_reads;
    for (size_t i = 0; i < x->n_after; i++)
        if (x->after[i].first == a && x->after[i].then == b)
            return true; /* by a result */
    if (!na.observer && !nb.observer) {
        const struct exec_txn *ta = &x->txns[a], *tb = &x->txns[b];
        if (common_row(ta, tb, writes) && na.position < nb.position)
            return true; /* ww */
        if (x->session_order && ta->session == tb->session && ta->index < tb->index)
            return true;
    }
    if (!na.observer && reads_row(reads_b, n_b, NULL, a, true))
        return true; /* wr */
    return !nb.observer && !sees(x, &na, b) &&
           reads_row(reads_a, n_a, &x->txns[b], 0, false); /* rw */
}

/* Take away nodes that nothing left points to, until none is left or none can go. */
static const char *acyclic(const struct execution *x, uint32_t n)
{
    bool *left = mem_calloc(n + 1, sizeof *left);
    bool again = true;
    for (uint32_t i = 0; i < n; i++)
        left[i] = model_has(node_of(x, i).level, AXIOM_TOTALVIS);
    while (again) {
        again = false;
        for (uint32_t b = 0; b < n; b++) {
            bool pointed = false;
            for (uint32_t a = 0; a < n && left[b]; a++)
                pointed |= a != b && left[a] && depends(x, a, b);
            if (left[b] && !pointed) {
                left[b] = false;
                again = true;
            }
        }
    }
    bool cycle = memchr(left, true, n) != NULL;
    mem_free(left);
    return cycle ? "the dependencies among the serializable transactions are cyclic" : NULL;
}

/* Nobody acts on an answer that is still to come. */
static const char *results(const struct execution *x)
{
    for (size_t i = 0; i < x->n_after; i++)
        if (exec_position(x, x->after[i].first) > exec_position(x, x->after[i].then))
            return "a call comes before the one whose result it uses";
    return NULL;
}

/* ---- fresh --------------------------------------------------------------------------------- */

/* The value of a row after the first n transactions in ar. */
static const struct exec_row *row_before(const struct execution *x, uint32_t n, uint32_t table,
                                         uint64_t row)
{
    for (uint32_t i = n; i-- > 0;) {
        const struct exec_txn *t = &x->txns[x->ar[i]];
        for (size_t k = 0; k < t->n_writes; k++)
            if (t->writes[k].row.table == table && t->writes[k].row.row == row)
                return &t->writes[k].row;
    }
    for (size_t i = 0; i < x->n_initial; i++)
        if (x->initial[i].table == table && x->initial[i].row == row)
            return &x->initial[i];
    return NULL;
}

/* All zeros in the state that the transaction's writes land on. */
static bool is_zero(const struct execution *x, uint32_t position, const struct exec_fresh *f)
{
    const struct sx_program *p = x->program;
    for (uint32_t t = 0; t < p->n_tables; t++) {
        if (p->tables[t].var != p->tables[f->table].var)
            continue;
        const struct exec_row *row = row_before(x, position, t, f->row);
        for (uint32_t c = 0; c < p->tables[t].n_fields; c++)
            if (!row || row->value[c])
                return false;
    }
    return true;
}

static bool same_fresh(const struct execution *x, const struct exec_fresh *a,
                       const struct exec_fresh *b)
{
    return a != b && a->row == b->row &&
           x->program->tables[a->table].var == x->program->tables[b->table].var;
}

static bool given_twice(const struct execution *x, const struct exec_fresh *f)
{
    for (uint32_t i = 0; i < x->n_txns; i++)
        for (size_t k = 0; k < x->txns[i].n_fresh; k++)
            if (same_fresh(x, f, &x->txns[i].fresh[k]))
                return true;
    return false;
}

static const char *fresh_rows(const struct execution *x)
{
    for (uint32_t i = 0; i < x->n_txns; i++) {
        const struct exec_txn *t = &x->txns[i];
        for (size_t k = 0; k < t->n_fresh; k++) {
            if (given_twice(x, &t->fresh[k]))
                return "two calls of fresh give one row";
            if (!is_zero(x, exec_position(x, i), &t->fresh[k]))
                return "a call of fresh gives a row that is not empty";
        }
    }
    return NULL;
}

const char *judge_execution(const struct execution *x)
{
    uint32_t n = x->n_txns + (x->observer.level != NULL);
    const char *error = results(x);
    error = error ? error : fresh_rows(x);
    for (uint32_t i = 0; i < n && !error; i++) {
        struct node t = node_of(x, i);
        error = visibility(x, &t);
        error = error ? error : session(x, i, &t);
        error = error ? error : closure(x, &t);
        error = error ? error : conflict(x, i, &t);
        error = error ? error : touched(x, i, &t);
    }
    return error || x->total ? error : acyclic(x, n);
}
