/* Verification: does a program keep its properties under a model?  The interface of encode/.
 *
 *     struct verify_program *v = verify_open(ast, &options, diags);   // NULL: see diags
 *     struct verify_result *r = verify_run(v, &question);
 *     … r->verdicts[i].status …
 *     verify_result_free(r);
 *     verify_close(v);
 *
 * The interface does not depend on the solver.  A verify_program is used by one thread at a time;
 * different ones may run in different threads.  verify_open writes to the ast (texts), so open one
 * after the other; verify_run only reads it.
 *
 * Every VIOLATED has been re-run by the concrete interpreter before it is returned; if the two
 * disagree, the status is VERIFY_INTERNAL_ERROR and `reason` says where. */
#ifndef ENCODE_VERIFY_H
#define ENCODE_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/stats.h"
#include "encode/result/execution.h"
#include "encode/result/property.h"
#include "frontend/ast.h"
#include "models/models.h"
#include "symexec/summary.h"

struct z3ctx_pool;
struct verify_program;

enum verify_observe { VERIFY_OBSERVE_FINAL, VERIFY_OBSERVE_SNAPSHOTS };
enum verify_encoding {
    VERIFY_PORTFOLIO,
    VERIFY_EVENT,
    VERIFY_SLOT,
    VERIFY_RACE /* the portfolio, with all threads and tiny turns from the start: for tests */
};
enum verify_start {
    /* As PROGRAM for scenarios and for programs with INITIAL, else as INVARIANTS. */
    VERIFY_START_AUTO,
    VERIFY_START_PROGRAM,   /* INITIAL, C initialisers, zero */
    VERIFY_START_INVARIANTS /* every state that satisfies all invariants */
};

struct verify_options {
    enum sx_granularity granularity;
    bool check_overflow;
    unsigned unwind; /* 0: the default */
    /* No level of a server will be asked about: these need executions of their own, and may have
     * properties that the models decide. */
    bool models_only;
};

/* Who decides whether an execution is serializable: the history engine, which this room does not
 * know.  Called from the thread that answers the question. */
enum verify_judgment { VERIFY_SERIAL, VERIFY_NOT_SERIAL, VERIFY_NOT_JUDGED };
struct verify_judge {
    /* SERIAL: order[i] is the position of transaction i of the execution in a serial order that
     * explains it.  NOT_JUDGED: *reason says why, and lives as long as the judge. */
    enum verify_judgment (*ask)(void *arg, const struct execution *x, uint32_t *order,
                                const char **reason);
    void *arg;
};

struct verify_result;
struct verify_verdict;
/* Reports a verdict of a question that is still being answered: a final one, or HOLDS for as many
 * instances as were tried so far.  Called from the thread that answers the question. */
typedef void (*verify_news)(void *arg, const struct verify_result *r,
                            const struct verify_verdict *d);

/* One question. */
struct verify_question {
    const struct model *model;
    /* Mixed levels: a model for each TRANSACTION, in the order of sx_program.txns; NULL: `model`
     * for all.  (`model` is then the observer's level with observe snapshots.) */
    const struct model *const *levels;
    bool no_session_order;
    enum verify_observe observe;
    /* Not NULL: robustness.  The one property of the answer is then that every execution is
     * equivalent to a serial one (docs/semantics.md), whatever the program's own properties are. */
    const struct verify_judge *judge;
    /* What to run: */
    const char *scenario; /* only this one; NULL: all */
    unsigned txns;        /* > 0: any `txns` instances, no scenario */
    unsigned max_txns;    /* programs without scenarios, txns 0: grow 2, 3, … to this; 0: until
                             the time limit (of limit.h), at most VERIFY_TXNS_CAP */
    uint64_t max_rows;    /* programs with ANY: tables of 1, 2, … rows up to this; 0: the default,
                             VERIFY_ROWS */
    enum verify_start start;
    /* How: */
    bool bounded;    /* no proof rule */
    bool prove_only; /* nothing but the proof rule: UNKNOWN where it fails */
    enum verify_encoding encoding;
    bool keep_raw;  /* do not minimise executions */
    double seconds; /* > 0: a share of the time limit; give up after so long */
    /* The same program, opened again for each thread that may help with hard questions. */
    struct verify_program *const *spare;
    size_t n_spare;
    verify_news news; /* or NULL */
    void *news_arg;
    FILE *dump_smt2;     /* or NULL: each formula, before it is solved */
    struct stats *stats; /* or NULL */
    /* A solver context (enc_pool_new) that questions of one thread share, or NULL: one for this
     * question alone.  It saves time, but which execution is found may then depend on the questions
     * before; verdicts do not. */
    struct z3ctx_pool *pool;
};
#define VERIFY_TXNS_CAP 8
#define VERIFY_ROWS 4
#define VERIFY_ROWS_CAP 64
#define VERIFY_SPARE_MAX 3

