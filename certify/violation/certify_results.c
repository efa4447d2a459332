/* Aggregates when violations are judged: which sources of the rows can give the result at all.
 *
 * Under what the cases around suppose, all partial results that the sources leave are tried row by
 * row.  For proofs there are clauses as well: a partial result and what a row is seen as imply the
 * next partial result. */
#include "certify/violation/certify_claims.h"

/* --- what is left ----------------------------------------------------------------------------- */

/* What is known of a fact now. */
static int value_of(const struct judge *j, enum check_fact_kind kind, uint32_t a, uint32_t b)
{
    uint32_t lit = formula_find(&j->formula, kind, a, b);
    return lit == HIST_NONE ? 0 : clauses_value(&j->formula.clauses, lit);
}

/* The sources of a read that are not refuted. */
static void find_left(struct judge *j, uint32_t read, hist_facts_ops *left)
{
    vec_clear(left);
    hist_facts_sources(&j->f, read, &j->sources);
    for (size_t s = 0; s < j->sources.len; s++)
        if (value_of(j, CHECK_FACT_SAW, read, j->sources.data[s]) >= 0)
            vec_push(left, j->sources.data[s]);
    for (size_t s = 0; s < left->len; s++)
        if (value_of(j, CHECK_FACT_SAW, read, left->data[s]) > 0) {
            left->data[0] = left->data[s];
            left->len = 1;
        }
}

/* Has the row turned, for all that is known?  (turned: the operation that says so, or HIST_NONE) */
static bool may_have_turned(struct judge *j, uint32_t turned, hist_facts_ops *left)
{
    if (turned == HIST_NONE)
        return false;
    find_left(j, hist_facts_row(&j->f, turned), left);
    for (size_t s = 0; s < left->len; s++)
        if (left->data[s] != HIST_NONE)
            return true;
    return false;
}

/* All ways to get the result of an aggregate from the sources that are left. */
static void find_ways(struct judge *j, const struct hist_predicate *q, struct aggregate_ways *w)
{
    hist_facts_ops *left = &j->left;
    aggregate_ways_start(&j->aggregates, q, w);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        uint32_t key = j->f.h->ops.data[i].key, turned = aggregate_turned(&j->aggregates, q, i);
        find_left(j, hist_facts_row(&j->f, i), left);
        aggregate_ways_row(&j->aggregates, w, key, left);
        if (aggregate_is_free(&j->aggregates, q, i) || may_have_turned(j, turned, left))
            aggregate_ways_besides(&j->aggregates, w, key);
        i = turned == HIST_NONE ? i : turned;
    }
    aggregate_ways_close(w);
}

bool results_none_left(struct judge *j, uint32_t aggregate)
{
    if (!j->aggregates.any || aggregate >= j->f.h->predicates.len)
        return false;
    const struct hist_predicate *q = &j->f.h->predicates.data[aggregate];
    struct aggregate_ways w;
    if (!aggregate_counts(q) ||
        (!hist_facts_counts(&j->f, q->txn) && value_of(j, CHECK_FACT_HAPPENED, q->txn, 0) <= 0))
        return false;
    find_ways(j, q, &w);
    bool none = !aggregate_ways_any(&w);
    aggregate_ways_free(&w);
    return none;
}

/* --- clauses ---------------------------------------------------------------------------------- */

/* a and b imply c or d. */
static void add_implication(struct judge *j, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t lits[4], n = 0;
    if (a != HIST_NONE)
        lits[n++] = clause_not(a);
    lits[n++] = clause_not(b);
    if (c != HIST_NONE)
        lits[n++] = c;
    if (d != HIST_NONE)
        lits[n++] = d;
    formula_add(&j->formula, lits, n);
}

/* "The row of the operation contributes something besides", which it cannot while the initial
 * version is what the read behind it saw; HIST_NONE: it never does. */
