/* The history engine: does a history satisfy an isolation level?
 *
 *     struct check_options o = check_defaults();
 *     check_level_find("si", &o.level);
 *     struct check_result r;
 *     check_history(h, &o, &r);
 *     … r.verdict, r.anomaly, r.cycles … r.order …
 *     check_result_free(&r);
 *
 * Every answer is certified before it is returned (certify.h): an OK by an order of the
 * transactions that was replayed, a VIOLATION by an anomaly of single operations or by cycles whose
 * every edge follows from the history.  An answer that fails its own certification is CHECK_BROKEN:
 * a bug of ours, exit code 6, never a verdict. */
#ifndef HISTORY_CHECK_H
#define HISTORY_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/stats.h"
#include "base/vec.h"
#include "history/history.h"
#include "models/models.h"

/* --- the question -------------------------------------------------------------------------- */

enum check_real_time {
    CHECK_NO_TIME,
    CHECK_TIME_COMMITS, /* commits come after what ended or began earlier (generalized SI) */
    CHECK_TIME_STRICT,  /* and begins after what ended earlier (strict SER, strong SI) */
    CHECK_ITEMS_ONLY    /* no real time; predicate anti-dependencies do not count: repeatable read,
                         * PL-2.99, which is SER but for those */
};

struct check_level {
    enum model_id model;
    bool session_order;
    enum check_real_time real_time;
};

/* The begins (2 t) and commits (2 t + 1) of transactions, each as often as the transaction has
 * parts, in the order that was found.  Only a suggestion: nothing rests on it. */
struct check_trail {
    VEC(uint32_t) events;
};

/* Names: a model's name ("ser", "si", "pc", …: with session order), "strong-session-si", …;
 * "adya-si", "plain-ser": without session order; "strict-ser", "gsi", "strong-si"; "pl-2.99",
 * "repeatable-read". */
bool check_level_find(const char *name, struct check_level *out);
/* The names besides those of the models, one after the other, then NULL. */
const char *check_level_extra(size_t i);
/* "SI", "SI without session order", "strict SER", … */
const char *check_level_title(struct check_level level);

enum check_backend { CHECK_BUILTIN, CHECK_Z3, CHECK_MONOSAT };

struct check_options {
    struct check_level level;
    int64_t clock_drift; /* time stamps this close prove no order */
    enum check_backend backend;
    const char *monosat_path; /* NULL: "libmonosat.so" */
    uint64_t seed;
    bool always_solve;   /* tests: skip saturation and replay, so that the solver has to decide */
    bool hasty;          /* give up early: UNKNOWN then says nothing about the limits */
    bool no_guess;       /* tests: orders that the history suggests are not tried first */
    bool always_lines;   /* tests: versions in lines (lines.h), however few the sessions */
    bool first_reason;   /* tests: RC, RA, CC give the first reason found, as in large histories */
    bool unique_values;  /* two writes of one value to one key are an anomaly */
    struct stats *stats; /* or NULL */
    bool no_run;         /* histories of lists are matched, not run (lists.h) */
    struct check_z3 *z3; /* CHECK_Z3: kept from check to check; NULL: one for each */
    /* Per operation: the element, from 1, of its key's list that it appended, 0: none that a read
     * shows; only for lists with equal elements, see equal.h.  NULL: look for it. */
    const uint32_t *places;
    /* The trail of an earlier result for much the same history: where to begin looking. */
    const struct check_trail *trail;
    bool stronger_first; /* SI, PC, RCS: a stronger level has been the easier question before */
};

/* Z3's state.  Making it takes longer than solving a small problem. */
struct check_z3 *check_z3_new(void);
void check_z3_free(struct check_z3 *z);

struct check_options check_defaults(void);

/* --- the answer ---------------------------------------------------------------------------- */

enum check_verdict { CHECK_OK, CHECK_VIOLATION, CHECK_UNKNOWN, CHECK_BROKEN };

enum check_anomaly {
#define ANOMALY(id, words, name, rules_out, text) CHECK_##id,
#include "history/anomalies.def"
#undef ANOMALY
    CHECK_ANOMALY_COUNT
};
const char *check_anomaly_name(enum check_anomaly a);  /* "aborted read (G1a)", "future read" */
const char *check_anomaly_words(enum check_anomaly a); /* "aborted read" */
const char *check_anomaly_adya(enum check_anomaly a);  /* "G1a", or "" */
const char *check_anomaly_text(enum check_anomaly a);  /* a sentence */

