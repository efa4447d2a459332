/* Formulas about whole states (encode/proof/formula.h) against their meaning: random sums and other
 * folds over states with random writes on top, on tables of one to three rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "encode/proof/ground.h"

#define ROWS_MAX 3
#define PARAMS 3
#define WRITES_MAX 3
#define ROUNDS 20000
#define FACT_ROUNDS 400
#define FACT_WORK 300000
#define ROUNDS_PER_STORE 50 /* terms are never removed */

static const char program[] = "#include <visar.h>\n"
                              "DATABASE struct { bool p; int x, y; } a[ANY];\n"
                              "DATABASE struct { int z; bool q; } b[ANY][ANY];\n"
                              "DATABASE int s;\n"
                              "TRANSACTION void t(void) { s = 1; }\n";

struct fixture {
    struct diag_list diags;
    struct ast_program *ast;
    struct sx_program sx;
    struct fm fm;
    uint32_t before, seen; /* unknown states */
    uint32_t states[WRITES_MAX + 1];
    size_t n_states;
    term_id param[PARAMS];
    /* One interpretation */
    int n;
    term_int param_value[PARAMS];
    term_int cell[2][3][3][ROWS_MAX * ROWS_MAX]; /* state, table, field, row */
};

static uint64_t rng = 1;

static unsigned below(unsigned n)
{
    rng = hash_u64(rng + 0x9e3779b97f4a7c15u);
    return (unsigned)(rng >> 33) % n;
}

static void open_program(struct fixture *f)
{
    const char *include[] = {"frontend/include"};
    struct ast_options o = {
        .include_dirs = include, .n_include_dirs = 1, .no_compile_commands = true};
    char file[48] = "/tmp/test_proof_sums_XXXXXX.c";
    int fd = mkstemps(file, 2);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fputs(program, out);
    fclose(out);
    assert_true(ast_parse(file, &o, &f->diags, &f->ast) && sx_classify(f->ast, &f->diags));
    unlink(file);
}

static void new_store(struct fixture *f)
{
    struct sx_options run = {.folds = SX_FOLDS_TERMS};
    sx_free(&f->sx);
    assert_true(sx_run(f->ast, &run, &f->diags, &f->sx));
}

/* ---- meaning ------------------------------------------------------------------------------- */

struct env {
    struct fixture *f;
    term_int var[FM_VARS];
};

static term_int eval(const struct env *e, term_id t);

/* A loop starts far below the rows, and would take long: its value does not count. */
#define FAR (-20)
static bool too_far;

static term_int cell_value(const struct env *e, uint32_t state, uint32_t table, uint32_t field,
                           const term_int *index)
{
    struct fixture *f = e->f;
    const struct fm_state *s = &f->fm.states.data[state];
    uint32_t dims = f->sx.tables[table].n_dims;
    int row = 0;
    if (s->kind == FM_OVERWRITTEN) {
        struct env inner = *e;
        bool hit = s->by->table == table;
        for (uint32_t d = 0; hit && d < dims; d++)
            for (uint32_t b = 0; b < s->by->n_bound; b++)
                if (s->by->index[d] == f->fm.var[FM_INDEX + b])
                    inner.var[FM_INDEX + b] = index[d];
        for (uint32_t d = 0; hit && d < dims; d++)
            hit = eval(&inner, s->by->index[d]) == index[d];
        if (hit && eval(&inner, s->by->guard))
            return eval(&inner, s->by->value[field]);
        return cell_value(e, s->below, table, field, index);
    }
    for (uint32_t d = 0; d < dims; d++) {
        if (index[d] < 0 || index[d] >= f->n)
            return 0;
        row = row * f->n + (int)index[d];
    }
    return f->cell[state == f->seen][table][field][row];
}

struct total {
    bool all;
    term_int sum, extreme, first;
    bool found;
};

static void run_fold(struct env *e, const struct fm_fold *f, uint32_t k, struct total *t)
{
    if (k == f->n) {
        bool in = eval(e, f->cond);
        t->all &= in;
        if (!in)
            return;
        if (!t->found)
            t->first = e->var[fm_var_number(&e->f->fm, f->var[0])];
        t->found = true;
        term_int v = f->value != TERM_NONE ? eval(e, f->value) : 0;
        t->sum += v;
        if (f->kind == SX_FOLD_MIN ? v < t->extreme : v > t->extreme)
            t->extreme = v;
        return;
    }
    term_int lo = eval(e, f->lo[k]), hi = eval(e, f->hi[k]);
    too_far |= lo < FAR;
    if (too_far)
        return;
    for (term_int i = lo; i < hi; i++) {
        e->var[fm_var_number(&e->f->fm, f->var[k])] = i;
        run_fold(e, f, k + 1, t);
    }
}

