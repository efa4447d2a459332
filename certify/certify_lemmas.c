/* Re-checking violations that are given as lemmas: each cycle is a clause, that what it uses cannot
 * all be true, and no choice satisfies all of them; see verdict.h.
 *
 * The choices are: which of two versions is older, which write a read saw, whether a transaction of
 * unknown outcome counts, and whose append made which element of a list.  What the
 * definitions say about them are further clauses.  That all of them contradict each other is what a
 * proof of the verdict says (refutation.h).
 *
 * The same clauses, with what the cases claim, say whether a transaction of unknown outcome must
 * have happened, and whether anything is left that may have: outcomes are choices among which the
 * cases do not choose, and one may follow from several reads together. */
#include "certify/certify_cover.h"
#include "certify/certify_judge.h"

struct lemmas {
    struct formula f;
    struct map vars; /* per order: variable + 1 */
    struct map
        reads; /* per read and source: variable + 1; per read: its sources have their clause */
    struct map counts; /* per transaction of unknown outcome: variable + 1 */
    uint8_t *joined;   /* per predicate read: the clauses of the aggregate are there; or NULL */
    struct map covers; /* per key of a list: index in cover + 1 */
    VEC(struct cover) cover;
    bool all; /* every aggregate takes part */
};

static uint32_t counts_lit(struct lemmas *l, struct judge *j, uint32_t txn);

/* --- lists: whose append made which element ----------------------------------------------------
 */

/* Whoever made an element counts. */
static const struct cover *cover_of(struct lemmas *l, struct judge *j, uint32_t key)
{
    uint64_t *index = map_put(&l->covers, key, 0, NULL);
    if (!*index) {
        struct cover c;
        cover_init(&c, &j->f, j->o->level, key, HIST_NONE, &l->f);
        vec_push(&l->cover, c);
        *index = l->cover.len;
        for (size_t i = 0; i < c.places.len; i++) {
            uint32_t txn = counts_lit(l, j, j->f.op_txn[c.places.data[i].last]);
            uint32_t clause[] = {clause_not(c.places.data[i].lit), txn};
            if (txn != HIST_NONE)
                formula_add(&l->f, clause, 2);
        }
    }
    return &l->cover.data[*map_get(&l->covers, key) - 1];
}

/* Where a has its place and b not before it, a is older. */
static void order_by_places(struct lemmas *l, const struct cover *c, uint32_t a, uint32_t b,
                            uint32_t older)
{
    uint32_t from, to, other_from, other_to;
    clause_lits clause = {0};
    cover_range(c, a, &from, &to);
    cover_range(c, b, &other_from, &other_to);
    for (; from < to; from++) {
        vec_clear(&clause);
        vec_push(&clause, clause_not(c->places.data[from].lit));
        for (uint32_t i = other_from; i < other_to; i++)
            if (c->places.data[i].end < c->places.data[from].end)
                vec_push(&clause, c->places.data[i].lit);
        vec_push(&clause, older);
        formula_add(&l->f, clause.data, clause.len);
    }
    vec_free(&clause);
}

/* What a read of a list saw is whose append made the last element. */
static void source_by_place(struct lemmas *l, struct judge *j, uint32_t read, uint32_t write,
                            uint32_t lit)
{
    if (j->f.h->ops.data[read].kind != HIST_LIST_READ || write == HIST_NONE ||
        !hist_facts_counts(&j->f, j->f.op_txn[read]))
        return;
    const struct cover *c = cover_of(l, j, j->f.h->ops.data[read].key);
    uint32_t from, to, len = hist_facts_list_length(&j->f, read), place = HIST_NONE;
    if (!cover_begins_with(c, &j->f, read))
        return;
    cover_range(c, write, &from, &to);
    for (; from < to; from++)
        if (c->places.data[from].end == len)
            place = c->places.data[from].lit;
    uint32_t one[] = {clause_not(lit), place}, other[] = {lit, clause_not(place)};
    if (place == HIST_NONE) {
        formula_add(&l->f, one, 1);
        return;
    }
    formula_add(&l->f, one, 2);
    formula_add(&l->f, other, 2);
}