enum check_edge_kind {
    CHECK_SO, /* from precedes to in its session */
    CHECK_RT, /* from ended before to began (or as the level's real-time rule says) */
    CHECK_WR, /* to read what from wrote */
    CHECK_WW, /* to overwrote what from wrote */
    CHECK_RW  /* to overwrote what from read */
};
const char *check_edge_name(enum check_edge_kind k); /* "so", "wr", … */

enum check_rt { CHECK_COMMIT_BEGIN, CHECK_COMMIT_COMMIT, CHECK_BEGIN_COMMIT };

/* Transactions and operations are indices of the history.  HIST_NONE as from_op: the initial
 * version.  WR: write, read.  WW: write, write.  RW: read, later write; `via` is the write that the
 * read saw (HIST_NONE: the initial version).
 *
 * RT: `via` is an enum check_rt.
 *
 * `because`: WR, WW and RW edges may rest on a choice, which of two versions is older or which of
 * several equal writes a read saw: then it is the index in result.cases of the case that settled
 * it, else HIST_NONE: the history alone says so. */
struct check_edge {
    enum check_edge_kind kind;
    uint32_t from, to;
    uint32_t key;
    uint32_t from_op, to_op, via;
    uint32_t because;
};

/* edges[start … start + len) of the result; the last leads back to where the first starts. */
struct check_cycle {
    uint32_t start, len;
};

/* A hypothesis and its refutation.
 *   order:  the version of write `first` is older than that of write `second`
 *   source: the read `first` saw the write `second` (HIST_NONE: the initial version)
 * The cases form a tree in the order of a reader's reading: a case is refuted by its cycle, which
 * may use the hypotheses of the case and of the cases around it (parent, …), and the opposite of
 * cases refuted earlier at the same level or around it.  The opposite of an order is the
 * reverse order; a read whose sources are all refuted but one saw that one. */
enum check_hypothesis { CHECK_ORDER, CHECK_SOURCE };
struct check_case {
    enum check_hypothesis kind;
    uint32_t first, second;
    uint32_t parent; /* index of a case, or HIST_NONE */
    uint32_t cycle;  /* index in result.cycles; HIST_NONE: some read has no source left */
};

enum check_order_kind {
    CHECK_SERIAL,     /* transactions, one after the other */
    CHECK_EVENTS,     /* 2 t: begin of t, 2 t + 1: commit of t */
    CHECK_ARBITRATION /* transactions in arbitration order; visibility is what the level forces */
};

struct check_result {
    const struct history *history; /* transactions and operations are of this one; not owned */
    struct check_level level;      /* OK: the one that was asked about, or a stronger one */
    enum check_verdict verdict;
    const char *reason; /* UNKNOWN, BROKEN: why; else "" */

    /* OK */
    enum check_order_kind order_kind;
    VEC(uint32_t) order;
    /* ARBITRATION: of reads that could have seen several writes, which one (HIST_NONE: the initial
     * version). */
    VEC(struct hist_pair) sources;
    struct check_trail trail; /* where reads have a choice and the solver decided; else empty */

    /* VIOLATION.  Without cycle: the transactions and operations that show the anomaly.  With one:
     * `cycle` is the one to show; `cases` settle the choices that it rests on (in order).  If
     * `no_source` is set, the contradiction is not the cycle itself but that the cases (of which
     * the cycle refutes the last) leave a read without a source. */
    enum check_anomaly anomaly;
    VEC(uint32_t) txns;
    VEC(uint32_t) ops;
    uint32_t cycle; /* index in cycles, or HIST_NONE */
    bool no_source;
    /* Where cases would be too many to write down: the last so many cycles each rule out the
     * choices that they use, and no choice is left that none of them rules out. */
    uint32_t lemmas;
    VEC(struct check_edge) edges;
    VEC(struct check_cycle) cycles;
    VEC(struct check_case) cases;

    struct arena arena;
    bool ran;         /* the order was found by running lists */
    bool by_stronger; /* … at a stronger level, because this one would have needed the solver */
    bool loose;       /* … without regard to aggregates over too many sums */
    bool by_sessions; /* the violation rests on session order even where no edge says so */
};

/* A history with predicate reads other than ranges must have gone through derive.h, and so must one
 * with ranges for CHECK_ITEMS_ONLY: otherwise the answer is UNKNOWN. */
void check_history(const struct history *h, const struct check_options *o, struct check_result *r);
void check_result_free(struct check_result *r);
/* Plain text of the result: the golden tests' and `--dump result`'s printer. */
void check_result_dump(const struct history *h, const struct check_result *r, FILE *out);

#endif
