/* Invariants that are proposed, see candidates.h. */
#include "encode/proof/candidates.h"

#include <assert.h>

#define CANDIDATES_MAX 120
#define CONSTANTS_MAX 6
#define VALUES_MAX 4 /* of struct proof_candidate */

/* ---- what the program mentions ------------------------------------------------------------- */

struct proposal {
    struct sx_program *sx;
    proof_candidates *out;
    term_int constant[CONSTANTS_MAX]; /* that something is compared with */
    size_t n_constants;
};

static const struct ast_type *type_of(const struct sx_program *sx, uint32_t table, uint32_t field)
{
    return sx->tables[table].fields[field].type;
}

static bool is_bool(const struct sx_program *sx, uint32_t table, uint32_t field)
{
    return type_of(sx, table, field)->width == 1;
}

static void add(struct proposal *p, struct proof_candidate c)
{
    if (p->out->len < CANDIDATES_MAX)
        vec_push(p->out, c);
}

static void add_constant(struct proposal *p, term_int v)
{
    for (size_t i = 0; i < p->n_constants; i++)
        if (p->constant[i] == v)
            return;
    if (p->n_constants < CONSTANTS_MAX)
        p->constant[p->n_constants++] = v;
}

static void look_at_term(void *arg, term_id t)
{
    struct proposal *p = arg;
    const struct term *x = term_get(&p->sx->store, t);
    if (x->op != TERM_OP_EQ && x->op != TERM_OP_LE)
        return;
    const struct term *c = term_get(&p->sx->store, x->arg[1]);
    if (c->op == TERM_OP_CONST && c->lo > 0 && c->lo < term_type_max(31, true)) {
        add_constant(p, c->lo);
        add_constant(p, c->lo + 1); /* x < 5 is x <= 4 */
    }
}

static void look_at_points(struct proposal *p, const struct sx_summary *sum)
{
    for (size_t i = 0; i < sum->n_points; i++)
        term_each(&p->sx->store, &sum->points[i].cond, 1, look_at_term, p);
    for (size_t i = 0; i < sum->n_writes; i++)
        term_each(&p->sx->store, &sum->writes[i].guard, 1, look_at_term, p);
    if (sum->holds != TERM_NONE)
        term_each(&p->sx->store, &sum->holds, 1, look_at_term, p);
}

/* ---- proposals ----------------------------------------------------------------------------- */

/* The constants among what is written: all of them, or false. */
static bool constants_of(struct proposal *p, term_id t, struct proof_candidate *c)
{
    const struct term x = *term_get(&p->sx->store, t);
    if (x.op == TERM_OP_ITE)
        return constants_of(p, x.arg[1], c) && constants_of(p, x.arg[2], c);
    if (x.op == TERM_OP_LEAF) /* a field that is carried over, most of the time */
        return p->sx->store.leaves.data[x.arg[0]].kind == TERM_LEAF_EXT;
    if (x.op != TERM_OP_CONST)
        return false;
    for (uint32_t i = 0; i < c->n_values; i++)
        if (c->value[i] == x.lo)
            return true;
    if (c->n_values == VALUES_MAX)
        return false;
    c->value[c->n_values++] = x.lo;
    return true;
}

static bool all_constants(struct proposal *p, const struct sx_summary *sum,
                          struct proof_candidate *c)
{
    for (size_t i = 0; i < sum->n_writes; i++)
        if (sum->writes[i].row.table == c->table &&
            !constants_of(p, sum->writes[i].value[c->field], c))
            return false;
    return true;
}

static void propose_values(struct proposal *p, uint32_t table, uint32_t field)
{
    struct proof_candidate c = {PROOF_ONE_OF, table, field, .n_values = 1};
    bool all = all_constants(p, p->sx->initial, &c);
    for (uint32_t i = 0; i < p->sx->n_txns && all; i++)
        all = all_constants(p, p->sx->txns[i], &c);
    if (all)
        add(p, c);
}

static void propose_for_field(struct proposal *p, uint32_t table, uint32_t field)
{
    if (is_bool(p->sx, table, field))
        return;
    if (type_of(p->sx, table, field)->is_signed)
        add(p, (struct proof_candidate){PROOF_AT_LEAST, table, field, .value = {0}});
    for (size_t i = 0; i < p->n_constants; i++)
        add(p, (struct proof_candidate){PROOF_AT_MOST, table, field, .value = {p->constant[i]}});
    propose_values(p, table, field);
}

