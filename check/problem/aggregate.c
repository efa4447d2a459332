/* Aggregates as constraints on choices; see aggregate.h. */
#include "check/problem/aggregate.h"

#include <assert.h>

#include "check/problem/finding.h"
#include "check/solver/sat.h"

#define MAX_VALUES ((size_t)100 << 20)

/* --- from the history ------------------------------------------------------------------------ */

struct builder {
    struct prob *p;
    struct pred pred;
    struct hist_value *initial;
    uint32_t *read_of; /* per operation: its read, or HIST_NONE */
    struct intern classes;
    struct map values;             /* class and key → 1 + where its values start */
    uint32_t stamp, *own_at, *own; /* per key: the own write before the aggregate at hand */
};

/* The read from outside that stands for a row of an aggregate: where a transaction has one
 * snapshot, another read of the same key may have that part. */
static uint32_t external_read(const struct builder *b, const struct hist_txn *t, uint32_t op)
{
    const struct history *h = b->p->h;
    if (b->read_of[op] != HIST_NONE)
        return b->read_of[op];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (h->ops.data[i].key == h->ops.data[op].key && b->read_of[i] != HIST_NONE)
            return b->read_of[i];
    assert(!"a row without a read");
    return HIST_NONE;
}

/* Aggregates of the same kind over the same rows share what versions contribute. */
static uint32_t class_of(struct builder *b, const struct hist_predicate *q)
{
    struct strbuf text = {0};
    pred_aggregate_identity(b->p->h, q, &text);
    uint32_t id = intern_add(&b->classes, sb_str(&text), text.len);
    sb_free(&text);
    return id;
}

static bool is_row(const struct history *h, uint32_t key)
{
    return key < h->keys.len - h->lowered.keys;
}

/* Does the row that a key stands for match at first? */
static bool matches_first(const struct builder *b, const struct hist_predicate *q, uint32_t key)
{
    const struct history *h = b->p->h;
    uint32_t row =
        is_row(h, key) ? key : h->lowered.rows.data[key - (h->keys.len - h->lowered.keys)];
    return pred_matches(&b->pred, q, row, b->initial[row]);
}

/* What a version contributes.  If the key says whether a row has turned, this is for a count. */
static struct diagram_option value_of(const struct builder *b, const struct hist_predicate *q,
                                      uint32_t key, uint32_t version)
{
    const struct prob *p = b->p;
    bool initial = p->ver_txn[version] == PROB_INIT;
    if (!is_row(p->h, key))
        return (struct diagram_option){matches_first(b, q, key) == initial, 1};
    return diagram_value(&b->pred, q, key,
                         initial ? b->initial[key]
                                 : hist_op_value(&p->h->ops.data[p->ver_op[version]]));
}

static uint32_t values_of(struct builder *b, const struct hist_predicate *q, uint32_t class,
                          uint32_t key)
{
    struct prob *p = b->p;
    bool fresh;
    uint64_t *slot = map_put(&b->values, (uint64_t)class << 32 | key, 0, &fresh);
    if (!fresh)
        return (uint32_t)*slot;
    *slot = p->aggregate_values.len;
    for (uint32_t v = p->ver_start[key]; v < p->ver_start[key + 1]; v++)
        vec_push(&p->aggregate_values, value_of(b, q, key, v));
    return (uint32_t)*slot;
}

/* Rows that the transaction wrote before the aggregate. */
static void add_own(struct builder *b, const struct hist_predicate *q, struct pred_sum *sum)
{
    const struct history *h = b->p->h;
    uint32_t first = h->txns.data[q->txn].first_op;
    b->stamp++;
    for (uint32_t i = q->first_op; i-- > first;) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->kind != HIST_WRITE || op->flags & HIST_OP_FAILED || !is_row(h, op->key) ||
            b->own_at[op->key] == b->stamp)
            continue;
        b->own_at[op->key] = b->stamp;
        if (pred_matches(&b->pred, q, op->key, hist_op_value(op)))
            pred_add(&b->pred, q, op->key, hist_op_value(op), sum);
    }
}

/* Repeatable read: a row of which only it matters whether it has turned can count as it was at
 * first, too; one that is read as an item can be left out if it did not match at first, or if it
 * has turned, which the operation behind it says (then *i is that one). */
static void add_besides(struct builder *b, const struct hist_predicate *q, uint32_t *i,
                        struct aggregate_row *row)
{
    const struct history *h = b->p->h;
    uint32_t key = h->ops.data[*i].key;
    bool first = matches_first(b, q, key);
    row->free = !first || !is_row(h, key);
    if (!is_row(h, key))
        row->besides = (struct diagram_option){first, first};
    else if (*i + 1 < q->first_op + q->rows && !is_row(h, h->ops.data[*i + 1].key))
        row->turned = external_read(b, &h->txns.data[q->txn], ++*i);
}

