/* A thin layer over Z3's C API: one context and one solver per query, constructors that fold what
 * is already decided, and a check that limits and other threads can interrupt.
 *
 * Only encode/z*.[ch] and the encoders that include this file know Z3.  The context is of the
 * non-counting kind: every expression lives as long as it. */
#ifndef ENCODE_ZX_H
#define ENCODE_ZX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <z3.h>

#include "base/vec.h"

enum zx_answer { ZX_UNSAT, ZX_SAT, ZX_UNKNOWN };

typedef VEC(Z3_ast) zx_asts;

/* A way for other threads to end a search. */
struct zx_stop {
    pthread_mutex_t lock;
    bool asked;
    Z3_context running; /* a check is under way there, or NULL */
};
void zx_stop_init(struct zx_stop *s);
void zx_stop_free(struct zx_stop *s);
/* Returns when no check is running, and none will. */
void zx_stop_now(struct zx_stop *s);
bool zx_stop_asked(struct zx_stop *s);

struct zx {
    Z3_context c;
    Z3_solver solver;
    Z3_sort bool_sort, int_sort;
    Z3_solver also; /* or NULL: what is asserted goes there, too */
    Z3_ast yes, no;
    Z3_model model;       /* after ZX_SAT, until the next check */
    struct zx_stop *stop; /* or NULL */
    char reason[120];     /* after ZX_UNKNOWN: why */
    unsigned fresh;       /* for names */
    bool shared;          /* the context is a pool's */
    uint64_t checks;
    double seconds;  /* wall clock, in checks */
    unsigned work;   /* limit for each check, or 0 */
    unsigned added;  /* assertions since the last check */
    Z3_ast never;    /* a literal that is false; NULL: not yet made */
    bool exhausted;  /* after ZX_UNKNOWN: the budget of work was spent */
    double deadline; /* of the pool; later checks are ZX_UNKNOWN at once */
};

/* A context that several queries of one thread share, one after the other or side by side: making
 * one takes Z3 two milliseconds. */
struct zx_pool {
    Z3_context c;    /* NULL: not yet made */
    double deadline; /* wall clock: all checks end by then; 0: none */
};
void zx_pool_free(struct zx_pool *p);

/* How long a check may take: in seconds, and in Z3's own units of work (the same on every machine).
 * 0: no limit. */
struct zx_budget {
    double seconds;
    unsigned work;
};

/* pool NULL: a context of its own.  seed 0 is Z3's own; stop may be NULL. */
void zx_init(struct zx *z, struct zx_pool *pool, unsigned seed, struct zx_budget budget,
             struct zx_stop *stop);
/* A second solver over the same expressions, with the assertions so far; not after zx_free(of). */
void zx_fork(struct zx *z, struct zx *of, unsigned work);
void zx_free(struct zx *z);
/* From now on; 0: no limit. */
void zx_limit_work(struct zx *z, unsigned work);

/* Constants; the name need not be unique (a number is added if `unique` is false). */
Z3_ast zx_bool(struct zx *z, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
Z3_ast zx_const(struct zx *z, Z3_sort sort, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Propositional constructors, folding constants. */
Z3_ast zx_not(struct zx *z, Z3_ast a);
Z3_ast zx_and2(struct zx *z, Z3_ast a, Z3_ast b);
Z3_ast zx_or2(struct zx *z, Z3_ast a, Z3_ast b);
Z3_ast zx_and(struct zx *z, const zx_asts *v);
Z3_ast zx_or(struct zx *z, const zx_asts *v);
Z3_ast zx_implies(struct zx *z, Z3_ast a, Z3_ast b);
Z3_ast zx_iff(struct zx *z, Z3_ast a, Z3_ast b);
Z3_ast zx_ite(struct zx *z, Z3_ast c, Z3_ast a, Z3_ast b);
static inline bool zx_is_true(const struct zx *z, Z3_ast a)
{
    return a == z->yes;
}
static inline bool zx_is_false(const struct zx *z, Z3_ast a)
{
    return a == z->no;
}
/* A literal that is equivalent to a, so that it is encoded once; a itself if it is small. */
Z3_ast zx_name(struct zx *z, Z3_ast a, const char *what);

void zx_assert(struct zx *z, Z3_ast a);
/* lits[0] ∧ … ∧ lits[n-1] → consequence. */
void zx_rule(struct zx *z, Z3_ast consequence, int n, ...);
/* At most one of them. */
void zx_at_most_one(struct zx *z, const zx_asts *v);

/* Check under assumptions (literals).  ZX_SAT leaves the model in z->model. */
enum zx_answer zx_check(struct zx *z, size_t n, const Z3_ast *assumptions);
bool zx_model_bool(struct zx *z, Z3_ast a); /* with completion */
/* The assumptions that an unsatisfiable check used: sets used[i] for each. */
void zx_core(struct zx *z, size_t n, const Z3_ast *assumptions, bool *used);

/* The assertions and `extra` as an SMT-LIB 2 script. */
void zx_dump(struct zx *z, const char *comment, Z3_ast extra, FILE *out);
const char *zx_version(void); /* "4.8.12"; a static string */

#endif