/* --- variables -------------------------------------------------------------------------------- */

/* What is on record, or was settled before, holds if both count. */
static void add_known_order(struct lemmas *l, struct judge *j, uint32_t a, uint32_t b, uint32_t lit)
{
    if (!judge_older(j, a, b))
        return;
    uint32_t clause[3] = {lit}, n = 1, op[] = {a, b};
    for (int i = 0; i < 2; i++) {
        uint32_t writer = counts_lit(l, j, j->f.op_txn[op[i]]);
        if (writer != HIST_NONE)
            clause[n++] = clause_not(writer);
    }
    formula_add(&l->f, clause, n);
}

static uint32_t order_lit(struct lemmas *l, struct judge *j, uint32_t a, uint32_t b)
{
    if (a > b)
        return clause_not(order_lit(l, j, b, a));
    uint64_t *v = map_put(&l->vars, judge_pair(a, b), 0, NULL);
    if (*v)
        return (uint32_t)(2 * (*v - 1));
    uint32_t lit = formula_new(&l->f, (struct check_fact){CHECK_FACT_OLDER, a, b, 0});
    *v = lit / 2 + 1;
    if (j->f.h->ops.data[a].kind == HIST_APPEND && j->f.h->ops.data[b].kind == HIST_APPEND) {
        const struct cover *c = cover_of(l, j, j->f.h->ops.data[a].key);
        order_by_places(l, c, a, b, lit);
        order_by_places(l, c, b, a, clause_not(lit));
    }
    add_known_order(l, j, a, b, lit);
    add_known_order(l, j, b, a, clause_not(lit));
    return lit;
}

static uint32_t source_lit(struct lemmas *l, struct judge *j, uint32_t read, uint32_t write);

/* Everybody who may have read what `write` wrote: perhaps they have no other source. */
static void add_readers(struct lemmas *l, struct judge *j, uint32_t write)
{
    const struct hist_facts *f = &j->f;
    uint32_t key = f->h->ops.data[write].key;
    hist_facts_ops sources = {0};
    for (uint32_t i = f->key_start[key]; i < f->key_start[key + 1]; i++) {
        uint32_t r = f->key_ops[i];
        bool found = false;
        if (f->op_txn[r] == f->op_txn[write] || !hist_facts_external(f, r) ||
            !hist_facts_possible(&j->f, f->op_txn[r]))
            continue;
        hist_facts_sources(&j->f, r, &sources);
        for (size_t k = 0; k < sources.len; k++)
            found |= sources.data[k] == write;
        if (found)
            source_lit(l, j, r, write);
    }
    vec_free(&sources);
}

/* HIST_NONE: it counts anyway.  If it counts, so do its reads: even those without any source; and
 * it does if somebody can only have seen what it wrote. */
static uint32_t counts_lit(struct lemmas *l, struct judge *j, uint32_t txn)
{
    if (hist_facts_counts(&j->f, txn))
        return HIST_NONE;
    bool fresh;
    uint64_t *v = map_put(&l->counts, txn, 0, &fresh);
    if (!fresh)
        return (uint32_t)(2 * (*v - 1));
    uint32_t lit = formula_new(&l->f, (struct check_fact){CHECK_FACT_HAPPENED, txn, 0, 0});
    *v = lit / 2 + 1;
    uint32_t absent = clause_not(lit);
    if (!hist_facts_possible(&j->f, txn))
        formula_add(&l->f, &absent, 1);
    const struct hist_txn *t = &j->f.h->txns.data[txn];
    for (uint32_t r = t->first_op; r < t->first_op + t->op_count; r++) {
        if (hist_facts_final(&j->f, r))
            add_readers(l, j, r);
        if (j->f.h->ops.data[r].kind == HIST_APPEND)
            cover_of(l, j, j->f.h->ops.data[r].key);
        if (!hist_facts_external(&j->f, r))
            continue;
        hist_facts_ops sources = {0};
        hist_facts_sources(&j->f, r, &sources);
        if (sources.len)
            source_lit(l, j, r, sources.data[0]);
        else
            formula_add(&l->f, &absent, 1);
        vec_free(&sources);
    }
    return lit;
}

