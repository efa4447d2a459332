/* The levels of databases as axioms, by enumeration.
 *
 * A program is a table t(k primary key, v), its rows at the start, and a few transactions of a few
 * statements, each at a level of its own.  cf_allowed() gives every outcome that the axioms of
 * docs/databases.md (*Executions of statements*) allow: the order of commits, what each statement
 * of each transaction that commits returns, and the rows in the end.  Nothing is approximated.
 *
 * Aborts are always possible and have no effect, so an outcome names the transactions that commit;
 * a transaction that rolls back by itself is never among them. */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CF_TRANSACTIONS = 4,
    CF_STATEMENTS = 4, /* of a transaction */
    CF_KEYS = 8,       /* keys are 0 … CF_KEYS - 1 */
    /* Rows with an identity of their own: those of the start, and one for each INSERT. */
    CF_ROWS = CF_KEYS + CF_TRANSACTIONS * CF_STATEMENTS,
    /* A snapshot has each key once, and the transaction's own rows come on top. */
    CF_RESULT_ROWS = CF_KEYS + CF_STATEMENTS,
    CF_TEXT = 600 /* enough for the notation of every program */
};

/* The levels, by their names in docs/databases.md. */
enum cf_level { CF_PG_RC, CF_PG_RR, CF_PG_SER, CF_MY_RC, CF_MY_RR, CF_MY_SER, CF_LEVELS };
const char *cf_level_name(enum cf_level level);
bool cf_is_pg(enum cf_level level);

enum cf_kind {
#define STATEMENT(NAME, text, arguments, mode, writes) CF_##NAME,
#include "tests/conformance/statements.def"
    CF_KINDS
};
enum cf_comparison { CF_AT_LEAST, CF_AT_MOST, CF_EQUAL, CF_COMPARISONS };

struct cf_statement {
    enum cf_kind kind;
    int key;   /* by key: of this row */
    int value; /* set, ins, ups, insn, updp: the new value; upk: the new key */
    /* By predicate: v op constant. */
    enum cf_comparison op;
    int constant;
    bool increment; /* updp: v = v + 1 instead of v = value */
};

struct cf_row {
    int key, value;
};

struct cf_transaction {
    enum cf_level level;
    unsigned statements;
    struct cf_statement statement[CF_STATEMENTS];
    bool rolls_back; /* ends with ROLLBACK instead of COMMIT */
};

struct cf_program {
    unsigned rows; /* at the start */
    struct cf_row row[CF_KEYS];
    unsigned transactions;
    struct cf_transaction transaction[CF_TRANSACTIONS];
};

/* The notation: `1:0 2:1 | pg-rc inc 1; agg >= 1; commit | pg-rr updp <= 1 set 3; rollback`.
 * cf_program_read returns NULL, or what is wrong; cf_program_write needs CF_TEXT bytes. */
const char *cf_program_read(struct cf_program *p, const char *text);
void cf_program_write(const struct cf_program *p, char text[static CF_TEXT]);
/* NULL, or why the levels of this library say nothing about the program: levels of two databases,
 * and the statements and mixtures that were never measured. */
const char *cf_unsupported(const struct cf_program *p);

/* What a statement returns: its rows, sorted.  A writing statement at pg-* returns the rows that it
 * writes (RETURNING), at my-* only how many rows it found; ups and insn return nothing there.  agg
 * returns one row: count and sum. */
struct cf_result {
    int rows;
    struct cf_row row[CF_RESULT_ROWS]; /* unused ones, and those of a mere count, are zero */
};

struct cf_outcome {
    unsigned commits; /* how many transactions commit */
    uint8_t order[CF_TRANSACTIONS];
    struct cf_result result[CF_TRANSACTIONS][CF_STATEMENTS]; /* of those that commit */
    struct cf_result end;                                    /* the rows in the end */
};
/* As text: `commits T1 T0; T1 returns (1:0) (); T0 returns (2:1); in the end (1:0 2:1)`; a mere
 * count of rows is a number. */
void cf_outcome_print(FILE *to, const struct cf_program *p, const struct cf_outcome *o);

bool cf_outcome_same(const struct cf_outcome *a, const struct cf_outcome *b);

/* A set of outcomes.  A zeroed struct is empty. */
struct cf_outcomes {
    struct cf_outcome *data;
    size_t count, capacity;
    uint32_t *slot; /* a hash table of numbers of outcomes + 1 */
    size_t slots;
};
/* Returns false if the outcome was in the set already. */
bool cf_outcomes_add(struct cf_outcomes *set, const struct cf_outcome *o);
bool cf_outcomes_has(const struct cf_outcomes *set, const struct cf_outcome *o);
void cf_outcomes_clear(struct cf_outcomes *set);
void cf_outcomes_free(struct cf_outcomes *set);

struct cf_order {
    unsigned commits;
    uint8_t order[CF_TRANSACTIONS];
};

/* Adds every outcome that the levels allow in which exactly these transactions commit, in this
 * order.  NULL: in which all transactions commit that do not roll back by themselves, in every
 * order.  The program is one for which cf_unsupported returns NULL. */
void cf_allowed(const struct cf_program *p, const struct cf_order *order, struct cf_outcomes *out);

#endif