static uint32_t besides_lit(struct judge *j, const struct hist_predicate *q, uint32_t op)
{
    uint32_t turned = aggregate_turned(&j->aggregates, q, op);
    bool is_free = aggregate_is_free(&j->aggregates, q, op);
    if (!is_free && turned == HIST_NONE)
        return HIST_NONE;
    uint32_t number = (uint32_t)(q - j->f.h->predicates.data);
    uint32_t lit = formula_lit(&j->formula, CHECK_FACT_BESIDES, number, op, NULL);
    if (!is_free)
        add_implication(j, lit, choices_source(j, hist_facts_row(&j->f, turned), HIST_NONE),
                        HIST_NONE, HIST_NONE);
    return lit;
}

/* From the states before a row to those behind it. */
static void add_row(struct judge *j, const struct aggregate_ways *w, uint32_t r, uint32_t op,
                    const uint32_t *lit)
{
    uint32_t read = hist_facts_row(&j->f, op), besides = besides_lit(j, w->q, op);
    for (uint32_t o = w->rows.data[r]; o < w->rows.data[r + 1]; o++) {
        const struct aggregate_option *x = &w->options.data[o];
        uint32_t part = x->besides ? besides : choices_source(j, read, x->source);
        for (uint32_t s = w->layers.data[r]; s < w->layers.data[r + 1]; s++) {
            uint32_t to = aggregate_ways_next(w, r, s, x);
            add_implication(j, lit[s], part, to == HIST_NONE ? to : lit[to],
                            x->besides ? HIST_NONE : besides);
        }
    }
}

static bool add_aggregate(struct judge *j, const struct hist_predicate *q)
{
    struct aggregate_ways w;
    uint32_t happened = choices_happened(j, q->txn), absent = clause_not(happened);
    find_ways(j, q, &w);
    bool fits = !w.too_many;
    if (fits && !aggregate_ways_any(&w))
        formula_add(&j->formula, &absent, happened != HIST_NONE);
    uint32_t *lit = mem_alloc(mem_mul(w.states.len + 1, sizeof *lit));
    uint32_t number = (uint32_t)(q - j->f.h->predicates.data);
    for (uint32_t s = 0; s < w.states.len && fits; s++)
        lit[s] = s < w.layers.data[1]
                     ? happened
                     : formula_lit(&j->formula, CHECK_FACT_PARTIAL, number, s, NULL);
    for (uint32_t r = 0, op = q->first_op; r + 1 < w.rows.len && fits; r++, op++) {
        uint32_t turned = aggregate_turned(&j->aggregates, q, op);
        add_row(j, &w, r, op, lit);
        op = turned == HIST_NONE ? op : turned;
    }
    mem_free(lit);
    aggregate_ways_free(&w);
    return fits;
}

/* Is a read of the aggregate one that the clauses speak of, or the aggregate named itself? */
static bool is_involved(struct judge *j, const struct hist_predicate *q)
{
    if (j->scope == CHECK_SCOPE_WIDE)
        return true;
    for (size_t i = 0; i < j->r->ops.len; i++)
        if (j->r->ops.data[i] == q->first_op)
            return true;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        if (map_get(&j->reads, hist_facts_row(&j->f, i)))
            return true;
    }
    return false;
}

const char *results_add(struct judge *j)
{
    const struct history *h = j->f.h;
    bool fits = true;
    if (!j->joined)
        j->joined = mem_calloc(h->predicates.len + 1, 1);
    for (bool again = j->aggregates.any; again && fits;) {
        again = false;
        for (uint32_t i = 0; i < h->predicates.len && fits; i++) {
            const struct hist_predicate *q = &h->predicates.data[i];
            if (j->joined[i] || !aggregate_counts(q) || !hist_facts_possible(&j->f, q->txn) ||
                !is_involved(j, q))
                continue;
            j->joined[i] = 1;
            fits = add_aggregate(j, q);
            choices_complete(j);
            again = true;
        }
    }
    return fits ? NULL : judge_wrong(j, "an aggregate has too many partial results");
}