/* A read of a transaction that counts has one source, and who wrote that counts. */
static void add_sources(struct lemmas *l, struct judge *j, uint32_t read)
{
    enum { FEW = 5 };
    hist_facts_ops sources = {0};
    clause_lits clause = {0};
    uint32_t reader = counts_lit(l, j, j->f.op_txn[read]);
    hist_facts_sources(&j->f, read, &sources);
    if (reader != HIST_NONE)
        vec_push(&clause, clause_not(reader));
    size_t first = clause.len;
    for (size_t i = 0; i < sources.len; i++) {
        uint32_t w = sources.data[i];
        if (judge_claimed(j, CLAIM_NOT_SOURCE, read, w))
            continue;
        uint32_t lit = source_lit(l, j, read, w);
        uint32_t writer = w == HIST_NONE ? HIST_NONE : counts_lit(l, j, j->f.op_txn[w]);
        uint32_t seen[] = {clause_not(lit), writer,
                           reader == HIST_NONE ? writer : clause_not(reader)};
        if (writer != HIST_NONE)
            formula_add(&l->f, seen, 3);
        source_by_place(l, j, read, w, lit);
        vec_push(&clause, lit);
    }
    formula_add(&l->f, clause.data, clause.len);
    formula_at_most_one(&l->f, clause.data + first, clause.len - first, FEW,
                        (struct check_fact){CHECK_FACT_SOURCES_UP_TO, read, 0, 0});
    vec_free(&clause);
    vec_free(&sources);
}

static uint32_t source_lit(struct lemmas *l, struct judge *j, uint32_t read, uint32_t write)
{
    uint64_t *v = map_put(&l->reads, judge_pair(read, write), 0, NULL);
    if (!*v)
        *v = formula_new(&l->f, (struct check_fact){CHECK_FACT_SAW, read, write, 0}) / 2 + 1;
    uint32_t lit = (uint32_t)(2 * (*v - 1));
    if (!map_get(&l->reads,
                 judge_pair(read, read))) { /* a read is no write: marks that it was done */
        map_put(&l->reads, judge_pair(read, read), 1, NULL);
        add_sources(l, j, read);
    }
    return lit;
}

static uint32_t claim_lit(struct lemmas *l, struct judge *j, const struct claim_entry *e)
{
    if (e->kind == CLAIM_COUNTS)
        return counts_lit(l, j, e->a);
    return e->kind == CLAIM_ORDER ? order_lit(l, j, e->a, e->b) : source_lit(l, j, e->a, e->b);
}

/* --- lemmas and aggregates: a state and an option of its row imply the next state ------------- */

/* a and b imply c or d. */
static void add_implication(struct lemmas *l, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t lits[4], n = 0;
    if (a != HIST_NONE)
        lits[n++] = clause_not(a);
    lits[n++] = clause_not(b);
    if (c != HIST_NONE)
        lits[n++] = c;
    if (d != HIST_NONE)
        lits[n++] = d;
    formula_add(&l->f, lits, n);
}

/* "The row of the operation contributes something besides", which it cannot while the initial
 * version is what the read behind it saw; HIST_NONE: it never does. */
static uint32_t besides_lit(struct lemmas *l, struct judge *j, const struct hist_predicate *q,
                            uint32_t op)
{
    uint32_t turned = aggregate_turned(&j->aggregates, q, op);
    bool is_free = aggregate_is_free(&j->aggregates, q, op);
    if (!is_free && turned == HIST_NONE)
        return HIST_NONE;
    uint32_t number = (uint32_t)(q - j->f.h->predicates.data);
    uint32_t lit = formula_new(&l->f, (struct check_fact){CHECK_FACT_BESIDES, number, op, 0});
    if (!is_free)
        add_implication(l, lit, source_lit(l, j, hist_facts_row(&j->f, turned), HIST_NONE),
                        HIST_NONE, HIST_NONE);
    return lit;
}

