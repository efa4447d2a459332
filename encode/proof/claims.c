/* Instances of what is true for all rows or values, for those that matter: see ground.h.
 *
 * Which ones do is read off the formula: where a variable is an index of a cell, the rows of that
 * table are tried; where it is compared with a field, the values that the field is compared with
 * elsewhere.  A cell that has all variables among its indices says most: its rows are tried, no
 * others.  If there is none, all combinations are. */
#include <string.h>

#include "encode/proof/ground.h"

#define DIMS_MAX 8
#define CLAIM_INSTANCES 150 /* of one claim */
#define INSTANCES_MAX 1500u /* in all */

#define VALUE_OLDEST 1u /* every cell is a value, and leads to more of them */

/* A cell in the formula: which variables its indices are. */
struct pattern {
    uint32_t table, n_dims;
    int var[DIMS_MAX]; /* -1: no variable */
    uint64_t covers;   /* the variables, as bits */
};

/* A variable is compared with a field. */
struct comparison {
    uint32_t var, table, field;
};

struct ground_claim {
    struct ground_for_all f;
    VEC(struct pattern) patterns;
    VEC(struct comparison) comparisons;
    struct map done; /* tuples */
    bool covered;
};

/* ---- what matters for a claim -------------------------------------------------------------- */

struct search {
    struct ground *g;
    struct ground_claim *c;
};

static int param_number(struct ground *g, const struct ground_claim *c, term_id t)
{
    const struct fm_leaf *l = fm_leaf_of(g->fm, t);
    bool is = l && l->kind == FM_VAR && l->var >= FM_PARAM && l->var < FM_PARAM + c->f.n;
    return is ? (int)l->var - FM_PARAM : -1;
}

static void add_pattern(struct ground_claim *c, const struct pattern *p)
{
    for (size_t i = 0; i < c->patterns.len; i++)
        if (c->patterns.data[i].table == p->table &&
            !memcmp(c->patterns.data[i].var, p->var, sizeof p->var))
            return;
    vec_push(&c->patterns, *p);
}

static void find_pattern(void *arg, const struct fm_leaf *l)
{
    struct search *s = arg;
    if (l->kind != FM_CELL)
        return;
    uint32_t n = s->g->fm->sx->tables[l->cell.table].n_dims;
    struct pattern p = {.table = l->cell.table, .n_dims = n < DIMS_MAX ? n : DIMS_MAX};
    for (uint32_t d = 0; d < DIMS_MAX; d++) {
        p.var[d] = d < n ? param_number(s->g, s->c, l->cell.index[d]) : -1;
        if (p.var[d] >= 0)
            p.covers |= UINT64_C(1) << p.var[d];
    }
    if (p.covers)
        add_pattern(s->c, &p);
}

static void find_comparison(struct search *s, term_id a, term_id b)
{
    int var = param_number(s->g, s->c, a);
    const struct fm_leaf *l = fm_leaf_of(s->g->fm, b);
    if (var < 0 || !l || l->kind != FM_CELL)
        return;
    for (size_t i = 0; i < s->c->comparisons.len; i++) {
        const struct comparison *known = &s->c->comparisons.data[i];
        if (known->var == (uint32_t)var && known->table == l->cell.table &&
            known->field == l->cell.field)
            return;
    }
    vec_push(&s->c->comparisons,
             ((struct comparison){(uint32_t)var, l->cell.table, l->cell.field}));
}

static void find_in_term(void *arg, term_id t)
{
    struct search *s = arg;
    const struct term *x = term_get(s->g->fm->store, t);
    if (x->op != TERM_OP_EQ && x->op != TERM_OP_LE)
        return;
    find_comparison(s, x->arg[0], x->arg[1]);
    find_comparison(s, x->arg[1], x->arg[0]);
}

static void find_in_fold(void *arg, const struct fm_leaf *l)
{
    struct search *s = arg;
    if (l->kind != FM_FOLD)
        return;
    term_id roots[] = {l->fold.cond, l->fold.value ? l->fold.value : l->fold.cond};
    term_each(s->g->fm->store, roots, 2, find_in_term, s);
}

