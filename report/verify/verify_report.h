/* Reports of `visar verify` and `visar weakest`. */
#ifndef REPORT_VERIFY_VERIFY_REPORT_H
#define REPORT_VERIFY_VERIFY_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "encode/verify.h"
#include "check/check.h"
#include "report/verify/counterexample.h"
#include "report/page/json_text.h"
#include "report/page/page.h"

/* What the history engine says about an execution.  It must accept the execution under the verified
 * model; otherwise there is an internal error instead of a report.  The weakest stronger model that
 * refuses the execution gives the anomaly its name. */
struct verify_opinion {
    const struct execution *x;
    const struct history *history;
    const uint32_t *txn_of;             /* by transaction of the execution: that of the history */
    const struct check_result *refusal; /* NULL: every stronger model accepts it */
    const struct model *refused_by;     /* the weakest stronger model that does not */
    const struct check_result *not_serial; /* `robust`: why no serial order explains it; or NULL */
    uint32_t also;         /* bit set: the weakest refusing models that are not comparable */
    bool asked;            /* the engine decides the verified model, and accepted it */
    const char *undecided; /* the engine ran into a limit: why; else NULL */
};

struct verify_view {
    const char *file;
    struct ast_program *ast;
    const struct diag_list *files;
    const struct verify_result *const *results; /* one for each model, weakest first */
    size_t n_results;
    const struct verify_opinion *opinions;
    size_t n_opinions;
    bool no_session_order, snapshots, fields; /* as asked for */
    const char *engine;                       /* of the cross-check, for JSON; or NULL */
    const struct stats *stats;
    bool quiet, verbose, color;
};

void report_verify_text(const struct verify_view *v, FILE *out);
void report_verify_json(const struct verify_view *v, FILE *out);
/* For some verdict, every state that satisfies the invariants was an initial state. */
bool report_from_anywhere(const struct verify_result *r);
#define REPORT_NO_INITIAL                                                                          \
    "no INITIAL: started in any state that satisfies the invariants; add INITIAL to choose"
/* A violation is shown in which a transaction locks rows (for_update) at a level whose model treats
 * that as a read: on a database the locks may prevent the violation. */
bool report_locks_matter(const struct verify_result *r);
/* Some property holds, and some built-in check is violated or unknown.  Runs in which a check fails
 * do not count for the other properties, so the reader should know. */
bool report_checks_matter(const struct verify_result *r);
/* The worst of all results. */
enum verify_status report_verify_overall(const struct verify_view *v);
const struct verify_opinion *report_opinion(const struct verify_view *v, const struct execution *x);
/* What is known before all is done: "HOLDS under rc, VIOLATED under pc", of one property "VIOLATED
 * solvent under si (up to 2 transactions)". */
void report_known_models(const struct verify_result *const *results, size_t n, struct strbuf *out);
void report_known_property(const struct verify_result *r, const struct verify_verdict *d,
                           struct strbuf *out);
/* A warning: nothing is said about a transaction. */
void report_never_runs(const struct ast_func *txn);
/* A warning: a table that fresh is called on has no room for new rows. */
void report_filled(const struct ast_var *table);
/* A disagreement of the verifier and the history engine, with both sides: the execution, the
 * history made from it and the engine's answer.  The last two may be NULL. */
void report_disagreement(const char *what, const struct execution *x, const struct history *h,
                         const struct check_result *r, FILE *out);

/* `visar weakest`: one entry for each model, by id. */
struct weakest_line {
    const struct model *model, *by; /* by: whose result settles it */
    enum verify_status status;
    const struct verify_result *result; /* or NULL */
    bool minimal, ruled_out;
};

/* `--per-transaction`: a level for each transaction, and why it cannot be lower. */
struct weakest_step {
    const struct ast_func *txn;
    const struct model *to;
    enum verify_status status;
    const struct verify_result *result; /* NULL: inferred, or a limit was hit before it was tried */
    const struct model *by;             /* VIOLATED, inferred: the model of the execution */
};

/* A level of a database. */
struct server_line {
    const struct model *model; /* NULL: not asked */
    enum verify_status status;
    const struct verify_result *result; /* NULL: as under `same` */
    const struct model *same;
};

struct weakest_view {
    struct verify_view base; /* results: those that were run; opinions on what is shown */
    struct weakest_line line[MODEL_COUNT];
    struct server_line server[MODEL_SERVER_COUNT];
    const char *database; /* --database: nothing but its levels was asked; or NULL */
    bool settled;
    unsigned runs;
    bool per_transaction;
    const struct model *const *levels; /* NULL: there is no assignment */
    const struct ast_func *const *txns;
    size_t n_txns;
    const struct weakest_step *steps;
    size_t n_steps;
    const struct verify_result *mixed; /* of the assignment */
};

/* The model whose line has the explanation: itself if it is shown; else the strongest one shown
 * that is above (or, for a model under which everything holds, the minimal one below). */
const struct model *report_told_by(const struct weakest_view *w, const struct weakest_line *l);
/* Some model's runs started in any state that satisfies the invariants. */
bool report_weakest_anywhere(const struct weakest_view *w);
void report_weakest_text(const struct weakest_view *w, FILE *out);
void report_weakest_json(const struct weakest_view *w, FILE *out);

/* ---- shared by the four printers ------------------------------------------------------------ */

/* The verdict of a property that counts: the worst over its runs; NULL if it has none. */
const struct verify_verdict *report_worst(const struct verify_result *r, uint32_t property);
/* The first violated verdict of a result. */
const struct verify_verdict *report_violation(const struct verify_result *r);
bool report_same_property(const struct verify_property *a, const struct verify_property *b);
bool report_is_builtin(enum verify_property_kind k);
/* "scenario two_tellers (2 transactions)", "up to 3 transactions", "any number of transactions";
 * with ANY also "up to 3 transactions on tables of up to 4 rows" and the like. */
void report_runs(const struct verify_result *r, const struct verify_verdict *d, struct strbuf *out);
/* "any number of transactions", with ANY ", tables of any size". */
const char *report_any_number(const struct verify_result *r);
/* " on tables of up to 4 rows", or (exact) of 4; nothing if `rows` is 0. */
void report_rows(uint64_t rows, bool exact, struct strbuf *out);
/* "SI", "read committed" … as sentences want it: "snapshot isolation (si)". */
void report_model(const struct model *m, struct strbuf *out);
/* One line: "solvent: write skew of withdraw(0, 100) and withdraw(1, 100): -40 + -40 >= 0". */
void report_short(const struct verify_view *v, const struct verify_result *r,
                  const struct verify_verdict *d, struct strbuf *out);
/* The name of the anomaly for running text, without Adya's code: "read skew"; NULL: none. */
const char *report_anomaly_word(const struct verify_opinion *o);

/* The story, for the text reports. */
void report_story(const struct verify_view *v, const struct page *p, const struct verify_result *r,
                  const struct verify_verdict *d);
void report_gap(const struct verify_view *v, const struct page *p, const struct verify_result *r,
                const struct verify_verdict *d);

/* JSON. */
json_t *report_verdict_json(const struct verify_view *v, const struct verify_result *r,
                            const struct verify_verdict *d);
json_t *report_status_json(enum verify_status s);
json_t *report_int_json(term_int value);
json_t *report_place_json(const struct verify_view *v, struct src_loc loc);
json_t *report_rows_json(struct cex *c, const struct exec_row *rows, size_t n);

#endif