static void propose_for_pair(struct proposal *p, uint32_t table, uint32_t field, uint32_t other)
{
    if (field == other)
        return;
    if (is_bool(p->sx, table, other))
        add(p, (struct proof_candidate){PROOF_ABSENT, table, field, .other = other});
    else if (!is_bool(p->sx, table, field))
        add(p, (struct proof_candidate){PROOF_IN_ORDER, table, field, .other = other});
}

static void propose_references(struct proposal *p, uint32_t table, uint32_t field, uint32_t to)
{
    const struct sx_table *t = &p->sx->tables[table], *target = &p->sx->tables[to];
    add(p, (struct proof_candidate){PROOF_INDEX, table, field, .to_table = to});
    for (uint32_t other = 0; other < t->n_fields; other++)
        for (uint32_t f = 0; f < target->n_fields; f++)
            if (is_bool(p->sx, table, other) && is_bool(p->sx, to, f))
                add(p, (struct proof_candidate){.kind = PROOF_REFERENCE,
                                                .table = table,
                                                .field = field,
                                                .other = other,
                                                .to_table = to,
                                                .to_field = f});
}

/* Fields whose values are indices of reads. */
static void look_for_references(struct proposal *p, const struct sx_summary *sum, bool *known)
{
    const struct sx_program *sx = p->sx;
    for (size_t i = 0; i < sum->n_reads; i++) {
        const struct sx_row *row = &sum->reads[i].row;
        if (sx->tables[row->table].n_dims != 1)
            continue;
        const struct term *x = term_get(&sx->store, row->index[0]);
        if (x->op != TERM_OP_LEAF || sx->store.leaves.data[x->arg[0]].kind != TERM_LEAF_EXT)
            continue;
        const struct term_leaf *l = &sx->store.leaves.data[x->arg[0]];
        uint32_t table = sum->reads[l->a].row.table;
        bool *seen = &known[(table * 64 + l->b % 64) * sx->n_tables + row->table];
        if (!*seen)
            propose_references(p, table, l->b, row->table);
        *seen = true;
    }
}

static void propose_all_references(struct proposal *p)
{
    bool *known = mem_calloc((size_t)p->sx->n_tables * 64 * p->sx->n_tables + 1, sizeof *known);
    for (uint32_t i = 0; i < p->sx->n_txns; i++)
        look_for_references(p, p->sx->txns[i], known);
    for (uint32_t i = 0; i < p->sx->n_invariants; i++)
        look_for_references(p, p->sx->invariants[i], known);
    mem_free(known);
}

void proof_propose(struct sx_program *sx, proof_candidates *out)
{
    struct proposal p = {.sx = sx, .out = out};
    for (uint32_t i = 0; i < sx->n_txns; i++)
        look_at_points(&p, sx->txns[i]);
    for (uint32_t i = 0; i < sx->n_invariants; i++)
        look_at_points(&p, sx->invariants[i]);
    propose_all_references(&p);
    for (uint32_t t = 0; t < sx->n_tables; t++) {
        if (sx->tables[t].n_dims > FM_PARAMS)
            continue;
        for (uint32_t f = 0; f < sx->tables[t].n_fields; f++) {
            propose_for_field(&p, t, f);
            for (uint32_t g = 0; g < sx->tables[t].n_fields && sx->tables[t].n_fields <= 6; g++)
                propose_for_pair(&p, t, f, g);
        }
    }
}

/* ---- as formulas --------------------------------------------------------------------------- */

static term_id cell(struct fm *fm, uint32_t table, uint32_t field)
{
    return fm_cell(fm, FM_ANY_STATE, table, field, &fm->var[FM_PARAM]);
}

static term_id one_of(struct fm *fm, const struct proof_candidate *c, term_id x)
{
    term_id some = TERM_FALSE;
    for (uint32_t i = 0; i < c->n_values; i++)
        some = term_or(fm->store, some, term_eq(fm->store, x, term_const(fm->store, c->value[i])));
    return some;
}

static term_id is_index(struct fm *fm, const struct proof_candidate *c, term_id x)
{
    return fm_between(fm, term_const(fm->store, 0), x, fm_dim(fm, c->to_table, 0));
}

