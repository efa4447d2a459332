/* The choices that are open in a history, as variables of clauses, and what the definitions say of
 * them: which of two versions is older, which write a read saw, whether a transaction of unknown
 * outcome counts, and whose append made which element of a list.
 *
 * Of the outcome of a transaction and the sources of a read it is only noted at first that they are
 * spoken of: choices_complete adds their clauses, and those of whatever these speak of. */
#include "certify/violation/certify_claims.h"

/* --- lists: whose append made which element ----------------------------------------------------
 */

/* Whoever made an element counts. */
static const struct cover *cover_of(struct judge *j, uint32_t key)
{
    uint64_t *index = map_put(&j->covers, key, 0, NULL);
    if (!*index) {
        struct cover c;
        cover_init(&c, &j->f, j->o->level, key, HIST_NONE, &j->formula);
        vec_push(&j->cover, c);
        *index = j->cover.len;
        for (size_t i = 0; i < c.places.len; i++) {
            uint32_t txn = choices_happened(j, j->f.op_txn[c.places.data[i].last]);
            uint32_t clause[] = {clause_not(c.places.data[i].lit), txn};
            if (txn != HIST_NONE)
                formula_add(&j->formula, clause, 2);
        }
    }
    return &j->cover.data[*map_get(&j->covers, key) - 1];
}

/* Where a has its place and b not before it, a is older. */
static void order_by_places(struct judge *j, const struct cover *c, uint32_t a, uint32_t b,
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
        formula_add(&j->formula, clause.data, clause.len);
    }
    vec_free(&clause);
}

/* What a read of a list saw is whose append made the last element. */
static void source_by_place(struct judge *j, uint32_t read, uint32_t write, uint32_t lit)
{
    if (j->f.h->ops.data[read].kind != HIST_LIST_READ || write == HIST_NONE ||
        !hist_facts_counts(&j->f, j->f.op_txn[read]))
        return;
    const struct cover *c = cover_of(j, j->f.h->ops.data[read].key);
    uint32_t from, to, len = hist_facts_list_length(&j->f, read), place = HIST_NONE;
    if (!cover_begins_with(c, &j->f, read))
        return;
    cover_range(c, write, &from, &to);
    for (; from < to; from++)
        if (c->places.data[from].end == len)
            place = c->places.data[from].lit;
    uint32_t one[] = {clause_not(lit), place}, other[] = {lit, clause_not(place)};
    if (place == HIST_NONE) {
        formula_add(&j->formula, one, 1);
        return;
    }
    formula_add(&j->formula, one, 2);
    formula_add(&j->formula, other, 2);
}

/* --- variables -------------------------------------------------------------------------------- */

/* What is on record holds if both count. */
static void add_known_order(struct judge *j, uint32_t a, uint32_t b, uint32_t lit)
{
    if (!judge_recorded(j, a, b))
        return;
    uint32_t clause[3] = {lit}, n = 1, op[] = {a, b};
    for (int i = 0; i < 2; i++) {
        uint32_t writer = choices_happened(j, j->f.op_txn[op[i]]);
        if (writer != HIST_NONE)
            clause[n++] = clause_not(writer);
    }
    formula_add(&j->formula, clause, n);
}

/* Two appends to one list. */
static void order_appends(struct judge *j, uint32_t a, uint32_t b, uint32_t lit)
{
    const struct hist_op *ops = j->f.h->ops.data;
    if (ops[a].kind != HIST_APPEND || ops[b].kind != HIST_APPEND)
        return;
    const struct cover *c = cover_of(j, ops[a].key);
    order_by_places(j, c, a, b, lit);
    order_by_places(j, c, b, a, clause_not(lit));
}

uint32_t choices_order(struct judge *j, uint32_t a, uint32_t b)
{
    if (a > b)
        return clause_not(choices_order(j, b, a));
    bool fresh;
    uint32_t lit = formula_lit(&j->formula, CHECK_FACT_OLDER, a, b, &fresh);
    if (!fresh)
        return lit;
    if (j->scope)
        order_appends(j, a, b, lit);
    add_known_order(j, a, b, lit);
    add_known_order(j, b, a, clause_not(lit));
    return lit;
}

/* Everybody who may have read what `write` wrote: perhaps they have no other source. */
static void add_readers(struct judge *j, uint32_t write)
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
            choices_source(j, r, write);
    }
    vec_free(&sources);
}

uint32_t choices_happened(struct judge *j, uint32_t txn)
{
    if (hist_facts_counts(&j->f, txn))
        return HIST_NONE;
    bool fresh;
    uint32_t lit = formula_lit(&j->formula, CHECK_FACT_HAPPENED, txn, 0, &fresh);
    if (fresh)
        vec_push(&j->new_txns, txn);
    return lit;
}

/* Its appends may be elements of lists. */
static void add_appends(struct judge *j, uint32_t txn)
{
    const struct hist_txn *t = &j->f.h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (j->f.h->ops.data[i].kind == HIST_APPEND)
            cover_of(j, j->f.h->ops.data[i].key);
}

/* If the transaction counts, so do its reads: even those without any source; and it does if
 * somebody can only have seen what it wrote. */
