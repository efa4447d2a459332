/* Z3 as a cross-check.  The one file of this folder that calls Z3; see backend.h.
 *
 * Z3 sees the clauses only; the edges of its assignments are added to the graph, and cycles come
 * back as clauses (backend_lazy.c).  An encoding with an integer for each node, as in the papers'
 * baselines, takes minutes where this takes a second, because nearly all of the graph is settled.
 *
 * Each variable is handed over with the polarity that makes "false" the guess, because Z3 tries
 * "false" first. */
#include "check/solver/backend.h"

#include <z3.h>

#include "base/limit.h"

/* Terms of one run stay with the context, so it is made anew from time to time. */
enum { RUNS_PER_CONTEXT = 500 };
struct backend_z3_state {
    Z3_context ctx;
    int runs;
};

struct z3_run {
    Z3_context ctx;
    Z3_solver solver;
    Z3_ast *guessed; /* per variable: it is as guessed */
    const struct backend_problem *p;
    struct backend_layout layout;
    bool failed;
};

static void on_error(Z3_context c, Z3_error_code e)
{
    (void)c;
    if (e == Z3_MEMOUT_FAIL)
        mem_exhausted();
    /* Other errors are asked for after each step. */
}

static void interrupt(void *arg)
{
    Z3_interrupt(arg);
}

static Z3_ast literal(const struct z3_run *z, uint32_t lit)
{
    Z3_ast wrong = z->guessed[lit / 2];
    bool value = !(lit & 1);
    return value == z->p->phase.data[lit / 2] ? Z3_mk_not(z->ctx, wrong) : wrong;
}

static void add_clause(struct z3_run *z, const uint32_t *lits, size_t n)
{
    VEC(Z3_ast) clause = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&clause, literal(z, lits[i]));
    Z3_ast formula = Z3_mk_or(z->ctx, (unsigned)clause.len, clause.data);
    if (Z3_get_error_code(z->ctx) == Z3_OK)
        Z3_solver_assert(z->ctx, z->solver, formula);
    z->failed |= Z3_get_error_code(z->ctx) != Z3_OK;
    vec_free(&clause);
}

static Z3_context new_context(void)
{
    Z3_config config = Z3_mk_config();
    Z3_context ctx = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(ctx, on_error);
    return ctx;
}

struct backend_z3_state *backend_z3_new(void)
{
    struct backend_z3_state *z = mem_calloc(1, sizeof *z);
    z->ctx = new_context();
    return z;
}

void backend_z3_free(struct backend_z3_state *z)
{
    if (z)
        Z3_del_context(z->ctx);
    mem_free(z);
}

static Z3_context kept_context(struct backend_z3_state *z)
{
    if (++z->runs > RUNS_PER_CONTEXT) {
        Z3_del_context(z->ctx);
        *z = (struct backend_z3_state){new_context(), 1};
    }
    return z->ctx;
}

static void start(struct z3_run *z, const struct backend_problem *p)
{
    z->p = p;
    z->solver = Z3_mk_solver_for_logic(z->ctx, Z3_mk_string_symbol(z->ctx, "QF_FD"));
    Z3_solver_inc_ref(z->ctx, z->solver);
    Z3_sort boolean = Z3_mk_bool_sort(z->ctx);
    z->guessed = mem_alloc(mem_mul((size_t)p->vars + 1, sizeof *z->guessed));
    for (uint32_t v = 0; v < p->vars; v++)
        z->guessed[v] = Z3_mk_const(z->ctx, Z3_mk_int_symbol(z->ctx, (int)v), boolean);
    for (size_t i = 0, at = 0; i < p->ends.len && !z->failed; at = p->ends.data[i++])
        add_clause(z, p->lits.data + at, p->ends.data[i] - at);
    backend_layout_init(&z->layout, p, false);
}

static void finish(struct z3_run *z)
{
    mem_free(z->guessed);
    backend_layout_free(&z->layout);
    Z3_solver_dec_ref(z->ctx, z->solver);
}

static void keep_values(struct z3_run *z, uint8_t *value)
{
    Z3_model model = Z3_solver_get_model(z->ctx, z->solver);
    if (!model) { /* it was ended meanwhile */
        z->failed = true;
        return;
    }
    Z3_model_inc_ref(z->ctx, model);
    for (uint32_t v = 0; v < z->p->vars; v++) {
        Z3_ast wrong = NULL;
        bool known = Z3_model_eval(z->ctx, model, z->guessed[v], false, &wrong);
        bool flip = known && Z3_get_bool_value(z->ctx, wrong) == Z3_L_TRUE;
        value[v] = z->p->phase.data[v] != flip;
    }
    Z3_model_dec_ref(z->ctx, model);
}

static void add_lemma(void *arg, const uint32_t *lits, size_t n, uint32_t tag)
{
    (void)tag;
    add_clause(arg, lits, n);
}

void backend_z3(const struct backend_problem *p, const struct backend_options *o,
                struct backend_answer *out)
{
    struct z3_run z = {.ctx = o->z3 ? kept_context(o->z3) : new_context()};
    start(&z, p);
    out->value = mem_calloc((size_t)p->vars + 1, 1);
    int id = limit_add_interrupt(interrupt, z.ctx);
    Z3_lbool answer = Z3_L_UNDEF;
    bool acyclic = false;
    while (!z.failed && !acyclic && !limit_reached()) {
        answer = Z3_solver_check(z.ctx, z.solver);
        if (answer != Z3_L_TRUE)
            break;
        keep_values(&z, out->value);
        acyclic = !z.failed && backend_lay_out(&z.layout, out->value, add_lemma, &z);
        if (o->stats)
            o->stats->solver_queries++;
    }
    limit_remove_interrupt(id);
    if (answer == Z3_L_FALSE) {
        out->result = SAT_NO;
    } else if (acyclic && !limit_reached()) {
        out->result = SAT_YES;
        backend_layout_order(&z.layout, out);
    } else if (!limit_reached()) {
        out->error = "Z3 gave up";
    }
    finish(&z);
    if (!o->z3)
        Z3_del_context(z.ctx);
}
