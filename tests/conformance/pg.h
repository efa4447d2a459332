/* PostgreSQL's levels: the state of the enumeration, and the rules that work on it.
 *
 * ar, the order of commits, is given.  Transactions join in that order, one after the other: a rule
 * about T only speaks of transactions before T, except for rule 8 and for serializability. */
#ifndef TESTS_CONFORMANCE_PG_H
#define TESTS_CONFORMANCE_PG_H

#include "tests/conformance/statements.h"

enum { PG_MODES = 4 };

/* St(i).  A row is a number that stays the same while the row lives: "INSERT makes a new one,
 * UPDATE keeps it (also of the key), DELETE ends it". */
struct pg_state {
    uint32_t alive; /* a set of rows */
    struct cf_row row[CF_ROWS];
};

/* A candidate that SKIP LOCKED skipped. */
struct pg_skipped {
    uint8_t row, base;
    uint8_t held; /* the modes in which T had locked it before */
};
/* A row that made ON CONFLICT DO NOTHING do nothing: it was alive in St(seen). */
struct pg_nothing {
    uint8_t row, seen;
};

/* A transaction that runs or has run. */
struct pg_transaction {
    unsigned who, position; /* its number in the program and in ar */
    enum cf_level level;
    int base;     /* n of the statement; at pg-rr of all statements, -1 before the first one */
    unsigned end; /* f of the statement, the least that the rules allow */
    int last;     /* see cf_last_value */

    uint32_t wrote;      /* the rows that T has written: */
    struct pg_state own; /* T's own versions of them */
    uint32_t keys;       /* the keys that T has inserted, deleted or changed */

    uint8_t locks[CF_ROWS];               /* the modes in which T has touched a row */
    uint8_t lock_base[CF_ROWS][PG_MODES]; /* the base of the first statement that did */
    uint8_t write_mode[CF_ROWS];

    struct pg_skipped skipped[CF_STATEMENTS * CF_RESULT_ROWS];
    unsigned skips;
    struct pg_nothing nothing[CF_STATEMENTS];
    unsigned nothings;
    bool failed; /* a rule says that T aborts */
};

struct pg_search {
    const struct cf_program *program;
    const struct cf_order *order;
    struct pg_state state[CF_TRANSACTIONS + 1];  /* St(0), St(1), … */
    struct pg_transaction done[CF_TRANSACTIONS]; /* those that are in ar already */
    const struct cf_outcomes *serial; /* if all are at pg-ser: what serial orders explain */
    struct cf_outcome outcome;        /* so far */
    struct cf_outcomes *out;
};

/* One way in which a statement can go on. */
struct pg_step {
    const struct pg_search *search;
    const struct cf_statement *statement;
    unsigned number; /* of the statement in its transaction */
    struct pg_state view, newest;
};

typedef void pg_continue(void *context, const struct pg_transaction *t,
                         const struct cf_result *result);

/* `state` with T's own writes on top. */
void pg_overlay(struct pg_state *out, const struct pg_state *state, const struct pg_transaction *t);
/* The set of the rows of a state that have a key. */
uint32_t pg_rows_of_key(const struct pg_state *state, int key);

/* ---- pg_locks.c ---- */

bool pg_conflict(uint8_t modes, uint8_t others);
/* Rule 3: T touches a row in a mode. */
void pg_touch(const struct pg_step *step, struct pg_transaction *t, unsigned row, uint8_t mode);
/* Rule 5, its second half: T inserts, or changes to, this key. */
void pg_take_key(const struct pg_search *search, struct pg_transaction *t, int key);
/* T writes a version of a row, or deletes it (version NULL). */
void pg_write(struct pg_transaction *t, unsigned row, uint8_t mode, const struct cf_row *version);

/* ---- pg_statements.c ---- */

/* Calls `next` for each way in which the statement can go with the base t->base. */
void pg_execute(struct pg_step *step, const struct pg_transaction *t, pg_continue *next,
                void *context);

/* ---- rules about T that speak of transactions after T, too ---- */

/* pg_skips.c: rule 8. */
bool pg_skips_explained(const struct pg_search *search);
/* pg_dependencies.c; semantics.md: "the dependencies wr, ww, rw among the SER transactions are
 * acyclic". */
bool pg_dependencies_acyclic(const struct pg_search *search);

/* ---- pg_search.c ---- */

void pg_allowed(const struct cf_program *p, const struct cf_order *order, struct cf_outcomes *out);

#endif
