/* Z3 behind a few short functions.  See z3ctx.h.
 *
 * Interruption.  Z3_interrupt does nothing when no check is running, so a request that arrives just
 * before the check starts would be lost.  Therefore the request is repeated until the check has
 * ended: by the limit watcher at every look, by another thread in z3ctx_stop_now. */
#include "encode/z3/z3ctx.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limit.h"
#include "base/stats.h"

/* Z3's errors are our bugs, except running out of memory or being interrupted while building. */
static void on_error(Z3_context c, Z3_error_code e)
{
    if (e == Z3_MEMOUT_FAIL)
        mem_exhausted();
    if (e == Z3_OK || limit_reached())
        return;
    fprintf(stderr, "visar: internal error: Z3: %s\n", Z3_get_error_msg(c, e));
    abort();
}

static void set_params(struct z3ctx *z, unsigned seed, struct z3ctx_budget budget)
{
    Z3_params p = Z3_mk_params(z->c);
    Z3_params_inc_ref(z->c, p);
    Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "arith.solver"), 2);
    if (seed)
        Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "random_seed"), seed);
    if (budget.seconds > 0)
        Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "timeout"),
                           (unsigned)(budget.seconds * 1000) + 1);
    if (budget.work > 0)
        Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "rlimit"), budget.work);
    Z3_solver_set_params(z->c, z->solver, p);
    Z3_params_dec_ref(z->c, p);
}

static Z3_context new_context(void)
{
    Z3_config config = Z3_mk_config();
    Z3_context c = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(c, on_error);
    return c;
}

bool z3ctx_pool_late(const struct z3ctx_pool *p)
{
    return p->deadline > 0 && stats_wall_seconds() >= p->deadline - 0.1;
}

void z3ctx_pool_free(struct z3ctx_pool *p)
{
    if (p->c)
        Z3_del_context(p->c);
    p->c = NULL;
}

void z3ctx_init(struct z3ctx *z, struct z3ctx_pool *pool, unsigned seed, struct z3ctx_budget budget,
                struct z3ctx_stop *stop)
{
    memset(z, 0, sizeof *z);
    if (pool && !pool->c)
        pool->c = new_context();
    z->shared = pool != NULL;
    z->c = pool ? pool->c : new_context();
    z->solver = Z3_mk_simple_solver(z->c);
    Z3_solver_inc_ref(z->c, z->solver);
    set_params(z, seed, budget);
    z->bool_sort = Z3_mk_bool_sort(z->c);
    z->int_sort = Z3_mk_int_sort(z->c);
    z->yes = Z3_mk_true(z->c);
    z->no = Z3_mk_false(z->c);
    z->stop = stop;
    z->work = budget.work;
    z->deadline = pool ? pool->deadline : 0;
}

void z3ctx_fork(struct z3ctx *z, struct z3ctx *of, unsigned work)
{
    struct z3ctx_pool same = {of->c, of->deadline};
    z3ctx_init(z, &same, 0, (struct z3ctx_budget){.work = work}, of->stop);
    Z3_ast_vector v = Z3_solver_get_assertions(of->c, of->solver);
    Z3_ast_vector_inc_ref(of->c, v);
    for (unsigned i = 0; i < Z3_ast_vector_size(of->c, v); i++)
        Z3_solver_assert(z->c, z->solver, Z3_ast_vector_get(of->c, v, i));
    z->added = Z3_ast_vector_size(of->c, v);
    Z3_ast_vector_dec_ref(of->c, v);
}

static void drop_model(struct z3ctx *z)
{
    if (z->model)
        Z3_model_dec_ref(z->c, z->model);
    z->model = NULL;
}

void z3ctx_free(struct z3ctx *z)
{
    if (!z->c)
        return;
    drop_model(z);
    Z3_solver_dec_ref(z->c, z->solver);
    if (!z->shared)
        Z3_del_context(z->c);
    z->c = NULL;
}

void z3ctx_limit_work(struct z3ctx *z, unsigned work)
{
    z->work = work;
    Z3_params p = Z3_mk_params(z->c);
    Z3_params_inc_ref(z->c, p);
    Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "rlimit"), work);
    Z3_solver_set_params(z->c, z->solver, p);
    Z3_params_dec_ref(z->c, p);
}

/* ---- constants ----------------------------------------------------------------------------- */

static Z3_ast make_const(struct z3ctx *z, Z3_sort sort, const char *fmt, va_list ap)
{
    char name[160];
    int n = vsnprintf(name, sizeof name - 16, fmt, ap);
    if (n < 0 || (size_t)n >= sizeof name - 16)
        n = (int)sizeof name - 17;
    snprintf(name + n, 16, "#%u", z->fresh++);
    return Z3_mk_const(z->c, Z3_mk_string_symbol(z->c, name), sort);
}

