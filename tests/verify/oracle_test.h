/* The verifier against the oracle: what the questions share.  See verify_oracle.c. */
#ifndef TESTS_VERIFY_ORACLE_TEST_H
#define TESTS_VERIFY_ORACLE_TEST_H

#include "encode/verify.h"
#include "tests/oracle/oracle.h"

enum kind {
    UNIFORM,      /* one model for all transactions */
    OPTIONS,      /* without session order, by field, on snapshots, in any combination */
    MIXED,        /* a level for each transaction, with those options */
    SLOTS,        /* the slot encoding */
    PROOF,        /* the proof rule; what it proves is tried with three and four instances */
    ANY,          /* any instances instead of the scenario */
    MINIMAL,      /* executions with the fewest transactions and writes */
    WEAKEST,      /* the weakest models, and the weakest level for each transaction */
    ROBUST,       /* is every execution equivalent to a serial one? */
    SERVER,       /* the levels of databases, also mixed */
    SERVER_PROOF, /* … and the proof rule there, tried with any three instances */
    KINDS
};

struct tally {
    long asked[KINDS], wrong[KINDS], violated[KINDS], proved;
    long robust_proved; /* by the static argument, for any number of transactions */
};

struct test {
    const char *headers, *folder;
    char path[4096];
    struct orc_prog prog;
    const char *word; /* INVARIANT or FINAL */
    struct orc_rng rng;
    uint64_t seed;
    struct tally *tally;
    struct ast_program *ast;
    struct verify_program *by_row, *by_field;
    struct z3ctx_pool *pool;
    const struct verify_judge *judge;
    bool kept;
};

const struct model *test_model(enum orc_level level);
/* Counts a disagreement and keeps the program. */
void test_complain(struct test *t, enum kind kind, const char *level, const char *what, bool oracle,
                   enum verify_status mine, const char *reason);
/* The verdicts fit what the oracle says. */
void test_agree(struct test *t, enum kind kind, const char *level, const struct orc_outcome *truth,
                const struct verify_result *r);
/* The worst verdict on properties of the kind, or NULL. */
const struct verify_verdict *test_worst(const struct verify_result *r,
                                        enum verify_property_kind kind);
/* The number of the TRANSACTION that call i calls, in the order of the file. */
int test_callee(const struct orc_prog *p, int i);

/* oracle_search.c */
void ask_any(struct test *t, enum orc_level level, int n);
void ask_minimal(struct test *t, enum orc_level level);
void ask_weakest(struct test *t);

/* oracle_robust.c */
void ask_robust(struct test *t);

/* oracle_server.c */
void ask_server(struct test *t);

#endif