/* From the states before a row to those behind it. */
static void add_row(struct lemmas *l, struct judge *j, const struct aggregate_ways *w, uint32_t r,
                    uint32_t op, const uint32_t *lit)
{
    uint32_t read = hist_facts_row(&j->f, op), besides = besides_lit(l, j, w->q, op);
    for (uint32_t o = w->rows.data[r]; o < w->rows.data[r + 1]; o++) {
        const struct aggregate_option *x = &w->options.data[o];
        uint32_t part = x->besides ? besides : source_lit(l, j, read, x->source);
        for (uint32_t s = w->layers.data[r]; s < w->layers.data[r + 1]; s++) {
            uint32_t to = aggregate_ways_next(w, r, s, x);
            add_implication(l, lit[s], part, to == HIST_NONE ? to : lit[to],
                            x->besides ? HIST_NONE : besides);
        }
    }
}

static bool add_aggregate(struct lemmas *l, struct judge *j, const struct hist_predicate *q)
{
    struct aggregate_ways w;
    uint32_t happened = counts_lit(l, j, q->txn), absent = clause_not(happened);
    judge_find_ways(j, q, &w);
    bool fits = !w.too_many;
    if (fits && !aggregate_ways_any(&w))
        formula_add(&l->f, &absent, happened != HIST_NONE);
    uint32_t *lit = mem_alloc(mem_mul(w.states.len + 1, sizeof *lit));
    struct check_fact partial = {CHECK_FACT_PARTIAL, (uint32_t)(q - j->f.h->predicates.data), 0, 0};
    for (uint32_t s = 0; s < w.states.len && fits; s++) {
        partial.b = s;
        lit[s] = s < w.layers.data[1] ? happened : formula_new(&l->f, partial);
    }
    for (uint32_t r = 0, op = q->first_op; r + 1 < w.rows.len && fits; r++, op++) {
        uint32_t turned = aggregate_turned(&j->aggregates, q, op);
        add_row(l, j, &w, r, op, lit);
        op = turned == HIST_NONE ? op : turned;
    }
    mem_free(lit);
    aggregate_ways_free(&w);
    return fits;
}

/* Is a read of the aggregate one that the lemmas speak of, or the aggregate named itself? */
static bool is_involved(const struct lemmas *l, struct judge *j, const struct hist_predicate *q)
{
    if (l->all)
        return true;
    for (size_t i = 0; i < j->r->ops.len; i++)
        if (j->r->ops.data[i] == q->first_op)
            return true;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        uint32_t read = hist_facts_row(&j->f, i);
        if (map_get(&l->reads, judge_pair(read, read)))
            return true;
    }
    return false;
}

static const char *add_aggregates(struct lemmas *l, struct judge *j)
{
    const struct history *h = j->f.h;
    bool fits = true;
    if (!l->joined)
        l->joined = mem_calloc(h->predicates.len + 1, 1);
    for (bool again = j->aggregates.any; again && fits;) {
        again = false;
        for (uint32_t i = 0; i < h->predicates.len && fits; i++) {
            const struct hist_predicate *q = &h->predicates.data[i];
            if (l->joined[i] || !aggregate_counts(q) || !hist_facts_possible(&j->f, q->txn) ||
                !is_involved(l, j, q))
                continue;
            l->joined[i] = 1;
            fits = add_aggregate(l, j, q);
            again = true;
        }
    }
    return fits ? NULL : judge_wrong(j, "an aggregate has too many partial results");
}

/* --- all together ----------------------------------------------------------------------------- */

/* What the cases before and around claim. */
static void add_claims(struct lemmas *l, struct judge *j)
{
    for (size_t i = 0; i < j->trail.len; i++) {
        struct claim_entry e = j->trail.data[i];
        uint32_t lit = claim_lit(l, j, &e);
        if (e.kind == CLAIM_NOT_SOURCE) {
            uint32_t reader = counts_lit(l, j, j->f.op_txn[e.a]);
            uint32_t clause[] = {clause_not(lit), clause_not(reader)};
            formula_add(&l->f, clause, reader == HIST_NONE ? 1 : 2);
        } else if (e.kind != CLAIM_ORDER && lit != HIST_NONE) { /* orders: add_known_order */
            formula_add(&l->f, &lit, 1);
        }
    }
}