Z3_ast z3ctx_bool(struct z3ctx *z, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    Z3_ast a = make_const(z, z->bool_sort, fmt, ap);
    va_end(ap);
    return a;
}

Z3_ast z3ctx_const(struct z3ctx *z, Z3_sort sort, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    Z3_ast a = make_const(z, sort, fmt, ap);
    va_end(ap);
    return a;
}

/* ---- propositional constructors ------------------------------------------------------------ */

static bool is_not(struct z3ctx *z, Z3_ast a, Z3_ast *inner)
{
    if (Z3_get_ast_kind(z->c, a) != Z3_APP_AST)
        return false;
    Z3_app app = Z3_to_app(z->c, a);
    if (Z3_get_decl_kind(z->c, Z3_get_app_decl(z->c, app)) != Z3_OP_NOT)
        return false;
    *inner = Z3_get_app_arg(z->c, app, 0);
    return true;
}

Z3_ast z3ctx_not(struct z3ctx *z, Z3_ast a)
{
    Z3_ast inner;
    if (a == z->yes)
        return z->no;
    if (a == z->no)
        return z->yes;
    return is_not(z, a, &inner) ? inner : Z3_mk_not(z->c, a);
}

Z3_ast z3ctx_and2(struct z3ctx *z, Z3_ast a, Z3_ast b)
{
    if (a == z->no || b == z->no)
        return z->no;
    if (a == z->yes || a == b)
        return b;
    if (b == z->yes)
        return a;
    return Z3_mk_and(z->c, 2, (Z3_ast[]){a, b});
}

Z3_ast z3ctx_or2(struct z3ctx *z, Z3_ast a, Z3_ast b)
{
    if (a == z->yes || b == z->yes)
        return z->yes;
    if (a == z->no || a == b)
        return b;
    if (b == z->no)
        return a;
    return Z3_mk_or(z->c, 2, (Z3_ast[]){a, b});
}

/* n-ary: `unit` disappears, `zero` wins. */
static Z3_ast nary(struct z3ctx *z, const z3ctx_asts *v, Z3_ast unit, Z3_ast zero,
                   Z3_ast (*make)(Z3_context, unsigned, Z3_ast const[]))
{
    z3ctx_asts kept = {0};
    Z3_ast result = NULL;
    for (size_t i = 0; i < v->len && !result; i++) {
        if (v->data[i] == zero)
            result = zero;
        else if (v->data[i] != unit)
            vec_push(&kept, v->data[i]);
    }
    if (!result && kept.len == 0)
        result = unit;
    if (!result && kept.len == 1)
        result = kept.data[0];
    if (!result)
        result = make(z->c, (unsigned)kept.len, kept.data);
    vec_free(&kept);
    return result;
}

Z3_ast z3ctx_and(struct z3ctx *z, const z3ctx_asts *v)
{
    return nary(z, v, z->yes, z->no, Z3_mk_and);
}

Z3_ast z3ctx_or(struct z3ctx *z, const z3ctx_asts *v)
{
    return nary(z, v, z->no, z->yes, Z3_mk_or);
}

Z3_ast z3ctx_implies(struct z3ctx *z, Z3_ast a, Z3_ast b)
{
    return z3ctx_or2(z, z3ctx_not(z, a), b);
}

Z3_ast z3ctx_iff(struct z3ctx *z, Z3_ast a, Z3_ast b)
{
    if (a == b)
        return z->yes;
    if (a == z->yes)
        return b;
    if (b == z->yes)
        return a;
    if (a == z->no)
        return z3ctx_not(z, b);
    if (b == z->no)
        return z3ctx_not(z, a);
    return Z3_mk_iff(z->c, a, b);
}

Z3_ast z3ctx_ite(struct z3ctx *z, Z3_ast c, Z3_ast a, Z3_ast b)
{
    if (c == z->yes || a == b)
        return a;
    if (c == z->no)
        return b;
    return Z3_mk_ite(z->c, c, a, b);
}

static bool is_literal(struct z3ctx *z, Z3_ast a)
{
    Z3_ast inner;
    if (is_not(z, a, &inner))
        a = inner;
    return Z3_get_ast_kind(z->c, a) == Z3_APP_AST &&
           Z3_get_app_num_args(z->c, Z3_to_app(z->c, a)) == 0;
}

Z3_ast z3ctx_name(struct z3ctx *z, Z3_ast a, const char *what)
{
    if (is_literal(z, a))
        return a;
    Z3_ast name = z3ctx_bool(z, "%s", what);
    z3ctx_assert(z, Z3_mk_iff(z->c, name, a));
    return name;
}