static void add_aggregate(struct builder *b, uint32_t index)
{
    struct prob *p = b->p;
    const struct history *h = p->h;
    const struct hist_predicate *q = &h->predicates.data[index];
    struct aggregate j = {.predicate = index, .start = (uint32_t)p->aggregate_rows.len};
    uint32_t class = class_of(b, q);
    add_own(b, q, &j.own);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        uint32_t key = h->ops.data[i].key;
        struct aggregate_row row = {.read = external_read(b, &h->txns.data[q->txn], i),
                                    .values = values_of(b, q, class, key),
                                    .turned = HIST_NONE};
        if (q->old)
            add_besides(b, q, &i, &row);
        vec_push(&p->aggregate_rows, row);
    }
    j.rows = (uint32_t)p->aggregate_rows.len - j.start;
    vec_push(&p->aggregates, j);
}

static void mismatch(struct prob *p, const struct aggregate *j, struct check_result *r)
{
    const struct hist_predicate *q = &p->h->predicates.data[j->predicate];
    finding_report(r, p->h, ANOMALY_RESULT_MISMATCH, q->first_op, HIST_NONE);
}

/* Each by itself: is there any way to get the result? */
static bool possible(struct prob *p, struct check_result *r)
{
    for (size_t i = 0; i < p->aggregates.len; i++) {
        const struct aggregate *j = &p->aggregates.data[i];
        uint32_t t = aggregate_txn(p, j);
        struct diagram d;
        enum diagram_answer a = aggregate_diagram(p, j, NULL, NULL, &d);
        diagram_free(&d);
        if (a == DIAGRAM_NONE && !(p->maybe && p->maybe[t])) {
            mismatch(p, j, r);
            return false;
        }
    }
    return true;
}

bool aggregate_build(struct prob *p, struct check_result *r)
{
    const struct history *h = p->h;
    struct builder b = {.p = p};
    size_t any = 0;
    for (size_t i = 0; i < h->predicates.len; i++)
        any += h->predicates.data[i].any;
    if (!any)
        return true;
    uint8_t *counts = mem_calloc(h->txns.len + 1, 1);
    for (uint32_t t = 0; t < p->n; t++)
        counts[p->hist[t]] = 1;
    pred_init(&b.pred, h);
    b.initial = hist_initial_values(h);
    b.read_of = mem_alloc(mem_mul(h->ops.len + 1, sizeof *b.read_of));
    memset(b.read_of, 0xff, (h->ops.len + 1) * sizeof *b.read_of);
    for (uint32_t i = 0; i < p->rd_start[p->n]; i++)
        b.read_of[p->rd_op[i]] = i;
    b.own_at = mem_calloc(h->keys.len + 1, sizeof *b.own_at);
    for (uint32_t i = 0; i < h->predicates.len && p->aggregate_values.len < MAX_VALUES; i++)
        if (h->predicates.data[i].any && !h->predicates.data[i].failed &&
            counts[h->predicates.data[i].txn])
            add_aggregate(&b, i);
    bool fits = p->aggregate_values.len < MAX_VALUES;
    if (!fits)
        finding_unknown(r, "the aggregates have more than %zu versions of rows in all", MAX_VALUES);
    pred_free(&b.pred);
    mem_free(b.initial);
    mem_free(b.read_of);
    mem_free(b.own_at);
    mem_free(counts);
    intern_free(&b.classes);
    map_free(&b.values);
    return fits && possible(p, r);
}

void aggregate_free(struct prob *p)
{
    vec_free(&p->aggregates);
    vec_free(&p->aggregate_rows);
    vec_free(&p->aggregate_values);
}

/* --- yes or no ------------------------------------------------------------------------------- */

static uint32_t seen_by(const struct prob *p, uint32_t read, const uint32_t *version, bool by_key)
{
    return version[by_key ? p->rd_key[read] : read];
}

/* The same where rows may contribute something besides. */
static bool can_hold(const struct prob *p, const struct aggregate *j, const uint32_t *version,
                     bool by_key)
{
    struct diagram d;
    diagram_start(&d, &p->h->predicates.data[j->predicate], &j->own);
    for (uint32_t i = j->start; i < j->start + j->rows; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[i];
        diagram_row(&d);
        diagram_option(&d, aggregate_value(p, row, seen_by(p, row->read, version, by_key)));
        if (row->free || (row->turned != HIST_NONE &&
                          p->ver_txn[seen_by(p, row->turned, version, by_key)] != PROB_INIT))
            diagram_option(&d, row->besides);
    }
    bool can = diagram_close(&d) == DIAGRAM_FINE;
    diagram_free(&d);
    return can;
}