static void analyse(struct ground *g, struct ground_claim *c)
{
    struct search s = {g, c};
    fm_each_leaf(g->fm, c->f.body, find_pattern, &s);
    fm_each_leaf(g->fm, c->f.body, find_in_fold, &s);
    term_each(g->fm->store, &c->f.body, 1, find_in_term, &s);
    for (size_t i = 0; i < c->patterns.len; i++)
        c->covered |= c->patterns.data[i].covers == (UINT64_C(1) << c->f.n) - 1;
}

static void add_term(ground_terms *to, term_id t);

/* Constants that bound a field in every row: what is known of sums depends on them. */
static void find_bound(void *arg, term_id t)
{
    struct ground *g = arg;
    const struct term *x = term_get(g->fm->store, t);
    if (x->op != TERM_OP_EQ && x->op != TERM_OP_LE)
        return;
    const struct fm_leaf *l = fm_leaf_of(g->fm, x->arg[0]);
    if (l && l->kind == FM_CELL && term_is_const(g->fm->store, x->arg[1]))
        add_term(&g->bounds[l->cell.table][l->cell.field], x->arg[1]);
}

void ground_for_all(struct ground *g, const struct ground_for_all *f)
{
    if (f->body == TERM_TRUE)
        return;
    if (f->n == 0) {
        ground_assert(g, f->guard, f->body);
        return;
    }
    struct ground_claim *c = mem_calloc(1, sizeof *c);
    c->f = *f;
    analyse(g, c);
    term_each(g->fm->store, &f->body, 1, find_bound, g);
    vec_push(&g->claims, c);
}

void ground_claims_free(struct ground *g)
{
    for (size_t i = 0; i < g->claims.len; i++) {
        struct ground_claim *c = g->claims.data[i];
        vec_free(&c->patterns);
        vec_free(&c->comparisons);
        map_free(&c->done);
        mem_free(c);
    }
    vec_free(&g->claims);
}

/* ---- instances ----------------------------------------------------------------------------- */

struct round {
    struct ground *g;
    struct ground_claim *c;
    const size_t *rows;          /* how many rows each table had when the round began */
    const size_t *const *values; /* … and values each field */
    bool some;                   /* something was new */
};

/* How old the instance is: as the oldest of its values, or the claim. */
static unsigned age_of(const struct round *r, const term_id *values)
{
    unsigned age = r->c->f.age;
    for (uint32_t i = 0; i < r->c->f.n; i++) {
        const uint64_t *known = map_get(&r->g->ages, values[i]);
        if (known && *known > age)
            age = (unsigned)*known;
    }
    return age;
}

static void instantiate(struct round *r, const term_id *values)
{
    unsigned age = age_of(r, values), reach = r->c->f.reach;
    if (age >= (reach ? reach : GROUND_REACH))
        return;
    struct ground_claim *c = r->c;
    struct fm *fm = r->g->fm;
    uint64_t h = 0;
    bool is_new;
    for (uint32_t i = 0; i < c->f.n; i++)
        h = hash_pair(h, values[i]);
    if (c->done.len >= CLAIM_INSTANCES || r->g->n_instances >= INSTANCES_MAX)
        return;
    map_put(&c->done, h, 1, &is_new);
    if (!is_new)
        return;
    struct fm_subst s;
    fm_subst_begin(&s, fm);
    for (uint32_t i = 0; i < c->f.n; i++)
        fm_subst_var(&s, fm->var[FM_PARAM + i], values[i]);
    r->g->age = age + 1;
    ground_assert(r->g, c->f.guard, fm_subst(&s, c->f.body));
    fm_subst_end(&s);
    r->g->n_instances++;
    r->some = true;
}

static bool suits(const struct ground_claim *c, const struct ground_row *row)
{
    return (!c->f.states || (row->states & c->f.states)) &&
           (!c->f.fields || !row->fields || (row->fields & c->f.fields));
}

/* The variables' values, if the row gives one to all of them. */
static bool match(const struct ground_claim *c, const struct pattern *p,
                  const struct ground_row *row, term_id *values)
{
    memset(values, 0, c->f.n * sizeof *values);
    for (uint32_t d = 0; d < p->n_dims; d++) {
        if (p->var[d] < 0)
            continue;
        if (row->index[d] == TERM_NONE)
            return false;
        values[p->var[d]] = row->index[d];
    }
    return true;
}