static term_int fold_value(const struct env *e, const struct fm_fold *f)
{
    struct env inner = *e;
    struct total t = {.all = true, .first = eval(e, f->hi[0])};
    if (f->start != TERM_NONE)
        t.extreme = eval(e, f->start);
    run_fold(&inner, f, 0, &t);
    return f->kind == SX_FOLD_ALL     ? t.all
           : f->kind == SX_FOLD_SUM   ? t.sum
           : f->kind == SX_FOLD_FIRST ? t.first
                                      : t.extreme;
}

static term_int leaf_value(const struct env *e, term_id t)
{
    struct fixture *f = e->f;
    const struct fm_leaf *l = fm_leaf_of(&f->fm, t);
    if (t == f->fm.size)
        return f->n;
    for (int i = 0; i < PARAMS; i++)
        if (t == f->param[i])
            return f->param_value[i];
    assert_non_null(l);
    if (l->kind == FM_VAR)
        return e->var[l->var];
    if (l->kind == FM_FOLD)
        return fold_value(e, &l->fold);
    term_int index[2] = {0};
    for (uint32_t d = 0; d < f->sx.tables[l->cell.table].n_dims; d++)
        index[d] = eval(e, l->cell.index[d]);
    return cell_value(e, l->cell.state, l->cell.table, l->cell.field, index);
}

static term_int eval(const struct env *e, term_id t)
{
    const struct term x = *term_get(&e->f->sx.store, t);
    term_int v[3] = {0};
    if (x.op == TERM_OP_LEAF)
        return leaf_value(e, t);
    if (x.op == TERM_OP_CONST)
        return x.lo;
    if (x.op == TERM_OP_ITE)
        return eval(e, eval(e, x.arg[0]) ? x.arg[1] : x.arg[2]);
    for (int i = 0; i < term_arity(&x); i++)
        v[i] = eval(e, x.arg[i]);
    return term_apply(&x, v);
}

/* ---- random formulas ----------------------------------------------------------------------- */

struct scope {
    struct fixture *f;
    uint32_t state;
    term_id var[4];
    unsigned n_vars, nesting;
};

static term_id number(const struct scope *s, int size);
static term_id condition(const struct scope *s, int size);

static term_id random_index(const struct scope *s)
{
    struct term_store *store = &s->f->sx.store;
    if (s->n_vars && below(3))
        return s->var[below(s->n_vars)];
    if (below(6) == 0)
        return number(s, 0);
    return below(4) ? s->f->param[below(PARAMS)] : term_const(store, below(ROWS_MAX));
}

static term_id random_cell(const struct scope *s, bool is_bool)
{
    uint32_t table = below(3), state = below(8) ? s->state : s->f->seen;
    term_id index[2];
    for (int d = 0; d < 2; d++)
        index[d] = random_index(s);
    if (is_bool && table == 2)
        table = 0;
    uint32_t field = table == 0 ? (is_bool ? 0 : 1 + below(2)) : table == 1 ? is_bool : 0;
    return fm_cell(&s->f->fm, state, table, field, index);
}

/* A cell and a constant, such as a bound that a write moves. */
static term_id random_bound(const struct scope *s)
{
    struct term_store *store = &s->f->sx.store;
    return term_add(store, random_cell(s, false), term_const(store, (term_int)below(4) - 1));
}

static term_id bound_condition(const struct scope *s)
{
    struct term_store *store = &s->f->sx.store;
    struct scope outside = {.f = s->f, .state = s->state};
    term_id bound = random_bound(below(4) ? &outside : s), index = random_index(s);
    return below(2) ? term_lt(store, index, bound) : term_le(store, bound, index);
}