static bool holds(const struct prob *p, const struct aggregate *j, const uint32_t *version,
                  bool by_key)
{
    if (p->h->predicates.data[j->predicate].old)
        return can_hold(p, j, version, by_key);
    struct pred_sum s = j->own;
    for (uint32_t i = j->start; i < j->start + j->rows; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[i];
        struct diagram_option o = aggregate_value(p, row, seen_by(p, row->read, version, by_key));
        if (!o.counts)
            continue;
        s.count++;
        s.sum += o.number;
        s.least = !s.numbers || o.number < s.least ? o.number : s.least;
        s.greatest = !s.numbers || o.number > s.greatest ? o.number : s.greatest;
        s.numbers++;
    }
    return pred_agrees(&p->h->predicates.data[j->predicate], &s);
}

bool aggregate_holds(const struct prob *p, const struct aggregate *j, const uint32_t *src)
{
    return holds(p, j, src, false);
}

bool aggregate_holds_now(const struct prob *p, const struct aggregate *j, const uint32_t *current)
{
    return holds(p, j, current, true);
}

/* --- diagrams -------------------------------------------------------------------------------- */

/* The candidates of a read; without choice there is one. */
static uint32_t candidates(const struct prob *p, uint32_t read, const uint32_t **first)
{
    uint32_t v = p->rd_ver[read];
    if (!(v & PROB_CHOICE)) {
        *first = &p->rd_ver[read];
        return 1;
    }
    const struct match_choice *c = &p->choices.data[v & ~PROB_CHOICE];
    *first = p->cand.data + c->start;
    return c->len;
}

bool aggregate_besides(const struct prob *p, const struct aggregate_row *row,
                       aggregate_filter *allowed, void *arg)
{
    const uint32_t *v;
    uint32_t n = row->free || row->turned == HIST_NONE ? 0 : candidates(p, row->turned, &v);
    for (uint32_t k = 0; k < n; k++)
        if (p->ver_txn[v[k]] != PROB_INIT && (!allowed || allowed(arg, row->turned, v[k])))
            return true;
    return row->free;
}

bool aggregate_allows(const struct prob *p, const struct aggregate_row *row,
                      const struct diagram *d, uint32_t index, uint32_t version, bool besides)
{
    return diagram_allows(d, index, aggregate_value(p, row, version)) ||
           (besides && diagram_allows(d, index, row->besides));
}

enum diagram_answer aggregate_diagram(const struct prob *p, const struct aggregate *j,
                                      aggregate_filter *allowed, void *arg, struct diagram *d)
{
    diagram_start(d, &p->h->predicates.data[j->predicate], &j->own);
    for (uint32_t i = j->start; i < j->start + j->rows; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[i];
        const uint32_t *v;
        uint32_t n = candidates(p, row->read, &v);
        diagram_row(d);
        for (uint32_t k = 0; k < n; k++)
            if (!allowed || allowed(arg, row->read, v[k]))
                diagram_option(d, aggregate_value(p, row, v[k]));
        if (aggregate_besides(p, row, allowed, arg))
            diagram_option(d, row->besides);
    }
    return diagram_close(d);
}

/* --- clauses --------------------------------------------------------------------------------- */

/* Node variables say that the rows before a layer have this partial result: a node and what its row
 * contributes imply the next node, and the last layer has the result only.  More than one source
 * of a read may be true; then every combination gives the result, which is more than is asked for
 * and costs nothing: one source is enough for everything else. */
struct encoder {
    const struct prob *p;
    const struct aggregate *j;
    const struct aggregate_sink *to;
    const struct diagram *d;
    uint32_t *node; /* literal; HIST_NONE: true */
    VEC(uint32_t)
    part; /* per option of the row at hand: literal "contributes this"; or HIST_NONE:
           * true, SAT_NEVER: false */
};

#define NEVER (HIST_NONE - 1)

/* a and b imply c or d; HIST_NONE: it is not there. */
static void put_clause(struct encoder *e, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t lits[4], n = 0;
    if (a != HIST_NONE)
        lits[n++] = sat_neg(a);
    if (b != HIST_NONE)
        lits[n++] = sat_neg(b);
    if (c != HIST_NONE)
        lits[n++] = c;
    if (d != HIST_NONE)
        lits[n++] = d;
    e->to->clause(e->to->arg, lits, n);
}