static void try_rows(struct round *r)
{
    term_id values[FM_PARAMS];
    for (size_t i = 0; i < r->c->patterns.len; i++) {
        const struct pattern p = r->c->patterns.data[i];
        if (p.covers != (UINT64_C(1) << r->c->f.n) - 1)
            continue;
        for (size_t k = 0; k < r->rows[p.table]; k++) {
            const struct ground_row row = r->g->rows[p.table].data[k];
            if (suits(r->c, &row) && match(r->c, &p, &row, values))
                instantiate(r, values);
        }
    }
}

static void add_term(ground_terms *to, term_id t)
{
    for (size_t i = 0; i < to->len; i++)
        if (to->data[i] == t)
            return;
    if (t != TERM_NONE)
        vec_push(to, t);
}

static void all_indices(struct round *r, ground_terms *to)
{
    for (uint32_t t = 0; t < r->g->fm->sx->n_tables; t++)
        for (size_t i = 0; i < r->rows[t]; i++)
            for (uint32_t d = 0; d < r->g->fm->sx->tables[t].n_dims; d++)
                add_term(to, r->g->rows[t].data[i].index[d]);
}

/* What to try for one variable. */
static void candidates(struct round *r, uint32_t var, ground_terms *to)
{
    const struct ground_claim *c = r->c;
    bool said = false;
    for (size_t i = 0; i < c->patterns.len; i++) {
        const struct pattern *p = &c->patterns.data[i];
        for (uint32_t d = 0; d < p->n_dims; d++) {
            if (p->var[d] != (int)var)
                continue;
            said = true;
            for (size_t k = 0; k < r->rows[p->table]; k++)
                if (suits(c, &r->g->rows[p->table].data[k]))
                    add_term(to, r->g->rows[p->table].data[k].index[d]);
        }
    }
    for (size_t i = 0; i < c->comparisons.len; i++) {
        const struct comparison *x = &c->comparisons.data[i];
        if (x->var != var)
            continue;
        said = true;
        for (size_t k = 0; k < r->values[x->table][x->field]; k++) {
            term_id value = r->g->values[x->table][x->field].data[k];
            const uint64_t *age = map_get(&r->g->ages, value);
            if (!age || *age <= VALUE_OLDEST)
                add_term(to, value);
        }
    }
    if (!said)
        all_indices(r, to);
}

static void try_combinations(struct round *r)
{
    ground_terms list[FM_PARAMS] = {0};
    size_t at[FM_PARAMS] = {0};
    term_id values[FM_PARAMS];
    bool more = true;
    for (uint32_t i = 0; i < r->c->f.n; i++) {
        candidates(r, i, &list[i]);
        more &= list[i].len > 0;
    }
    while (more) {
        for (uint32_t i = 0; i < r->c->f.n; i++)
            values[i] = list[i].data[at[i]];
        instantiate(r, values);
        uint32_t k = 0;
        while (k < r->c->f.n && ++at[k] == list[k].len)
            at[k++] = 0;
        more = k < r->c->f.n && r->c->done.len < CLAIM_INSTANCES;
    }
    for (uint32_t i = 0; i < r->c->f.n; i++)
        vec_free(&list[i]);
}

bool ground_instances(struct ground *g)
{
    const struct sx_program *sx = g->fm->sx;
    struct arena a = {0};
    size_t *rows = arena_array(&a, size_t, sx->n_tables + 1), n = g->claims.len;
    const size_t **values = arena_array(&a, const size_t *, sx->n_tables + 1);
    bool some = false;
    for (uint32_t t = 0; t < sx->n_tables; t++) {
        size_t *len = arena_array(&a, size_t, sx->tables[t].n_fields + 1);
        rows[t] = g->rows[t].len;
        for (uint32_t f = 0; f < sx->tables[t].n_fields; f++)
            len[f] = g->values[t][f].len;
        values[t] = len;
    }
    for (size_t i = 0; i < n && !g->fm->limit; i++) {
        struct round r = {.g = g, .c = g->claims.data[i], .rows = rows, .values = values};
        if (r.c->covered)
            try_rows(&r);
        if (!r.c->covered || r.c->f.n == 1)
            try_combinations(&r);
        some |= r.some;
    }
    arena_free(&a);
    return some;
}