/* ---- assertions ---------------------------------------------------------------------------- */

void z3ctx_assert(struct z3ctx *z, Z3_ast a)
{
    if (a == z->yes)
        return;
    z->added++;
    Z3_solver_assert(z->c, z->solver, a);
    if (z->also)
        Z3_solver_assert(z->c, z->also, a);
}

void z3ctx_rule(struct z3ctx *z, Z3_ast consequence, int n, ...)
{
    z3ctx_asts clause = {0};
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        vec_push(&clause, z3ctx_not(z, va_arg(ap, Z3_ast)));
    va_end(ap);
    vec_push(&clause, consequence);
    z3ctx_assert(z, z3ctx_or(z, &clause));
    vec_free(&clause);
}

void z3ctx_at_most_one(struct z3ctx *z, const z3ctx_asts *v)
{
    for (size_t i = 0; i < v->len; i++)
        for (size_t j = i + 1; j < v->len; j++)
            z3ctx_rule(z, z3ctx_not(z, v->data[j]), 1, v->data[i]);
}

/* ---- checking ------------------------------------------------------------------------------ */

static void interrupt(void *arg)
{
    Z3_interrupt(((struct z3ctx *)arg)->c);
}

void z3ctx_stop_init(struct z3ctx_stop *s)
{
    *s = (struct z3ctx_stop){.running = NULL};
    pthread_mutex_init(&s->lock, NULL);
}

void z3ctx_stop_free(struct z3ctx_stop *s)
{
    pthread_mutex_destroy(&s->lock);
}

void z3ctx_stop_now(struct z3ctx_stop *s)
{
    const struct timespec pause = {0, 500000};
    for (;;) {
        pthread_mutex_lock(&s->lock);
        s->asked = true;
        bool running = s->running != NULL;
        if (running)
            Z3_interrupt(s->running);
        pthread_mutex_unlock(&s->lock);
        if (!running)
            return;
        nanosleep(&pause, NULL);
    }
}

bool z3ctx_stop_asked(struct z3ctx_stop *s)
{
    pthread_mutex_lock(&s->lock);
    bool asked = s->asked;
    pthread_mutex_unlock(&s->lock);
    return asked;
}

/* False: do not. */
static bool begin_check(struct z3ctx *z)
{
    if (!z->stop)
        return true;
    pthread_mutex_lock(&z->stop->lock);
    bool may = !z->stop->asked;
    if (may)
        z->stop->running = z->c;
    pthread_mutex_unlock(&z->stop->lock);
    return may;
}

static void end_check(struct z3ctx *z)
{
    if (!z->stop)
        return;
    pthread_mutex_lock(&z->stop->lock);
    z->stop->running = NULL;
    pthread_mutex_unlock(&z->stop->lock);
}

static bool told_to_stop(const struct z3ctx *z)
{
    return limit_reached() || (z->stop && z3ctx_stop_asked(z->stop));
}

/* Z3's timer may be a little early; but once it has rung, the solver is not asked again. */
static bool too_late(const struct z3ctx *z)
{
    return z->deadline > 0 && stats_wall_seconds() >= z->deadline - 0.05;
}

static enum z3ctx_answer give_up(struct z3ctx *z, const char *otherwise)
{
    const char *why = limit_reached() ? limit_text() : "";
    if (!*why && too_late(z))
        why = "its share of the time was used up";
    if (!*why && z->stop && z3ctx_stop_asked(z->stop))
        why = "another search was faster";
    if (!*why)
        why = otherwise ? otherwise : Z3_solver_get_reason_unknown(z->c, z->solver);
    if (strstr(why, "out of memory") || strstr(why, "memory exceeded"))
        mem_exhausted();
    snprintf(z->reason, sizeof z->reason, "%s", why);
    z->exhausted = z->work > 0 && !told_to_stop(z) && !too_late(z) &&
                   (strstr(why, "resource limit") || strstr(why, "cancel"));
    return Z3CTX_UNKNOWN;
}

/* Z3 ends the check by itself when the deadline comes.  What it may have lost then does no harm: no
 * check comes after the deadline. */
static void mind_deadline(struct z3ctx *z)
{
    if (z->deadline <= 0)
        return;
    double left = z->deadline - stats_wall_seconds();
    Z3_params p = Z3_mk_params(z->c);
    Z3_params_inc_ref(z->c, p);
    Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, "timeout"),
                       left > 0 ? (unsigned)(left * 1000) + 1 : 1);
    Z3_solver_set_params(z->c, z->solver, p);
    Z3_params_dec_ref(z->c, p);
}