/* The parts of a fold as they are: it is not yet in its normal form. */
static struct fm_fold random_parts(const struct scope *s, enum sx_fold_kind kind, int size)
{
    struct term_store *store = &s->f->sx.store;
    struct scope inner = *s;
    struct fm_fold f = {.kind = kind, .n = 1};
    f.var[0] = s->f->fm.var[FM_INDEX + 4 + s->nesting];
    inner.var[inner.n_vars++] = f.var[0];
    inner.nesting++;
    f.lo[0] = below(3) || !s->n_vars
                  ? term_const(store, 0)
                  : term_add(store, s->var[below(s->n_vars)], term_const(store, below(2)));
    if (below(8) == 0)
        f.lo[0] = random_bound(&(struct scope){.f = s->f, .state = s->state});
    f.hi[0] = s->f->fm.size;
    f.cond = below(4) ? condition(&inner, size) : TERM_TRUE;
    if (kind == SX_FOLD_ALL || kind == SX_FOLD_FIRST)
        return f;
    f.value = below(3) ? number(&inner, size) : term_const(store, 1);
    if (kind != SX_FOLD_SUM)
        f.start = number(s, 0);
    return f;
}

static term_id random_fold(const struct scope *s, enum sx_fold_kind kind, int size)
{
    struct fm_fold f = random_parts(s, kind, size);
    return fm_fold(&s->f->fm, &f);
}

static term_id number(const struct scope *s, int size)
{
    struct term_store *store = &s->f->sx.store;
    switch (below(size > 0 ? 10 : 4)) {
    case 0:
        return term_const(store, (term_int)below(4) - 1);
    case 1:
        return random_index(&(struct scope){s->f, s->state, {s->var[0]}, s->n_vars > 0, 0});
    case 2:
    case 3:
    case 4:
        return random_cell(s, false);
    case 5:
    case 6:
        return term_add(store, number(s, size - 1),
                        term_mul(store, number(s, size - 1), term_const(store, below(3) - 1)));
    case 7:
        return term_ite(store, condition(s, size - 1), number(s, size - 1), number(s, size - 1));
    case 8:
        return term_from_bool(store, condition(s, size - 1));
    default:
        return s->nesting < 3
                   ? random_fold(s, below(3) ? SX_FOLD_SUM : below(2) + SX_FOLD_MIN, size - 1)
                   : random_cell(s, false);
    }
}

static term_id condition(const struct scope *s, int size)
{
    struct term_store *store = &s->f->sx.store;
    switch (below(size > 0 ? 9 : 5)) {
    case 0:
        return term_truth(store, random_cell(s, true));
    case 1:
        return term_eq(store, random_index(s), random_index(s));
    case 2:
        return term_eq(store, number(s, 0), number(s, 0));
    case 3:
        return term_le(store, number(s, 0), number(s, 0));
    case 4:
        return bound_condition(s);
    case 5:
    case 6:
        return term_and(store, condition(s, size - 1), condition(s, size - 1));
    case 7:
        return term_not(store, condition(s, size - 1));
    default:
        return s->nesting < 3 ? term_truth(store, random_fold(s, SX_FOLD_ALL, size - 1))
                              : term_truth(store, random_cell(s, true));
    }
}

/* ---- random states ------------------------------------------------------------------------- */

static struct fm_write *random_write(struct fixture *f, uint32_t state)
{
    static const bool same[3];
    struct fm *fm = &f->fm;
    struct fm_write *w = arena_new(&fm->arena, struct fm_write);
    term_id *index = arena_array(&fm->arena, term_id, 3);
    term_id *value = arena_array(&fm->arena, term_id, 3);
    struct scope s = {.f = f, .state = below(2) ? f->before : f->seen};
    w->table = below(8) ? below(2) : 2;
    for (uint32_t d = 0; d < f->sx.tables[w->table].n_dims; d++) {
        index[d] = random_index(&(struct scope){.f = f, .state = f->seen});
        if (below(3) == 0) {
            index[d] = fm->var[FM_INDEX + w->n_bound++];
            s.var[s.n_vars++] = index[d];
        }
    }
    w->index = index;
    w->guard = below(3) ? condition(&s, 1) : TERM_TRUE;
    for (uint32_t i = 0; i < f->sx.tables[w->table].n_fields; i++) {
        term_id old = fm_cell(fm, below(3) ? f->before : f->seen, w->table, i, index);
        bool is_bool = f->sx.tables[w->table].fields[i].type->width == 1;
        value[i] = below(3) == 0 ? old
                   : is_bool     ? term_from_bool(fm->store, condition(&s, 0))
                   : below(2)    ? term_add(fm->store, old, term_const(fm->store, below(3)))
                                 : number(&s, 1);
    }
    w->value = value;
    w->same = same;
    (void)state;
    return w;
}