static bool same(struct diagram_option a, struct diagram_option b)
{
    return a.counts == b.counts && (!a.counts || a.number == b.number);
}

/* One literal for all candidates that contribute the same. */
static uint32_t part_lit(struct encoder *e, const struct aggregate_row *row,
                         struct diagram_option o)
{
    const uint32_t *v;
    uint32_t n = candidates(e->p, row->read, &v), found = 0, last = 0;
    bool choice = e->p->rd_ver[row->read] & PROB_CHOICE;
    for (uint32_t i = 0; i < n; i++)
        if (same(aggregate_value(e->p, row, v[i]), o)) {
            found++;
            last = v[i];
        }
    if (!found)
        return NEVER;
    if (!choice)
        return HIST_NONE;
    if (found == 1)
        return e->to->lit(e->to->arg, row->read, last);
    uint32_t lit = 2 * e->to->var(e->to->arg);
    for (uint32_t i = 0; i < n; i++)
        if (same(aggregate_value(e->p, row, v[i]), o))
            put_clause(e, e->to->lit(e->to->arg, row->read, v[i]), HIST_NONE, lit, HIST_NONE);
    return lit;
}

/* A literal "it contributes something besides", HIST_NONE: never. */
static uint32_t besides_lit(struct encoder *e, const struct aggregate_row *row)
{
    const struct prob *p = e->p;
    const uint32_t *v;
    if (!aggregate_besides(p, row, NULL, NULL))
        return HIST_NONE;
    uint32_t lit = 2 * e->to->var(e->to->arg);
    uint32_t n =
        row->free || !(p->rd_ver[row->turned] & PROB_CHOICE) ? 0 : candidates(p, row->turned, &v);
    for (uint32_t i = 0; i < n; i++)
        if (p->ver_txn[v[i]] == PROB_INIT)
            put_clause(e, lit, e->to->lit(e->to->arg, row->turned, v[i]), HIST_NONE, HIST_NONE);
    return lit;
}

/* What follows from node n if the row contributes o, which `part` says, unless `but` is true. */
static void put_step(struct encoder *e, uint32_t r, uint32_t n, struct diagram_option o,
                     uint32_t part, uint32_t but)
{
    uint32_t to = diagram_next(e->d, r, n, o);
    if (to == HIST_NONE || e->node[to] != HIST_NONE)
        put_clause(e, e->node[n], part, to == HIST_NONE ? HIST_NONE : e->node[to], but);
}

static void encode_row(struct encoder *e, uint32_t r)
{
    const struct diagram *d = e->d;
    const struct aggregate_row *row = &e->p->aggregate_rows.data[e->j->start + r];
    uint32_t first = d->rows.data[r], end = d->rows.data[r + 1];
    uint32_t besides = besides_lit(e, row);
    vec_clear(&e->part);
    for (uint32_t o = first; o < end; o++)
        vec_push(&e->part, part_lit(e, row, d->options.data[o]));
    for (uint32_t n = d->layers.data[r]; n < d->layers.data[r + 1]; n++) {
        for (uint32_t o = first; o < end; o++)
            if (e->part.data[o - first] != NEVER)
                put_step(e, r, n, d->options.data[o], e->part.data[o - first], besides);
        if (besides != HIST_NONE)
            put_step(e, r, n, row->besides, besides, HIST_NONE);
    }
}

bool aggregate_encode(const struct prob *p, const struct aggregate *j, uint32_t happened,
                      const struct aggregate_sink *to)
{
    struct diagram d;
    struct encoder e = {.p = p, .j = j, .to = to, .d = &d};
    enum diagram_answer a = aggregate_diagram(p, j, NULL, NULL, &d);
    if (a == DIAGRAM_NONE)
        put_clause(&e, happened, HIST_NONE, HIST_NONE, HIST_NONE);
    if (a == DIAGRAM_FINE && d.wide)
        a = DIAGRAM_TOO_MANY;
    if (a == DIAGRAM_FINE) {
        e.node = mem_alloc(mem_mul(d.nodes.len + 1, sizeof *e.node));
        for (uint32_t n = 0; n < d.nodes.len; n++)
            e.node[n] = n < d.layers.data[1] ? happened : 2 * to->var(to->arg);
        for (uint32_t r = 0; r < j->rows; r++)
            encode_row(&e, r);
        mem_free(e.node);
    }
    vec_free(&e.part);
    diagram_free(&d);
    return a != DIAGRAM_TOO_MANY;
}
