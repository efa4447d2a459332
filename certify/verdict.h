/* A verdict on a history, with what proves it: data only.
 *
 * An OK has an order of the transactions; a VIOLATION has the operations that show an anomaly, or
 * cycles whose every edge follows from the history.  The engine fills it (check/check.h), certify.h
 * checks it against the history, the reports tell it. */
#ifndef CERTIFY_VERDICT_H
#define CERTIFY_VERDICT_H

#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"
#include "certify/edge.h"
#include "history/history.h"
#include "models/anomalies.h"
#include "models/levels.h"

/* The begins (2 t) and commits (2 t + 1) of transactions, each as often as the transaction has
 * parts, in the order that was found.  Only a suggestion: nothing rests on it. */
struct check_trail {
    VEC(uint32_t) events;
};

enum check_verdict { CHECK_OK, CHECK_VIOLATION, CHECK_UNKNOWN, CHECK_BROKEN };

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

/* What the clauses of a proof speak of, with operations a and b unless it says otherwise.  The
 * facts from SOURCES_UP_TO on only abbreviate others, for certify_choices.c, certify_results.c and
 * certify_cover.c. */
enum check_fact_kind {
    CHECK_FACT_OLDER,         /* the version of write a is older than that of write b; a < b */
    CHECK_FACT_SAW,           /* the read a saw the write b (HIST_NONE: the initial version) */
    CHECK_FACT_HAPPENED,      /* transaction a happened */
    CHECK_FACT_PLACE,         /* append a, its transaction's last to the list, is element b of it */
    CHECK_FACT_SOURCES_UP_TO, /* the read a saw one of its first b possible sources */
    CHECK_FACT_PLACES_UP_TO,  /* append a is at one of the first b places that it may have */
    CHECK_FACT_MAKERS_UP_TO,  /* an element of the list a is shown by one of its first places; b
                               * counts these over all elements before, too */
    CHECK_FACT_PARTIAL,       /* the aggregate a has the partial result b */
    CHECK_FACT_BESIDES,       /* the row of operation b of aggregate a counts as something else */
    CHECK_FACT_KINDS
};
struct check_fact {
    enum check_fact_kind kind;
    uint32_t a, b;
};
struct check_literal {
    struct check_fact fact;
    bool negated;
};
/* literals[start … start + len) of the result: one of them is true.  That follows by unit
 * propagation from the clauses hints[hints … hints + hint_count) of the result, in this order, and
 * from what the cases around suppose; with an `aggregate` (else HIST_NONE), because this has no
 * result left then.  Clauses are numbered from 0 as the certifier makes or accepts them. */
struct check_clause {
    uint32_t start, len;
    uint32_t hints, hint_count;
    uint32_t aggregate;
};
/* What the clauses of a proof may speak of. */
enum check_scope {
    CHECK_SCOPE_PLAIN,    /* versions, sources and outcomes that the cycles and cases name */
    CHECK_SCOPE_EXTENDED, /* … the elements of lists, and the results of aggregates */
    CHECK_SCOPE_WIDE      /* … of all transactions of unknown outcome, and all aggregates */
};
/* clauses[start … start + len) of the result, of which the last is empty: a contradiction.
 *
 * Every case and the conclusion are clauses, too.  Unless one of them has all that its cycle rests
 * on, it takes the next of the proofs, and so does a list that cannot be made up of whole
 * transactions. */
struct check_proof {
    uint32_t start, len;
    enum check_scope scope;
};

enum check_order_kind {
    CHECK_SERIAL,     /* transactions, one after the other */
    CHECK_EVENTS,     /* 2 t: begin of t, 2 t + 1: commit of t */
    CHECK_ARBITRATION /* transactions in arbitration order; visibility is what the level forces */
};

struct check_result {
    const struct history *history; /* transactions and operations are of this one; not owned */
    struct level level;            /* OK: the one that was asked about, or a stronger one */
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
    enum anomaly anomaly;
    VEC(uint32_t) txns;
    VEC(uint32_t) ops;
    uint32_t cycle; /* index in cycles, or HIST_NONE */
    bool no_source;
    /* Where cases would be too many to write down: the last so many cycles each rule out the
     * choices that they use, and no choice is left that none of them rules out, as `proofs` say. */
    uint32_t lemmas;
    VEC(struct check_edge) edges;
    VEC(struct check_cycle) cycles;
    VEC(struct check_case) cases;
    VEC(struct check_literal) literals;
    VEC(uint32_t) hints;
    VEC(struct check_clause) clauses;
    VEC(struct check_proof) proofs;

    struct arena arena;
    const char *technique; /* that answered, or NULL */
    bool ran;              /* the order was found by running lists */
    bool loose;            /* … without regard to aggregates over too many sums */
    bool by_sessions;      /* the violation rests on session order even where no edge says so */
};

void check_result_free(struct check_result *r);
/* Plain text of the result: the golden tests' and `--dump result`'s printer. */
void check_result_dump(const struct history *h, const struct check_result *r, FILE *out);

#endif