static void random_states(struct fixture *f)
{
    fm_init(&f->fm, &f->sx);
    for (int i = 0; i < PARAMS; i++)
        f->param[i] = fm_unknown(&f->fm, "p", 0, ROWS_MAX);
    f->before = fm_unknown_state(&f->fm, "B");
    f->seen = fm_unknown_state(&f->fm, "A");
    f->n_states = 1;
    f->states[0] = f->before;
    for (unsigned n = 1 + below(WRITES_MAX); f->n_states <= n; f->n_states++)
        f->states[f->n_states] = fm_overwritten(&f->fm, f->states[f->n_states - 1],
                                                random_write(f, f->states[f->n_states - 1]));
}

static void random_values(struct fixture *f)
{
    f->n = 1 + (int)below(ROWS_MAX);
    for (int i = 0; i < PARAMS; i++)
        f->param_value[i] = (term_int)below((unsigned)f->n);
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t t = 0; t < 3; t++)
            for (uint32_t i = 0; i < f->sx.tables[t].n_fields; i++)
                for (uint32_t r = 0; r < ROWS_MAX * ROWS_MAX; r++)
                    f->cell[s][t][i][r] =
                        f->sx.tables[t].fields[i].type->width == 1 ? below(2) : below(4);
    /* A and B differ here and there. */
    for (uint32_t t = 0; t < 3 && below(2); t++)
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t r = 0; r < ROWS_MAX * ROWS_MAX; r++)
                if (below(3))
                    f->cell[1][t][i][r] = f->cell[0][t][i][r];
}

/* A fold on "any state" has no state to write out: its meaning on the last state is what it is when
 * cells are looked up there.  On the last state it is written out. */
static void test_written_out(void **state)
{
    (void)state;
    static struct fixture f;
    long sums = 0, too_large = 0, compared = 0;
    open_program(&f);
    for (int round = 0; round < ROUNDS; round++) {
        rng = (uint64_t)round + 1;
        if (round % ROUNDS_PER_STORE == 0)
            new_store(&f);
        random_states(&f);
        uint32_t last = f.states[f.n_states - 1];
        struct scope s = {.f = &f, .state = FM_ANY_STATE};
        struct fm_fold parts = random_parts(&s, SX_FOLD_SUM, 2);
        term_id body = fm_fold(&f.fm, &parts);
        term_id direct = fm_on(&f.fm, body, FM_ANY_STATE, last);
        if (f.fm.limit) { /* then nothing is proved */
            too_large++;
            fm_free(&f.fm);
            continue;
        }
        sums += direct != body;
        for (int i = 0; i < 4; i++) {
            random_values(&f);
            struct env e = {.f = &f};
            too_far = false;
            term_int mine = eval(&e, direct);
            struct fm_state kept = f.fm.states.data[FM_ANY_STATE];
            f.fm.states.data[FM_ANY_STATE] =
                (struct fm_state){.kind = FM_OVERWRITTEN,
                                  .below = f.fm.states.data[last].below,
                                  .by = f.fm.states.data[last].by};
            term_int truth = fold_value(&e, &parts);
            f.fm.states.data[FM_ANY_STATE] = kept;
            if (too_far)
                continue;
            compared++;
            if (mine != truth)
                print_message("round %d, interpretation %d: %ld instead of %ld\n", round, i,
                              (long)mine, (long)truth);
            assert_true(mine == truth);
        }
        fm_free(&f.fm);
    }
    assert_true(sums > ROUNDS / 2 && too_large < ROUNDS / 100 && compared > 3 * ROUNDS);
    sx_free(&f.sx);
    ast_free(f.ast);
    diag_free(&f.diags);
}

/* ---- facts ---------------------------------------------------------------------------------- */

struct told {
    struct fixture *f;
    struct ground g;
    struct z3ctx z;
};

static void tell(struct told *t, term_id what)
{
    ground_assert(&t->g, t->z.yes, what);
}

