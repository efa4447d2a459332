/* The search for the weakest models, with a verifier that answers from a table: for every possible
 * set of models that is closed upwards the search must find exactly its minimal elements, ask no
 * model twice without need, and run whatever it shows.  And for mixed levels: an assignment that
 * holds and from which no single step down does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "encode/weakest.h"
#include "models/lattice.h"

/* ---- the verifier's place is taken by a table ----------------------------------------------- */

struct verify_program {
    int unused;
};

static uint32_t good;    /* models under which everything holds */
static uint32_t unclear; /* models that cannot be decided */
static uint32_t need[3]; /* mixed: transaction i holds from these levels on */
static bool mixed_sum;   /* mixed: one of transactions 0 and 1 must be at ser */
static atomic_uint asked;

struct verify_program *verify_open(struct ast_program *ast, const struct verify_options *options,
                                   struct diag_list *d)
{
    (void)ast;
    (void)options;
    (void)d;
    return mem_calloc(1, sizeof(struct verify_program));
}

struct verify_program *verify_open_again(struct verify_program *v)
{
    (void)v;
    return mem_calloc(1, sizeof(struct verify_program));
}

const char *verify_status_name(enum verify_status s)
{
    return s == VERIFY_VIOLATED ? "VIOLATED" : "HOLDS";
}

void verify_close(struct verify_program *v)
{
    mem_free(v);
}

static enum verify_status answer(const struct verify_question *q)
{
    if (!q->levels) {
        if (unclear >> q->model->id & 1)
            return VERIFY_UNKNOWN;
        return good >> q->model->id & 1 ? VERIFY_PROVED : VERIFY_VIOLATED;
    }
    for (int i = 0; i < 3; i++)
        if (!(need[i] >> q->levels[i]->id & 1))
            return VERIFY_VIOLATED;
    if (mixed_sum && q->levels[0]->id != MODEL_SER && q->levels[1]->id != MODEL_SER)
        return VERIFY_VIOLATED;
    return VERIFY_HOLDS;
}

struct verify_result *verify_run(struct verify_program *v, const struct verify_question *q)
{
    (void)v;
    struct verify_result *r = mem_calloc(1, sizeof *r);
    r->model = q->model;
    r->overall = answer(q);
    if (q->stats)
        q->stats->solver_queries++;
    atomic_fetch_add(&asked, 1);
    return r;
}

void verify_result_free(struct verify_result *r)
{
    mem_free(r);
}

/* ---- one model for all ---------------------------------------------------------------------- */

static bool is_upward(uint32_t set)
{
    for (int a = 0; a < MODEL_COUNT; a++)
        for (int b = 0; b < MODEL_COUNT; b++)
            if (set >> a & 1 && model_weaker_or_equal((enum model_id)a, (enum model_id)b) &&
                !(set >> b & 1))
                return false;
    return true;
}

static bool is_minimal(uint32_t set, int m)
{
    for (int other = 0; other < MODEL_COUNT; other++)
        if (other != m && set >> other & 1 &&
            model_weaker_or_equal((enum model_id)other, (enum model_id)m))
            return false;
    return set >> m & 1;
}

static bool is_just_below(uint32_t set, int m)
{
    if (set >> m & 1)
        return false;
    bool all_above_hold = true, below_minimal = false;
    for (int other = 0; other < MODEL_COUNT; other++) {
        if (other != m && model_weaker_or_equal((enum model_id)m, (enum model_id)other))
            all_above_hold &= set >> other & 1;
        below_minimal |= is_minimal(set, other) && model_table[other].below >> m & 1;
    }
    return all_above_hold || below_minimal;
}

static void check_set(uint32_t set, unsigned jobs)
{
    struct verify_options options = {0};
    struct stats stats = {0};
    struct verify_question q = {.stats = &stats};
    struct weakest_models w;
    struct batch *b = batch_open(NULL, &options, jobs, NULL);
    good = set;
    unclear = 0;
    atomic_store(&asked, 0);
    weakest_models(b, &q, NULL, NULL, &w);
    assert_true(w.settled);
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct weakest_entry *e = &w.entry[m];
        assert_int_equal(e->status, set >> m & 1 ? VERIFY_PROVED : VERIFY_VIOLATED);
        assert_int_equal(e->minimal, is_minimal(set, m));
        assert_int_equal(e->ruled_out, is_just_below(set, m));
        if (e->minimal || e->ruled_out) {
            assert_non_null(e->result);
            assert_ptr_equal(e->result->model, e->model);
        }
        assert_non_null(e->by);
    }
    assert_int_equal(w.runs, atomic_load(&asked));
    assert_int_equal(w.runs, stats.solver_queries);
    assert_true(w.runs <= MODEL_COUNT);
    batch_close(b);
}

static void every_set(void **state)
{
    (void)state;
    unsigned sets = 0;
    for (uint32_t set = 0; set < 1u << MODEL_COUNT; set++)
        if (is_upward(set)) {
            sets++;
            for (unsigned jobs = 1; jobs <= 4; jobs++)
                check_set(set, jobs);
        }
    assert_true(sets > 8);
}