static void add_outcome(struct judge *j, uint32_t txn)
{
    uint32_t absent = clause_not(choices_happened(j, txn));
    if (!hist_facts_possible(&j->f, txn))
        formula_add(&j->formula, &absent, 1);
    const struct hist_txn *t = &j->f.h->txns.data[txn];
    hist_facts_ops sources = {0};
    for (uint32_t r = t->first_op; r < t->first_op + t->op_count; r++) {
        if (hist_facts_final(&j->f, r))
            add_readers(j, r);
        if (!hist_facts_external(&j->f, r))
            continue;
        hist_facts_sources(&j->f, r, &sources);
        if (sources.len)
            choices_source(j, r, sources.data[0]);
        else
            formula_add(&j->formula, &absent, 1);
    }
    vec_free(&sources);
    if (j->scope)
        add_appends(j, txn);
}

/* A read of a transaction that counts has one source, and who wrote that counts. */
static void add_sources(struct judge *j, uint32_t read)
{
    enum { FEW = 5 };
    hist_facts_ops sources = {0};
    clause_lits clause = {0};
    uint32_t reader = choices_happened(j, j->f.op_txn[read]);
    hist_facts_sources(&j->f, read, &sources);
    if (reader != HIST_NONE)
        vec_push(&clause, clause_not(reader));
    size_t first = clause.len;
    for (size_t i = 0; i < sources.len; i++) {
        uint32_t w = sources.data[i];
        uint32_t lit = choices_source(j, read, w);
        uint32_t writer = w == HIST_NONE ? HIST_NONE : choices_happened(j, j->f.op_txn[w]);
        uint32_t seen[] = {clause_not(lit), writer,
                           reader == HIST_NONE ? writer : clause_not(reader)};
        if (writer != HIST_NONE)
            formula_add(&j->formula, seen, 3);
        if (j->scope)
            source_by_place(j, read, w, lit);
        vec_push(&clause, lit);
    }
    formula_add(&j->formula, clause.data, clause.len);
    formula_at_most_one(&j->formula, clause.data + first, clause.len - first, FEW,
                        CHECK_FACT_SOURCES_UP_TO, read, 0);
    vec_free(&clause);
    vec_free(&sources);
}

uint32_t choices_source(struct judge *j, uint32_t read, uint32_t write)
{
    bool fresh;
    map_put(&j->reads, read, 1, &fresh);
    if (fresh)
        vec_push(&j->new_reads, read);
    return formula_lit(&j->formula, CHECK_FACT_SAW, read, write, NULL);
}

uint32_t choices_fact(struct judge *j, const struct check_fact *f)
{
    if (f->kind == CHECK_FACT_HAPPENED)
        return choices_happened(j, f->a);
    return f->kind == CHECK_FACT_OLDER ? choices_order(j, f->a, f->b)
                                       : choices_source(j, f->a, f->b);
}

void choices_complete(struct judge *j)
{
    while (j->new_txns.len || j->new_reads.len) {
        if (j->new_reads.len)
            add_sources(j, vec_pop(&j->new_reads));
        else
            add_outcome(j, vec_pop(&j->new_txns));
    }
}

/* --- more of them ----------------------------------------------------------------------------- */

void choices_add_lists(struct judge *j)
{
    choices_complete(j);
    size_t n = j->formula.facts.len;
    j->scope = CHECK_SCOPE_EXTENDED;
    for (size_t i = 0; i < n; i++) {
        struct check_fact f = j->formula.facts.data[i];
        if (f.kind == CHECK_FACT_OLDER)
            order_appends(j, f.a, f.b, 2 * (uint32_t)i);
        else if (f.kind == CHECK_FACT_SAW)
            source_by_place(j, f.a, f.b, 2 * (uint32_t)i);
        else if (f.kind == CHECK_FACT_HAPPENED)
            add_appends(j, f.a);
    }
    choices_complete(j);
}

/* Orders on record that contradict each other: then one of the two does not count. */
static void add_contradictions(struct judge *j, uint32_t txn)
{
    const struct hist_txn *t = &j->f.h->txns.data[txn];
    for (uint32_t w = t->first_op; w < t->first_op + t->op_count; w++) {
        uint32_t key = j->f.h->ops.data[w].key;
        if (!hist_facts_final(&j->f, w))
            continue;
        for (uint32_t i = j->f.key_start[key]; i < j->f.key_start[key + 1]; i++) {
            uint32_t v = j->f.key_ops[i];
            if (v != w && hist_facts_final(&j->f, v) &&
                hist_facts_possible(&j->f, j->f.op_txn[v]) && judge_recorded(j, v, w) &&
                judge_recorded(j, w, v))
                choices_order(j, v, w);
        }
    }
}

void choices_add_outcomes(struct judge *j)
{
    j->scope = CHECK_SCOPE_WIDE;
    for (uint32_t t = 0; t < j->f.h->txns.len; t++) {
        if (j->f.h->txns.data[t].status != HIST_UNKNOWN || !hist_facts_possible(&j->f, t))
            continue;
        choices_happened(j, t);
        add_contradictions(j, t);
    }
    choices_complete(j);
}

void choices_free(struct judge *j)
{
    formula_free(&j->formula);
    map_free(&j->reads);
    map_free(&j->covers);
    for (size_t i = 0; i < j->cover.len; i++)
        cover_free(&j->cover.data[i]);
    vec_free(&j->cover);
    vec_free(&j->new_txns);
    vec_free(&j->new_reads);
}