/* For all rows: the field is at least the least of its values, and at most the greatest. */
static void tell_bounds(struct told *t, uint32_t state, uint32_t table, uint32_t field)
{
    struct fm *fm = &t->f->fm;
    struct term_store *s = fm->store;
    uint32_t dims = t->f->sx.tables[table].n_dims;
    const term_int *v = t->f->cell[state == t->f->seen][table][field];
    term_int least = v[0], most = v[0];
    int rows = dims == 0 ? 1 : dims == 1 ? t->f->n : t->f->n * t->f->n;
    for (int r = 1; r < rows; r++) {
        least = v[r] < least ? v[r] : least;
        most = v[r] > most ? v[r] : most;
    }
    term_id range = TERM_TRUE, cell = fm_cell(fm, state, table, field, &fm->var[FM_PARAM]);
    for (uint32_t d = 0; d < dims; d++)
        range =
            term_and(s, range,
                     fm_between(fm, term_const(s, 0), fm->var[FM_PARAM + d], fm_dim(fm, table, d)));
    ground_for_all(&t->g, &(struct ground_for_all){
                              .n = dims,
                              .body = term_implies(s, range, term_in_range(s, cell, least, most)),
                              .guard = t->z.yes});
}

/* One interpretation: the number of rows, the parameters, and all cells of both states. */
static void tell_interpretation(struct told *t)
{
    struct fixture *f = t->f;
    struct term_store *s = &f->sx.store;
    tell(t, term_eq(s, f->fm.size, term_const(s, f->n)));
    for (int i = 0; i < PARAMS; i++)
        tell(t, term_eq(s, f->param[i], term_const(s, f->param_value[i])));
    for (int now = 0; now < 2; now++)
        for (uint32_t table = 0; table < 3; table++)
            for (uint32_t field = 0; field < f->sx.tables[table].n_fields; field++) {
                uint32_t state = now ? f->seen : f->before, dims = f->sx.tables[table].n_dims;
                tell_bounds(t, state, table, field);
                for (int i = 0; i < (dims > 0 ? f->n : 1); i++)
                    for (int k = 0; k < (dims > 1 ? f->n : 1); k++) {
                        term_id index[] = {term_const(s, i), term_const(s, k)};
                        int row = dims > 1 ? i * f->n + k : i;
                        tell(t, term_eq(s, fm_cell(&f->fm, state, table, field, index),
                                        term_const(s, f->cell[now][table][field][row])));
                    }
            }
}

/* What the solver is told about folds does not contradict an interpretation in which they have the
 * values that they mean. */
static void test_facts(void **state)
{
    (void)state;
    static struct fixture f;
    int possible = 0;
    open_program(&f);
    for (int round = 0; round < FACT_ROUNDS; round++) {
        rng = (uint64_t)round + 1;
        if (round % ROUNDS_PER_STORE == 0)
            new_store(&f);
        random_states(&f);
        random_values(&f);
        struct scope s = {.f = &f, .state = FM_ANY_STATE};
        struct fm_fold parts = random_parts(&s, SX_FOLD_SUM, 1);
        term_id body = fm_fold(&f.fm, &parts);
        const uint32_t on[] = {f.before, f.seen, f.states[f.n_states - 1]};
        struct told t = {.f = &f};
        z3ctx_init(&t.z, NULL, 0, (struct z3ctx_budget){.work = FACT_WORK}, NULL);
        ground_init(&t.g, &f.fm, &t.z, false);
        t.g.effort = 2;
        t.g.seen = fm_state_bit(f.seen);
        tell_interpretation(&t);
        too_far = false;
        for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
            struct env e = {.f = &f};
            term_id total = fm_on(&f.fm, body, FM_ANY_STATE, on[i]);
            tell(&t, term_eq(&f.sx.store, total, term_const(&f.sx.store, eval(&e, total))));
        }
        for (int i = 0; i < 3 && !too_far; i++)
            if (!ground_round(&t.g))
                break;
        enum z3ctx_answer a = too_far ? Z3CTX_UNKNOWN : z3ctx_check(&t.z, 0, NULL);
        if (a == Z3CTX_UNSAT)
            print_message("round %d: the facts are contradictory\n", round);
        assert_true(a != Z3CTX_UNSAT);
        possible += a == Z3CTX_SAT;
        ground_free(&t.g);
        z3ctx_free(&t.z);
        fm_free(&f.fm);
    }
    assert_true(possible > FACT_ROUNDS / 2);
    sx_free(&f.sx);
    ast_free(f.ast);
    diag_free(&f.diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_out),
        cmocka_unit_test(test_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
