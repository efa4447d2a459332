/* Inside the oracle: the machine that runs one transaction of a program after the other.
 *
 * All freedom (who is next in ar, what it sees, the values of its parameters, which row is fresh)
 * goes through orc_pick(), and the execution is run again for every sequence of picks: an odometer
 * over choices.  A transaction only sees earlier ones, whose writes are known by then, so running
 * it is plain interpretation. */
#ifndef TESTS_ORACLE_PROG_MACHINE_H
#define TESTS_ORACLE_PROG_MACHINE_H

#include "tests/oracle/axioms.h"

enum { ORC_PICKS = 512, ORC_SEEN = 512 };

/* The odometer. */
struct orc_picks {
    int n, pos;
    int digit[ORC_PICKS], limit[ORC_PICKS];
};

enum orc_state { ORC_RUNNING, ORC_BROKEN, ORC_RETURNED, ORC_ROLLED_BACK, ORC_IMPOSSIBLE };

/* A read from outside: transaction t saw the version of the row that `writer` wrote (-1: initial).
 */
struct orc_saw {
    int t, row, writer;
};

struct orc_machine;

/* Where a machine reads and writes, if not by the axioms of the abstract models.  A statement
 * begins, of which the expression `also` is part (-1: none); reads, assignments and locks of the
 * row with that cell. */
struct orc_store {
    void (*begin)(struct orc_machine *m, int stmt, int also);
    void (*read)(struct orc_machine *m, int cell, int n, int *out);
    void (*write)(struct orc_machine *m, int cell, int n, const int *values);
    void (*lock)(struct orc_machine *m, int cell, bool share);
    void (*atomic)(struct orc_machine *m, const struct orc_stmt *s, int cell);
};

/* At the levels of databases: the order of commits as far as it is known, and where in it the
 * statements of this transaction are.  Its own position is the number of those placed. */
struct orc_server_txn {
    int state[ORC_TXNS + 1][ORC_CELLS]; /* St(i): after the first i commits */
    uint32_t shares[ORC_TXNS];          /* by transaction: the rows that it locked for share */
    uint32_t reads;                     /* the cells that this statement may read */
    /* this transaction */
    enum orc_server level;
    int floor;           /* the end of the last statement: no new base is before it */
    int base;            /* of this statement, or of the transaction where it has one; -1: none */
    uint32_t own;        /* the cells that it has assigned, with values in `own` */
    uint32_t changed;    /* the rows that its earlier statements changed … */
    uint32_t changing;   /* … and those that this one changes */
    uint32_t shared;     /* the rows that it locked for share */
    int target;          /* ATOMIC: the first cell of the row at hand; -1: none */
    uint32_t assigned;   /* … its columns that are assigned … */
    int row[ORC_FIELDS]; /* … and the values of all */
};

struct orc_machine {
    const struct orc_prog *p;
    const struct orc_run *run;
    struct orc_rules rules;
    struct orc_orders orders;
    bool mixed;
    int n_txns;          /* with the observer */
    int unit[ORC_CELLS]; /* of versions and conflicts, by cell: its row's first cell, or itself */
    struct orc_picks picks;
    /* this execution */
    struct orc_exec x;
    int value[ORC_TXNS][ORC_CELLS]; /* what each placed transaction wrote */
    bool assert_failed, observed_bad, out_of_bounds;
    bool divided;
    int n_saw;
    struct orc_saw saw[ORC_SEEN]; /* all reads */
    int shared;                   /* the scenario's value */
    int result[ORC_TXNS];
    uint32_t made;  /* calls */
    uint32_t taken; /* the rows that calls of fresh got, by their first cells */
    /* this transaction */
    int t;
    enum orc_state state;
    uint32_t v;       /* its visible set so far */
    uint32_t some;    /* EC: what was visible to one of its reads */
    bool stmt_chosen; /* RCS: this statement has its prefix; this fold has its set */
    bool in_fold;
    uint32_t written, locked, seen; /* rows; seen: read from outside, with the values in `last` */
    bool failed;                    /* one of its assertions */
    long given;                     /* by a predicate */
    int own[ORC_CELLS], last[ORC_CELLS], local[ORC_FIELDS];
    int regs[ORC_REGS], params[ORC_PARAMS];
    long loops[ORC_LOOPS];
    const struct orc_store *store; /* NULL: the axioms of the abstract models */
    struct orc_server_txn server;  /* … of orc_server_store */
};

/* The extent of a dimension. */
static inline int orc_extent(const struct orc_prog *p, int dim)
{
    return dim ? dim : p->size;
}

/* A choice among n, and the next sequence of choices; false when there is none. */
int orc_pick(struct orc_picks *k, int n);
bool orc_picks_advance(struct orc_picks *k);

/* A machine for the program, nothing placed. */
void orc_machine_init(struct orc_machine *m, const struct orc_prog *p, const struct orc_run *run);
enum orc_level orc_machine_level(const struct orc_machine *m);
/* The set that transaction m->t starts with: a choice, or for EC, RC and RCS the least allowed. */
bool orc_machine_start(struct orc_machine *m);
void orc_machine_clear(struct orc_machine *m, int t); /* before it runs transaction t */
long orc_machine_eval(struct orc_machine *m, int e);
void orc_machine_run(struct orc_machine *m, int s); /* a list of statements */
/* Robustness (prog_serial.c): does some order of the transactions explain what all reads saw and
 * which version of each row is the last?  before[t]: those that come before t in every order. */
bool orc_machine_is_serial(const struct orc_machine *m, const uint32_t before[ORC_TXNS]);
/* The parts that all searches share (prog_axioms.c).  The value that the scenario shares out. */
void orc_machine_choose_shared(struct orc_machine *m);
/* What sessions and results ask of the order. */
void orc_machine_find_orders(struct orc_machine *m);
/* Runs call t, if it is made; false if there is no such execution. */
bool orc_machine_call(struct orc_machine *m, int t);
/* All calls are placed: the scenario's own part; false if there is no such execution. */
bool orc_machine_finish(struct orc_machine *m);
void orc_machine_record(struct orc_machine *m, struct orc_outcome *out);
/* Nothing more can be learnt. */
bool orc_machine_enough(const struct orc_machine *m, const struct orc_outcome *out);
bool orc_machine_invariant(const struct orc_machine *m, const int state[ORC_CELLS]);
bool orc_machine_constraint(const struct orc_machine *m, const int state[ORC_CELLS]);

/* The levels of databases (prog_server.c). */
extern const struct orc_store orc_server_store;
void orc_server_start(struct orc_machine *m, int t); /* transaction t is next in ar */
struct orc_outcome orc_prog_server(const struct orc_prog *p, const struct orc_run *run);

/* The state of the set v of placed transactions. */
void orc_machine_show(const struct orc_machine *m, uint32_t v, int state[ORC_CELLS]);
/* The expression's value in a state; the predicates that a state violates.  *left: an index was out
 * of bounds. */
long orc_machine_on_state(const struct orc_machine *m, const int state[ORC_CELLS], int e);
uint32_t orc_machine_preds(const struct orc_machine *m, const int state[ORC_CELLS], bool *left);

#endif