struct verify_verdict {
    uint32_t property; /* index into verify_result.properties */
    enum verify_status status;
    /* One line.  UNKNOWN, VACUOUS, INTERNAL_ERROR always have one; HOLDS and PROVED only if the
     * assertion is not reached. */
    const char *reason;
    enum verify_reach reach;      /* HOLDS, PROVED */
    const struct sx_point *fails; /* VERIFY_CHECKED: a check that fails */
    /* The runs for which it HOLDS, or the run in which it is VIOLATED. */
    const struct sx_summary *scenario; /* NULL: any instances, up to `bound` */
    unsigned bound;                    /* how many instances, or the scenario's calls */
    /* Programs with ANY: HOLDS on tables of 1, 2, … up to so many rows; VIOLATED on tables of that
     * many.  0: no run with rows. */
    uint64_t rows;
    bool from_invariants;        /* started in every state that satisfies the invariants */
    struct execution *execution; /* VIOLATED (and INTERNAL_ERROR) */
    /* PROVED: the invariants and relies that the proof used. */
    const uint32_t *used; /* properties */
    size_t n_used;
    const struct verify_rely *relies;
    size_t n_relies;
    const char *const *found; /* invariants that nobody wrote, as C conditions */
    size_t n_found;
    /* Where the proof rule failed (not PROVED), or NULL.  All invariants hold in its states. */
    struct verify_gap *gap;
    /* No gap: the property is proved as soon as these properties are. */
    const uint32_t *needs;
    size_t n_needs;
    double seconds; /* wall clock */
};

struct verify_result {
    struct arena arena;
    /* Summaries of the program: for its tables' names and its functions.  Those that an execution
     * refers to are its own (execution.program); these may be for tables of any size. */
    const struct sx_program *program;
    const struct model *model;
    struct verify_property *properties;
    size_t n_properties;
    /* One verdict for every property and run; a property may have several (scenarios). */
    struct verify_verdict *verdicts;
    size_t n_verdicts;
    /* Transactions whose assumptions fail on every state that satisfies the invariants (as far as
     * the proof rule was tried). */
    const struct ast_func **never_run;
    size_t n_never_run;
    /* Tables that fresh is called on although the initial state has no row of zeros in them (as far
     * as there were bounded runs). */
    const struct ast_var **filled;
    size_t n_filled;
    enum verify_status
        overall;       /* the worst: INTERNAL_ERROR, VIOLATED, UNKNOWN, VACUOUS, HOLDS, PROVED */
    bool out_of_time;  /* the question's share of the time was not enough */
    const char *error; /* a question that makes no sense (no such scenario, …), or NULL */
};

struct verify_program *verify_open(struct ast_program *ast, const struct verify_options *options,
                                   struct diag_list *d);
/* The same program for another thread, without executing it again; open and close all of them from
 * one thread. */
struct verify_program *verify_open_again(struct verify_program *v);
void verify_close(struct verify_program *v);
struct verify_result *verify_run(struct verify_program *v, const struct verify_question *q);
/* Frees the executions too; the verify_program must still be open. */
void verify_result_free(struct verify_result *r);
/* Answers to one question under several models: an execution that violates a property under one
 * model is also one of every weaker model.  There, UNKNOWN (or HOLDS for fewer instances) becomes
 * VIOLATED, without an execution of its own. */
void verify_infer(struct verify_result *const *results, size_t n);

#endif