static void few_runs(void **state)
{
    (void)state;
    struct verify_options options = {0};
    struct verify_question q = {0};
    struct weakest_models w;
    good = 1u << MODEL_SER | 1u << MODEL_SI | 1u << MODEL_PSI;
    unclear = 0;
    struct batch *b = batch_open(NULL, &options, 1, NULL);
    weakest_models(b, &q, NULL, NULL, &w);
    assert_true(w.runs <= 5);
    batch_close(b);
}

/* An undecided model settles nothing, and nothing is claimed about it. */
static void undecided(void **state)
{
    (void)state;
    struct verify_options options = {0};
    struct verify_question q = {0};
    struct weakest_models w;
    good = 1u << MODEL_SER;
    unclear = 1u << MODEL_SI | 1u << MODEL_PSI;
    struct batch *b = batch_open(NULL, &options, 2, NULL);
    weakest_models(b, &q, NULL, NULL, &w);
    assert_false(w.settled);
    assert_int_equal(w.entry[MODEL_SI].status, VERIFY_UNKNOWN);
    assert_int_equal(w.entry[MODEL_PSI].status, VERIFY_UNKNOWN);
    assert_int_equal(w.entry[MODEL_CC].status, VERIFY_VIOLATED);
    assert_true(w.entry[MODEL_SER].minimal);
    assert_false(w.entry[MODEL_SI].ruled_out);
    batch_close(b);
}

/* ---- mixed levels --------------------------------------------------------------------------- */

static uint32_t from(enum model_id m)
{
    uint32_t set = 0;
    for (int other = 0; other < MODEL_COUNT; other++)
        if (model_weaker_or_equal(m, (enum model_id)other))
            set |= 1u << other;
    return set;
}

static void check_levels(const enum model_id expected[3])
{
    struct ast_func funcs[3];
    struct ast_func *list[3] = {&funcs[0], &funcs[1], &funcs[2]};
    struct ast_program ast = {.funcs = list, .n_funcs = 3};
    struct verify_options options = {0};
    struct verify_question q = {0};
    struct weakest_models w;
    struct weakest_levels l;
    memset(funcs, 0, sizeof funcs);
    for (int i = 0; i < 3; i++) {
        funcs[i].role = AST_TRANSACTION;
        funcs[i].name = "t";
    }
    struct batch *b = batch_open(&ast, &options, 2, NULL);
    weakest_models(b, &q, NULL, NULL, &w);
    weakest_levels(b, &ast, &q, &w, NULL, NULL, &l);
    assert_int_equal(l.n_txns, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(l.levels[i]->id, expected[i]);
    q.levels = l.levels;
    q.model = l.levels[0];
    assert_int_equal(answer(&q), VERIFY_HOLDS);
    /* no step down from there, each one told */
    size_t steps = 0;
    for (int i = 0; i < 3; i++)
        for (int m = 0; m < MODEL_COUNT; m++)
            if (model_get(expected[i])->below >> m & 1) {
                const struct model *kept = l.levels[i];
                l.levels[i] = model_get((enum model_id)m);
                assert_int_equal(answer(&q), VERIFY_VIOLATED);
                l.levels[i] = kept;
                steps++;
            }
    assert_int_equal(l.n_obstacles, steps);
    for (size_t i = 0; i < l.n_obstacles; i++) {
        assert_non_null(l.obstacles[i].result);
        assert_int_equal(l.obstacles[i].result->overall, VERIFY_VIOLATED);
    }
    weakest_levels_free(&l);
    batch_close(b);
}

static void levels(void **state)
{
    (void)state;
    good = 1u << MODEL_SER;
    unclear = 0;
    mixed_sum = false;
    need[0] = from(MODEL_PSI);
    need[1] = from(MODEL_RC);
    need[2] = from(MODEL_SER);
    check_levels((enum model_id[]){MODEL_PSI, MODEL_RC, MODEL_SER});
    /* only together: the first is lowered, the second then cannot be */
    need[0] = need[2] = from(MODEL_RC);
    need[1] = from(MODEL_RA);
    mixed_sum = true;
    check_levels((enum model_id[]){MODEL_RC, MODEL_SER, MODEL_RC});
}

static void no_levels(void **state)
{
    (void)state;
    struct ast_program ast = {0};
    struct verify_options options = {0};
    struct verify_question q = {0};
    struct weakest_models w;
    struct weakest_levels l;
    good = unclear = 0;
    struct batch *b = batch_open(&ast, &options, 1, NULL);
    weakest_models(b, &q, NULL, NULL, &w);
    weakest_levels(b, &ast, &q, &w, NULL, NULL, &l);
    assert_null(l.levels);
    assert_true(w.entry[MODEL_SER].ruled_out);
    weakest_levels_free(&l);
    batch_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set), cmocka_unit_test(few_runs),  cmocka_unit_test(undecided),
        cmocka_unit_test(levels),    cmocka_unit_test(no_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
