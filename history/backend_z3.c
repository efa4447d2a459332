/* Z3 as a second opinion: every node is an integer, an edge says "less than" (the natural baseline
 * of the papers).  The one file of this folder that knows Z3; see backend.h. */
#include "history/backend.h"

#include <z3.h>

#include "base/limit.h"

struct z3_run {
    Z3_context ctx;
    Z3_solver solver;
    Z3_ast *var, *node;
    bool failed;
};

static void on_error(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e; /* asked for after each step */
}

static void interrupt(void *arg)
{
    Z3_interrupt(arg);
}

static Z3_ast literal(const struct z3_run *z, uint32_t lit)
{
    return lit & 1 ? Z3_mk_not(z->ctx, z->var[lit / 2]) : z->var[lit / 2];
}

static void add(struct z3_run *z, Z3_ast formula)
{
    if (Z3_get_error_code(z->ctx) == Z3_OK)
        Z3_solver_assert(z->ctx, z->solver, formula);
    z->failed |= Z3_get_error_code(z->ctx) != Z3_OK;
}

static void start(struct z3_run *z, const struct backend_problem *p)
{
    Z3_config config = Z3_mk_config();
    z->ctx = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(z->ctx, on_error);
    z->solver = Z3_mk_simple_solver(z->ctx);
    Z3_solver_inc_ref(z->ctx, z->solver);
    Z3_sort boolean = Z3_mk_bool_sort(z->ctx), integer = Z3_mk_int_sort(z->ctx);
    z->var = mem_alloc(mem_mul((size_t)p->vars + 1, sizeof *z->var));
    z->node = mem_alloc(mem_mul((size_t)p->nodes + 1, sizeof *z->node));
    for (uint32_t v = 0; v < p->vars; v++)
        z->var[v] = Z3_mk_const(z->ctx, Z3_mk_int_symbol(z->ctx, (int)v), boolean);
    for (uint32_t u = 0; u < p->nodes; u++)
        z->node[u] = Z3_mk_const(z->ctx, Z3_mk_int_symbol(z->ctx, (int)(p->vars + u)), integer);
}

static void load(struct z3_run *z, const struct backend_problem *p)
{
    for (size_t i = 0; i < p->edges.len && !z->failed; i++) {
        const struct acyclic_edge *e = &p->edges.data[i];
        Z3_ast before = Z3_mk_lt(z->ctx, z->node[e->from], z->node[e->to]);
        add(z,
            e->lit == ACYCLIC_FIXED ? before : Z3_mk_implies(z->ctx, literal(z, e->lit), before));
    }
    VEC(Z3_ast) clause = {0};
    for (size_t i = 0, at = 0; i < p->ends.len && !z->failed; i++) {
        vec_clear(&clause);
        for (; at < p->ends.data[i]; at++)
            vec_push(&clause, literal(z, p->lits.data[at]));
        add(z, Z3_mk_or(z->ctx, (unsigned)clause.len, clause.data));
    }
    vec_free(&clause);
}

static void keep_values(struct z3_run *z, const struct backend_problem *p,
                        struct backend_answer *out)
{
    Z3_model model = Z3_solver_get_model(z->ctx, z->solver);
    Z3_model_inc_ref(z->ctx, model);
    out->value = mem_alloc((size_t)p->vars + 1);
    for (uint32_t v = 0; v < p->vars; v++) {
        Z3_ast value = NULL;
        bool known = Z3_model_eval(z->ctx, model, z->var[v], true, &value);
        out->value[v] = known && Z3_get_bool_value(z->ctx, value) == Z3_L_TRUE;
    }
    Z3_model_dec_ref(z->ctx, model);
}

void backend_z3(const struct backend_problem *p, const struct check_options *o,
                struct backend_answer *out)
{
    struct z3_run z = {0};
    (void)o;
    start(&z, p);
    load(&z, p);
    int id = limit_add_interrupt(interrupt, z.ctx);
    Z3_lbool answer = z.failed ? Z3_L_UNDEF : Z3_solver_check(z.ctx, z.solver);
    limit_remove_interrupt(id);
    if (answer == Z3_L_FALSE) {
        out->result = SAT_NO;
    } else if (answer == Z3_L_TRUE) {
        keep_values(&z, p, out);
        bool sorted = backend_order(p, out);
        out->result = sorted ? SAT_YES : SAT_STOPPED;
        out->error = sorted ? NULL : "Z3's model has a cycle";
    } else if (!limit_reached()) {
        out->error = "Z3 gave up";
    }
    mem_free(z.var);
    mem_free(z.node);
    Z3_solver_dec_ref(z.ctx, z.solver);
    Z3_del_context(z.ctx);
}