static term_id body_of(struct fm *fm, const struct proof_candidate *c)
{
    struct term_store *s = fm->store;
    term_id x = cell(fm, c->table, c->field);
    switch (c->kind) {
    case PROOF_AT_LEAST:
        return term_le(s, term_const(s, c->value[0]), x);
    case PROOF_AT_MOST:
        return term_le(s, x, term_const(s, c->value[0]));
    case PROOF_ONE_OF:
        return one_of(fm, c, x);
    case PROOF_IN_ORDER:
        return term_le(s, x, cell(fm, c->table, c->other));
    case PROOF_ABSENT:
        return term_or(s, term_truth(s, cell(fm, c->table, c->other)),
                       term_eq(s, x, term_const(s, 0)));
    case PROOF_INDEX:
        return is_index(fm, c, x);
    case PROOF_REFERENCE:
        break;
    }
    term_id there = term_truth(s, fm_cell(fm, FM_ANY_STATE, c->to_table, c->to_field, &x));
    return term_implies(s, term_truth(s, cell(fm, c->table, c->other)),
                        term_and(s, is_index(fm, c, x), there));
}

struct fm_template proof_candidate_template(struct fm *fm, const struct proof_candidate *c)
{
    struct fm_template t = {.name = "found", .n = fm->sx->tables[c->table].n_dims};
    t.range = TERM_TRUE;
    t.unwinds = TERM_FALSE;
    assert(t.n <= FM_PARAMS);
    for (uint32_t d = 0; d < t.n; d++)
        t.range = term_and(fm->store, t.range,
                           fm_between(fm, term_const(fm->store, 0), fm->var[FM_PARAM + d],
                                      fm_dim(fm, c->table, d)));
    t.body = body_of(fm, c);
    return t;
}

/* ---- in words ------------------------------------------------------------------------------ */

/* "stock[i][j].quantity" */
static void put_cell(const struct sx_program *sx, uint32_t table, uint32_t field,
                     struct strbuf *out)
{
    const struct sx_table *t = &sx->tables[table];
    sb_puts(out, t->var->name);
    for (uint32_t d = 0; d < t->n_dims; d++)
        sb_printf(out, "[%c]", (int)('i' + d));
    sb_puts(out, t->fields[field].path);
}

static void put_number(term_int v, struct strbuf *out)
{
    term_int_print(v, out);
}

static void put_one_of(const struct sx_program *sx, const struct proof_candidate *c,
                       struct strbuf *out)
{
    for (uint32_t i = 0; i < c->n_values; i++) {
        sb_puts(out, i ? " || " : "");
        put_cell(sx, c->table, c->field, out);
        sb_puts(out, " == ");
        put_number(c->value[i], out);
    }
}

static void put_reference(const struct sx_program *sx, const struct proof_candidate *c,
                          struct strbuf *out)
{
    const struct sx_table *to = &sx->tables[c->to_table];
    sb_putc(out, '!');
    put_cell(sx, c->table, c->other, out);
    sb_printf(out, " || %s[", to->var->name);
    put_cell(sx, c->table, c->field, out);
    sb_printf(out, "]%s", to->fields[c->to_field].path);
}

const char *proof_candidate_text(const struct sx_program *sx, const struct proof_candidate *c,
                                 struct arena *arena)
{
    struct strbuf b = {0};
    switch (c->kind) {
    case PROOF_AT_LEAST:
    case PROOF_AT_MOST:
        put_cell(sx, c->table, c->field, &b);
        sb_puts(&b, c->kind == PROOF_AT_LEAST ? " >= " : " <= ");
        put_number(c->value[0], &b);
        break;
    case PROOF_ONE_OF:
        put_one_of(sx, c, &b);
        break;
    case PROOF_IN_ORDER:
        put_cell(sx, c->table, c->field, &b);
        sb_puts(&b, " <= ");
        put_cell(sx, c->table, c->other, &b);
        break;
    case PROOF_ABSENT:
        put_cell(sx, c->table, c->other, &b);
        sb_puts(&b, " || ");
        put_cell(sx, c->table, c->field, &b);
        sb_puts(&b, " == 0");
        break;
    case PROOF_INDEX:
        put_cell(sx, c->table, c->field, &b);
        sb_printf(&b, " is an index of %s", sx->tables[c->to_table].var->name);
        break;
    case PROOF_REFERENCE:
        put_reference(sx, c, &b);
        break;
    }
    const char *text = arena_strdup(arena, sb_str(&b));
    sb_free(&b);
    return text;
}