static Z3_lbool check(struct z3ctx *z, size_t n, const Z3_ast *assumptions)
{
    if (too_late(z) || !begin_check(z))
        return Z3_L_UNDEF;
    mind_deadline(z);
    int id = limit_add_interrupt(interrupt, z);
    Z3_lbool answer = Z3_solver_check_assumptions(z->c, z->solver, (unsigned)n, assumptions);
    limit_remove_interrupt(id);
    end_check(z);
    return answer;
}

/* Z3 takes in new assertions when it checks.  If its budget of work ends meanwhile, some are lost,
 * and later answers of this solver are about a weaker formula.  So a bounded check comes after one
 * that is not bounded, and whose answer is plain once everything is taken in.  (A few assertions
 * are no danger: goals come one at a time.) */
#define FEW_ASSERTIONS 16
static void take_in(struct z3ctx *z)
{
    unsigned work = z->work;
    if (!work || z->added <= FEW_ASSERTIONS)
        return;
    if (!z->never) {
        z->never = z3ctx_bool(z, "never");
        Z3_solver_assert(z->c, z->solver, Z3_mk_not(z->c, z->never));
    }
    z3ctx_limit_work(z, 0);
    check(z, 1, &z->never);
    z3ctx_limit_work(z, work);
}

static void leave_to_caller(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

/* A check that is ended while it makes the model says "satisfiable" and has none, or one that
 * cannot be asked. */
static bool take_model(struct z3ctx *z)
{
    Z3_set_error_handler(z->c, leave_to_caller);
    Z3_model model = Z3_solver_get_model(z->c, z->solver);
    bool there = Z3_get_error_code(z->c) == Z3_OK && model && !told_to_stop(z);
    Z3_set_error_handler(z->c, on_error);
    if (!there)
        return false;
    z->model = model;
    Z3_model_inc_ref(z->c, z->model);
    return true;
}

enum z3ctx_answer z3ctx_check(struct z3ctx *z, size_t n, const Z3_ast *assumptions)
{
    drop_model(z);
    z->reason[0] = 0;
    z->exhausted = false;
    z->checks++;
    if (told_to_stop(z) || too_late(z))
        return give_up(z, NULL);
    double start = stats_wall_seconds();
    take_in(z);
    z->added = 0;
    Z3_lbool answer = check(z, n, assumptions);
    z->seconds += stats_wall_seconds() - start;
    if (answer == Z3_L_UNDEF)
        return give_up(z, NULL);
    if (answer == Z3_L_FALSE)
        return Z3CTX_UNSAT;
    return take_model(z) ? Z3CTX_SAT : give_up(z, "canceled while making the model");
}

bool z3ctx_model_bool(struct z3ctx *z, Z3_ast a)
{
    Z3_ast v = NULL;
    if (!Z3_model_eval(z->c, z->model, a, true, &v))
        abort();
    return Z3_get_bool_value(z->c, v) == Z3_L_TRUE;
}

void z3ctx_core(struct z3ctx *z, size_t n, const Z3_ast *assumptions, bool *used)
{
    Z3_ast_vector core = Z3_solver_get_unsat_core(z->c, z->solver);
    Z3_ast_vector_inc_ref(z->c, core);
    for (size_t i = 0; i < n; i++) {
        used[i] = false;
        for (unsigned k = 0; k < Z3_ast_vector_size(z->c, core); k++)
            if (Z3_ast_vector_get(z->c, core, k) == assumptions[i])
                used[i] = true;
    }
    Z3_ast_vector_dec_ref(z->c, core);
}

/* ---- printing ------------------------------------------------------------------------------ */

void z3ctx_dump(struct z3ctx *z, const char *comment, Z3_ast extra, FILE *out)
{
    Z3_ast_vector v = Z3_solver_get_assertions(z->c, z->solver);
    Z3_ast_vector_inc_ref(z->c, v);
    unsigned n = Z3_ast_vector_size(z->c, v);
    z3ctx_asts all = {0};
    for (unsigned i = 0; i < n; i++)
        vec_push(&all, Z3_ast_vector_get(z->c, v, i));
    Z3_set_ast_print_mode(z->c, Z3_PRINT_SMTLIB2_COMPLIANT);
    fprintf(out, "; %s\n", comment);
    fputs(Z3_benchmark_to_smtlib_string(z->c, "", "", "unknown", "", (unsigned)all.len, all.data,
                                        extra),
          out);
    vec_free(&all);
    Z3_ast_vector_dec_ref(z->c, v);
}

const char *z3ctx_version(void)
{
    /* Z3_get_full_version returns "Z3 4.8.12.0"; the part after the name is what people know. */
    const char *text = Z3_get_full_version();
    return strncmp(text, "Z3 ", 3) ? text : text + 3;
}
