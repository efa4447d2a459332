/* A thin layer over Z3's C API: one context and one solver per query, constructors that fold what
 * is already decided, and a check that limits and other threads can interrupt.
 *
 * Only encode/z*.[ch] and the encoders that include this file know Z3.  The context is of the
 * non-counting kind: every expression lives as long as it. */
#ifndef ENCODE_Z3CTX_H
#define ENCODE_Z3CTX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <z3.h>

#include "base/vec.h"

enum z3ctx_answer { Z3CTX_UNSAT, Z3CTX_SAT, Z3CTX_UNKNOWN };

typedef VEC(Z3_ast) z3ctx_asts;

/* Lets other threads end a check. */
struct z3ctx_stop {
    pthread_mutex_t lock;
    bool asked;
    Z3_context running; /* a check is under way there, or NULL */
};
void z3ctx_stop_init(struct z3ctx_stop *s);
void z3ctx_stop_free(struct z3ctx_stop *s);
/* When it returns, no check is running, and none will start. */
void z3ctx_stop_now(struct z3ctx_stop *s);
bool z3ctx_stop_asked(struct z3ctx_stop *s);

struct z3ctx {
    Z3_context c;
    Z3_solver solver;
    Z3_sort bool_sort, int_sort;
    Z3_solver also; /* or NULL: gets all assertions, too */
    Z3_ast yes, no;
    Z3_model model;          /* after Z3CTX_SAT, until the next check */
    struct z3ctx_stop *stop; /* or NULL */
    char reason[120];        /* after Z3CTX_UNKNOWN: why */
    unsigned fresh;          /* for names */
    bool shared;             /* the context is a pool's */
    uint64_t checks;
    double seconds;  /* wall clock, in checks */
    unsigned work;   /* limit for each check, or 0 */
    unsigned added;  /* assertions since the last check */
    Z3_ast never;    /* a literal that is false; NULL: not yet made */
    bool exhausted;  /* after Z3CTX_UNKNOWN: the budget of work was spent */
    double deadline; /* of the pool; later checks are Z3CTX_UNKNOWN at once */
};

/* A context that several queries of one thread share, one after the other or side by side: making
 * one takes Z3 two milliseconds. */
struct z3ctx_pool {
    Z3_context c;    /* NULL: not yet made */
    double deadline; /* wall clock: all checks end by then; 0: none */
};
void z3ctx_pool_free(struct z3ctx_pool *p);
bool z3ctx_pool_late(const struct z3ctx_pool *p); /* the deadline has come */

/* How long a check may take: in seconds, and in Z3's own units of work (the same on every machine).
 * 0: no limit. */
struct z3ctx_budget {
    double seconds;
    unsigned work;
};

/* pool NULL: a context of its own.  seed 0 is Z3's own; stop may be NULL. */
void z3ctx_init(struct z3ctx *z, struct z3ctx_pool *pool, unsigned seed, struct z3ctx_budget budget,
                struct z3ctx_stop *stop);
/* A second solver over the same expressions, with the assertions so far; not after z3ctx_free(of).
 */
void z3ctx_fork(struct z3ctx *z, struct z3ctx *of, unsigned work);
void z3ctx_free(struct z3ctx *z);
/* From now on; 0: no limit. */
void z3ctx_limit_work(struct z3ctx *z, unsigned work);

/* Constants; the name need not be unique (a number is added if `unique` is false). */
Z3_ast z3ctx_bool(struct z3ctx *z, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
Z3_ast z3ctx_const(struct z3ctx *z, Z3_sort sort, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Propositional constructors, folding constants. */
Z3_ast z3ctx_not(struct z3ctx *z, Z3_ast a);
Z3_ast z3ctx_and2(struct z3ctx *z, Z3_ast a, Z3_ast b);
Z3_ast z3ctx_or2(struct z3ctx *z, Z3_ast a, Z3_ast b);
Z3_ast z3ctx_and(struct z3ctx *z, const z3ctx_asts *v);
Z3_ast z3ctx_or(struct z3ctx *z, const z3ctx_asts *v);
Z3_ast z3ctx_implies(struct z3ctx *z, Z3_ast a, Z3_ast b);
Z3_ast z3ctx_iff(struct z3ctx *z, Z3_ast a, Z3_ast b);
Z3_ast z3ctx_ite(struct z3ctx *z, Z3_ast c, Z3_ast a, Z3_ast b);
static inline bool z3ctx_is_true(const struct z3ctx *z, Z3_ast a)
{
    return a == z->yes;
}
static inline bool z3ctx_is_false(const struct z3ctx *z, Z3_ast a)
{
    return a == z->no;
}
/* A literal that is equivalent to a, so that it is encoded once; a itself if it is small. */
Z3_ast z3ctx_name(struct z3ctx *z, Z3_ast a, const char *what);

void z3ctx_assert(struct z3ctx *z, Z3_ast a);
/* lits[0] ∧ … ∧ lits[n-1] → consequence. */
void z3ctx_rule(struct z3ctx *z, Z3_ast consequence, int n, ...);
/* At most one of them. */
void z3ctx_at_most_one(struct z3ctx *z, const z3ctx_asts *v);

/* Check under assumptions (literals).  Z3CTX_SAT leaves the model in z->model. */
enum z3ctx_answer z3ctx_check(struct z3ctx *z, size_t n, const Z3_ast *assumptions);
bool z3ctx_model_bool(struct z3ctx *z, Z3_ast a); /* with completion */
/* The assumptions that an unsatisfiable check used: sets used[i] for each. */
void z3ctx_core(struct z3ctx *z, size_t n, const Z3_ast *assumptions, bool *used);

/* The assertions and `extra` as an SMT-LIB 2 script. */
void z3ctx_dump(struct z3ctx *z, const char *comment, Z3_ast extra, FILE *out);
const char *z3ctx_version(void); /* "4.8.12"; a static string */

#endif