static const char *add_cycle(struct lemmas *l, struct judge *j, uint32_t index)
{
    vec_clear(&j->used);
    const char *error = judge_cycle(j, index);
    clause_lits clause = {0};
    for (size_t k = 0; k < j->used.len; k++) {
        struct claim_entry e = j->used.data[k];
        uint32_t lit = claim_lit(l, j, &e);
        if (lit != HIST_NONE)
            vec_push(&clause, clause_not(lit));
    }
    if (!error)
        formula_add(&l->f, clause.data, clause.len);
    vec_free(&clause);
    return error;
}

/* Orders on record that contradict each other: then one of the two does not count. */
static void add_contradictions(struct lemmas *l, struct judge *j, uint32_t txn)
{
    const struct hist_txn *t = &j->f.h->txns.data[txn];
    for (uint32_t w = t->first_op; w < t->first_op + t->op_count; w++) {
        uint32_t key = j->f.h->ops.data[w].key;
        if (!hist_facts_final(&j->f, w))
            continue;
        for (uint32_t i = j->f.key_start[key]; i < j->f.key_start[key + 1]; i++) {
            uint32_t v = j->f.key_ops[i];
            if (v != w && hist_facts_final(&j->f, v) &&
                hist_facts_possible(&j->f, j->f.op_txn[v]) && judge_older(j, v, w) &&
                judge_older(j, w, v))
                order_lit(l, j, v, w);
        }
    }
}

/* No choice satisfies all clauses: those of what the lemmas and claims speak of, or else those of
 * all transactions of unknown outcome and all aggregates. */
static bool no_choice(struct lemmas *l, struct judge *j, const char **error)
{
    *error = add_aggregates(l, j);
    if (*error || proof_refutes(&j->proofs, &l->f, false))
        return !*error;
    if (!j->unknown)
        return false;
    for (uint32_t t = 0; t < j->f.h->txns.len; t++) {
        if (j->f.h->txns.data[t].status != HIST_UNKNOWN || !hist_facts_possible(&j->f, t))
            continue;
        counts_lit(l, j, t);
        add_contradictions(l, j, t);
    }
    l->all = true;
    *error = add_aggregates(l, j);
    return !*error && proof_refutes(&j->proofs, &l->f, true);
}

static void lemmas_free(struct lemmas *l)
{
    formula_free(&l->f);
    map_free(&l->vars);
    map_free(&l->reads);
    map_free(&l->counts);
    map_free(&l->covers);
    mem_free(l->joined);
    for (size_t i = 0; i < l->cover.len; i++)
        cover_free(&l->cover.data[i]);
    vec_free(&l->cover);
}

const char *judge_lemmas(struct judge *j)
{
    struct lemmas l = {0};
    const char *error = NULL;
    add_claims(&l, j);
    j->lemma = true;
    for (uint32_t i = 0; i < j->r->lemmas && !error; i++)
        error = add_cycle(&l, j, (uint32_t)j->r->cycles.len - j->r->lemmas + i);
    if (!error && !no_choice(&l, j, &error) && !error)
        error = judge_wrong(j, "the cycles leave a choice open");
    lemmas_free(&l);
    return error;
}

bool judge_impossible(struct judge *j, uint32_t absent)
{
    if (!j->unknown)
        return false;
    struct lemmas l = {0};
    const char *error;
    uint32_t lit = absent == HIST_NONE ? HIST_NONE : clause_not(counts_lit(&l, j, absent));
    if (lit != HIST_NONE)
        formula_add(&l.f, &lit, 1);
    add_claims(&l, j);
    bool none = no_choice(&l, j, &error);
    lemmas_free(&l);
    return none;
}
