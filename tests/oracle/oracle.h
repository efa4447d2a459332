/* The oracle: brute-force decision procedures for small histories and small programs.
 *
 * They follow the definitions of the isolation models word by word (arbitration, visibility, EXT,
 * TRANSVIS, PREFIX, NOCONFLICT, TOTALVIS) and enumerate everything.  Nothing is shared with the
 * engines, not even a header: the oracle is what the engines are tested against.  Two procedures
 * decide histories, one by enumerating ar and vis (orc_hist_axioms), one by enumerating writers and
 * version orders and looking at graphs (orc_hist_versions); the self test makes them agree.
 *
 * To use it on your own data, fill a struct orc_history or build a struct orc_prog; all arrays are
 * small and fixed.  Everything is deterministic for a seed. */
#ifndef TESTS_ORACLE_ORACLE_H
#define TESTS_ORACLE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ORC_TXNS = 6, ORC_OPS = 8, ORC_KEYS = 6 };

/* Weakest first; each level comes after all weaker ones. */
enum orc_level {
    ORC_EC,
    ORC_RC,
    ORC_RCS,
    ORC_RA,
    ORC_CC,
    ORC_PC,
    ORC_PSI,
    ORC_SI,
    ORC_SER,
    ORC_LEVELS
};

const char *orc_level_name(enum orc_level level);
/* Whatever b allows, a allows too; a itself counts. */
bool orc_weaker_or_equal(enum orc_level a, enum orc_level b);

/* The levels of databases: for programs only (prog_server.c).  ORC_NO_SERVER: one of the above. */
enum orc_server {
    ORC_NO_SERVER,
    ORC_PG_RC,
    ORC_PG_RR,
    ORC_PG_SER,
    ORC_MY_RC,
    ORC_MY_RR,
    ORC_MY_SER,
    ORC_SERVERS
};
const char *orc_server_name(enum orc_server level);

/* ---- rules: the level of every transaction, and which orders count ---- */

/* Clocks.  A begin (where the snapshot is taken) lies somewhere between being asked for and being
 * answered, and so does a commit.  X is before Y if X was answered before Y was asked for, beyond
 * the drift (answered + drift < asked), and both stamps are there.
 * STRICT: S's commit is before T's begin: S precedes T exactly as if in one session.
 * GSI: S's commit is before T's commit: S ar T; T's begin is before S's commit: not S vis T.
 * STRONG: as GSI, and S's commit is before T's begin: S vis T. */
enum orc_realtime { ORC_RT_NONE, ORC_RT_STRICT, ORC_RT_GSI, ORC_RT_STRONG };

struct orc_rules {
    enum orc_level level[ORC_TXNS]; /* per transaction */
    bool session;                   /* SESSION on */
    enum orc_realtime realtime;     /* histories only */
    long drift;
    /* RCS has no single snapshot, so "so ⊆ vis" needs a reading.  False: the prefix of every
     * statement contains the session's earlier transactions (what PostgreSQL does).  True: only
     * so ⊆ ar, as for RC. */
    bool rcs_session_ar_only;
    /* Judge SER by the definition for mixed levels even if all transactions are SER.  (With
     * several levels that definition is used anyway.) */
    bool mixed_ser;
};

/* All transactions at one level, no real time. */
struct orc_rules orc_rules_uniform(enum orc_level level, bool session);

/* ---- histories ---- */

enum orc_status { ORC_COMMITTED, ORC_ABORTED, ORC_UNKNOWN };

/* A predicate read asks for all rows (keys) whose value is at least `least`; 0 is an absent row and
 * matches nothing.  A range read asks for the rows first … last, whatever their values. */
enum orc_rows { ORC_ITEM, ORC_PREDICATE, ORC_RANGE };
/* What a predicate read returns: the rows, or a number computed from their values. */
enum orc_aggregate { ORC_ROWS, ORC_COUNT, ORC_SUM, ORC_MIN, ORC_MAX };

struct orc_op {
    bool write;
    int key, value;
    int stmt;   /* for RCS: operations with the same number share a snapshot; never falls */
    bool named; /* an item read that says whose version it saw */
    int by;     /* … this transaction's, -1: the initial one */
    enum orc_rows rows;
    int first, last, least;
    enum orc_aggregate aggregate;
    int number;           /* of an aggregate */
    bool nothing;         /* of an aggregate: null; then `number` means nothing */
    int result[ORC_KEYS]; /* of several rows: the value of each that was returned, else 0 */
    int set[ORC_KEYS];    /* white box: the writer of each row's version, -1 the initial one */
    bool bare;            /* white box: it comes without its set (orc_hist_repeatable only) */
};

enum orc_end {
    ORC_BEGIN_ASKED,
    ORC_BEGIN_ANSWERED,
    ORC_COMMIT_ASKED,
    ORC_COMMIT_ANSWERED,
    ORC_ENDS
};

/* Transactions of one session stand in session order in the array.  An aborted transaction takes
 * no part (its reads are not judged, its writes were never visible, nothing follows it in session
 * order).  An unknown one may have committed or not; if it did, its reads count.  It may have done
 * so long after its client gave up, so give it no answer (random histories do not). */
struct orc_txn {
    enum orc_status status;
    int session;
    int n_ops;
    struct orc_op ops[ORC_OPS];
    unsigned stamped;    /* a set of enum orc_end: these times are known */
    long time[ORC_ENDS]; /* asked <= answered; the begin's not later than the commit's */
    /* White-box histories: these transactions (a set) wrote earlier versions of some key that this
     * one writes.  0 where nothing is known. */
    uint32_t after;
};

struct orc_history {
    int n_txns, n_keys;
    int init[ORC_KEYS]; /* initial value per key */
    struct orc_txn txns[ORC_TXNS];
    /* White box: the writers of every key, oldest version first; and whether predicate reads come
     * with version sets. */
    int n_versions[ORC_KEYS], version[ORC_KEYS][ORC_TXNS];
    bool sets;
};

/* What explains a history: the transactions that committed, in ar order, and what each saw.
 * For RC and RCS vis is the last visible set of the transaction. */
struct orc_witness {
    int n;
    int ar[ORC_TXNS];
    uint32_t vis[ORC_TXNS]; /* by transaction: bit s is set iff s vis it */
};

/* Is there an ar and a vis?  witness may be NULL.
 *
 * With version sets the results must be those of the sets, and what a transaction sees is compared
 * with a set up to versions that do not change the matches (hist_sets.c).  Aggregates need sets. */
bool orc_hist_axioms(const struct orc_history *h, const struct orc_rules *rules,
                     struct orc_witness *witness);
/* Is there a choice of writers and version orders whose graph is fine?  One level for all (that of
 * the first transaction); GSI and STRONG for SI only. */
bool orc_hist_versions(const struct orc_history *h, const struct orc_rules *rules);

/* White-box histories with version orders and version sets: are the results right, and the graph of
 * Adya's dependencies acyclic?  SER, SI and PC; items_only: SER without predicate anti-dependencies
 * (PL-2.99).  All transactions are committed, all values but 0 unique, items never read as 0. */
bool orc_hist_whitebox(const struct orc_history *h, enum orc_level level, bool session,
                       bool items_only);

/* Repeatable read (PL-2.99): some order of the transactions and, without version sets, some version
 * set of every predicate read.  Orders, outcomes and values are free. */
bool orc_hist_repeatable(const struct orc_history *h, bool session);

/* The value that t writes last to the key before its operation `before`; false: none, and *value
 * stays what it was. */
bool orc_last_write(const struct orc_txn *t, int before, int key, int *value);
/* Can these, a set, be the transactions that committed? */
bool orc_may_have_committed(const struct orc_history *h, uint32_t set);
/* The versions of a key as given, from 1; 0 is the initial one: which is the writer's, and what is
 * its value? */
int orc_version_place(const struct orc_history *h, int key, int writer);
int orc_version_value(const struct orc_history *h, int key, int at);
/* The aggregate over values that match; false: it is null. */
bool orc_aggregate(enum orc_aggregate a, const int *values, int n, int *number);
/* Is it what the operation returned?  The sum of nothing is null, as in SQL. */
bool orc_result_is(const struct orc_op *op, const int *values, int n);

void orc_hist_print(FILE *out, const struct orc_history *h);

/* ---- random numbers, deterministic ---- */

struct orc_rng {
    uint64_t state;
};
struct orc_rng orc_rng(uint64_t seed);
int orc_below(struct orc_rng *r, int n);          /* 0 … n-1 */
bool orc_percent(struct orc_rng *r, int percent); /* true that often */

struct orc_hist_params {
    int txns, sessions, ops, keys; /* upper bounds; ops is per transaction */
    int values;                    /* 0: every write unique; else values 1 … values, repeated */
    int aborted, unknown;          /* percent */
    int wild;                      /* percent of reads that return any value of the key at all */
    bool times, stmts;
    int versions;                    /* percent of writer pairs whose version order is known */
    int predicates, ranges, deletes; /* percent of reads, of reads, of writes */
    int updates, aggregates;         /* percent of predicate reads */
    int initial;                     /* percent of keys that have a value at first */
};

/* Runs the transactions of a random schedule against snapshots of a random kind, so that reads are
 * plausible and both verdicts are common at every level. */
void orc_hist_random(struct orc_rng *r, const struct orc_hist_params *p, struct orc_history *h);
/* With complete version orders, and version sets if asked for (for orc_hist_whitebox). */
void orc_versions_random(struct orc_rng *r, const struct orc_hist_params *p, struct orc_history *h);
void orc_whitebox_random(struct orc_rng *r, const struct orc_hist_params *p, struct orc_history *h);

/* ---- programs ---- */

enum {
    ORC_TABLES = 4,
    ORC_CELLS = 30, /* all fields of all rows */
    ORC_FIELDS = 3, /* of a row */
    ORC_DIMS = 2,   /* of a table */
    ORC_REGS = 4,
    ORC_LOOPS = 3, /* loop variables */
    ORC_PREDS = 4, /* predicates */
    ORC_PARAMS = 3,
    ORC_CHOICES = 4, /* values of a parameter */
    ORC_EXPRS = 2048,
    ORC_STMTS = 512
};

enum orc_expr_kind {
    ORC_CONST, /* a is the value */
    ORC_REG,   /* a is the register */
    ORC_PARAM, /* a is the parameter */
    ORC_CELL,  /* table a, index expression b (and d of two dimensions), field c: a read */
    ORC_LOCAL, /* field a of the struct that the transaction copied last */
    ORC_LOOP,  /* loop variable a */
    ORC_SIZE,  /* ANY: the number of rows, N */
    ORC_FRESH, /* fresh: of table a, with two dimensions of its row b */
    ORC_ADD,   /* a, b (and c of ORC_COND) are expressions from here on */
    ORC_SUB,
    ORC_MUL,
    ORC_XOR,
    ORC_EQ,
    ORC_NE,
    ORC_LT,
    ORC_LE,
    ORC_AND, /* short circuit */
    ORC_OR,  /* short circuit */
    ORC_NOT,
    ORC_COND /* a ? b : c */
};

struct orc_expr {
    enum orc_expr_kind kind;
    int a, b, c, d;
};

enum orc_stmt_kind {
    ORC_SET,        /* reg = e */
    ORC_WRITE,      /* table[index].field = e */
    ORC_IF,         /* if (e) yes else no */
    ORC_ROLLBACK,   /* ends the transaction without effect */
    ORC_RETURN,     /* ends the transaction */
    ORC_ASSUME,     /* e, or the execution does not exist */
    ORC_ASSERT,     /* e, or a failure; the transaction goes on */
    ORC_FOR_UPDATE, /* reads table[index] and locks it; no new version */
    ORC_COMPOUND,   /* table[index].field op= e: reads it, evaluates e, writes it */
    ORC_TAKE,       /* the local struct = table[index]: one read of the row */
    ORC_PUT,        /* table[index] = the local struct */
    ORC_COPY,       /* table[index] = table[from] */
    ORC_FOR,        /* for (loop variable reg = e; it < dim; it++) yes: a fold */
    ORC_BREAK,      /* ends the innermost loop */
    ORC_GIVE,       /* return e: in predicates */
    ORC_FOR_SHARE,  /* as ORC_FOR_UPDATE, in the weaker mode */
    ORC_ATOMIC,     /* ATOMIC if (e) yes else no: one UPDATE; e -1: no condition */
};

/* Statements form lists: next is the statement after, or -1.  One statement is one full expression
 * and so one snapshot for RCS (of an if: its condition).  For RC every evaluated ORC_CELL is a read
 * of its own, left to right, the value before the index; a struct is one read of its row, or one of
 * every field where each is a row of its own.  A write of some fields carries the others along as
 * the transaction last read the row, or if it never did by a read of its own.
 *
 * A fold, with all that it contains, is one statement for RCS and one read for RC and EC.  Its
 * rounds do not depend on what other rounds write, so running them in turn is one SELECT and one
 * UPDATE with the values found.
 *
 * ATOMIC changes the row table[index]: all assignments in `yes` are to it or to registers, and `no`
 * sets registers only and reads no cell.  With `many` it changes every row of the table, by the
 * loop variable `reg`, sets no registers, has no `no`, and reads of the table only the row at hand.
 * It is one statement for RCS and one read for RC and EC. */
struct orc_stmt {
    enum orc_stmt_kind kind;
    int reg, e;
    int table, index, field;
    int second;            /* the index of the second dimension, where there are two */
    int dim;               /* of ORC_FOR: the extent; 0: ANY */
    bool skips;            /* of ORC_FOR: printed with `continue` where that says the same */
    enum orc_expr_kind op; /* of ORC_COMPOUND: ADD, SUB or XOR */
    bool pointer;          /* ORC_COMPOUND: printed with a pointer to the row */
    bool many;             /* ORC_ATOMIC */
    int from;              /* index expression */
    int yes, no;
    int next;
};

struct orc_table {
    bool array; /* else rows is 1 and it prints as a scalar or struct */
    int rows;
    int fields; /* 1: plain ints; 2: struct { int f; int g; }; 3: … int h */
    int base;   /* of its first cell; cell = base + index * fields + field */
    const char *name;
    int n_dims, dim[ORC_DIMS]; /* extents; 0: ANY (then rows and base come with a size) */
    unsigned bools;            /* the fields of type bool, a set */
};

/* What a scenario does before a call, and how it makes it.  Calls are numbers plus one; 0: none.
 * Every call has a result of its own, 0 if it is not made. */
struct orc_glue {
    int assume, assume_not;                   /* assume(result != …) */
    int add;                                  /* result + 1, to no use */
    int divide, divide_not;                   /* 7 / (result - …), to no use */
    int guard, guard_is;                      /* if (result == …) */
    int arg[ORC_PARAMS], arg_add[ORC_PARAMS]; /* the parameter is result + … */
};

struct orc_ptxn {
    int session;
    int body;     /* first statement, or -1 */
    bool returns; /* … */
    int returned; /* … the value of this expression, evaluated as a statement of its own */
    struct orc_glue glue;
    int n_params;
    int n_choices[ORC_PARAMS];
    int choices[ORC_PARAMS][ORC_CHOICES]; /* the values that the parameter may have */
    bool shared[ORC_PARAMS]; /* the scenario passes one nondeterministic value to all of these */
    int same_as; /* another call of the transaction with this number minus one; 0: its first */
    /* The parameter is an index: its values are 0 … dim - 1, with dim 0: ANY - 1. */
    bool is_index[ORC_PARAMS];
    int dim[ORC_PARAMS];
};

/* A predicate of tables of any size: a body that ends with `return e`.  Its parameters mean `for
 * every value`, of a dimension or of int.  One that is no index is only ever compared, and only
 * with cells, constants and indices: then the values in and next to the range of these suffice. */
struct orc_pred {
    int body, e;
    int n_params;
    bool is_index[ORC_PARAMS];
    int dim[ORC_PARAMS];
    bool wide; /* registers print as long */
};

struct orc_prog {
    int n_tables, n_cells, n_txns, n_exprs, n_stmts;
    struct orc_table tables[ORC_TABLES];
    int init[ORC_CELLS];
    struct orc_ptxn txns[ORC_TXNS];
    struct orc_expr exprs[ORC_EXPRS];
    struct orc_stmt stmts[ORC_STMTS];
    int invariant; /* an expression over cells, or -1 */
    /* Every state after some of the transactions in the order of ar satisfies this one, too: an
     * expression over cells, its number plus one; 0: none. */
    int constraint;
    bool results; /* calls have glue; no transaction rolls back */
    /* assert(!(result == … && result == …)) at the end of the scenario; numbers as in the glue */
    int assert_first, assert_second, assert_is[2];
    bool may_leave; /* some index may be out of bounds */
    /* Some ATOMIC reads other rows than the one that it changes: what InnoDB then does at READ
     * COMMITTED was not measured, and orc_prog_axioms must not be asked. */
    bool reads_elsewhere;
    /* Tables of any size: */
    int n_preds;
    struct orc_pred preds[ORC_PREDS];
    bool has_initial; /* `init` comes with a size, from … */
    int initial;      /* … these statements */
    int size;         /* N; 0: none yet */
    bool no_scenario; /* any instances of the transactions are meant */
};

/* The program with N rows wherever it says ANY: tables laid out, indices given their values, the
 * initial state computed.  Needed before it is run.  False if INITIAL leaves a table. */
bool orc_prog_sized(const struct orc_prog *p, int size, struct orc_prog *sized);

/* The scenario around the calls (prog_calls.c).  The order in which calls stand in the text: those
 * of a session together. */
void orc_calls_in_text(const struct orc_prog *p, int order[ORC_TXNS]);
/* By call: those that it comes after, because of results or (if `session`) its session. */
void orc_calls_after(const struct orc_prog *p, const struct orc_rules *rules,
                     uint32_t after[ORC_TXNS]);
/* Is the call's guard true?  Does a division stand before it? */
bool orc_call_wanted(const struct orc_prog *p, int t, const int result[ORC_TXNS]);
bool orc_calls_may_stop(const struct orc_prog *p, int t);
enum orc_calls_end {
    ORC_CALLS_IMPOSSIBLE, /* an assumption is false, or not these calls are made */
    ORC_CALLS_DONE,
    ORC_CALLS_ASSERT_FAILED,
    ORC_CALLS_CHECK_FAILED,
};
/* What becomes of the scenario, given all results and the set of calls that were made. */
enum orc_calls_end orc_calls_judge(const struct orc_prog *p, const struct orc_rules *rules,
                                   const int result[ORC_TXNS], uint32_t made);
void orc_calls_random(struct orc_rng *r, struct orc_prog *p);

/* The transaction that call t calls: the number of its first call. */
int orc_callee(const struct orc_prog *p, int t);

/* Builders.  Each returns the new thing's number. */
void orc_prog_init(struct orc_prog *p);
int orc_table(struct orc_prog *p, const char *name, int rows, int fields); /* rows 0: a scalar */
int orc_e(struct orc_prog *p, enum orc_expr_kind kind, int a, int b, int c);
int orc_num(struct orc_prog *p, int value);
int orc_reg(struct orc_prog *p, int reg);
int orc_cell(struct orc_prog *p, int table, int index, int field); /* index a constant */
int orc_s(struct orc_prog *p, struct orc_stmt s);       /* s.next is ignored: a list of one */
int orc_seq(struct orc_prog *p, int first, int second); /* joins two lists; -1 is empty */
int orc_set(struct orc_prog *p, int reg, int e);
int orc_write(struct orc_prog *p, int table, int index, int field, int e); /* index a constant */
int orc_if(struct orc_prog *p, int e, int yes, int no);
int orc_assert(struct orc_prog *p, int e);
int orc_txn(struct orc_prog *p, int session, int body);

struct orc_run {
    struct orc_rules rules;
    bool by_field;           /* --granularity field */
    bool observe_snapshots;  /* --observe snapshots; at most ORC_TXNS - 1 transactions then */
    enum orc_level observer; /* the observer's level */
    bool serial;             /* find out `not_serial`; the search stops there */
    bool all;                /* do not stop at the first violation: all final states wanted */
    /* The levels of databases, for all transactions or for none: then the levels above mean
     * nothing, every St(i) is observed with observe_snapshots, and `by_field` and `serial` must be
     * false.  Levels of one database may be mixed, but not SERIALIZABLE with others. */
    enum orc_server server[ORC_TXNS];
};

struct orc_outcome {
    bool exists; /* some execution satisfies all assumptions */
    /* In executions in which all assumptions hold and nothing leaves an array: */
    bool invariant_violated;  /* in a final state; with observe_snapshots, in any seen state */
    bool initially_violated;  /* by the initial state; not counted in the line above */
    uint32_t preds;           /* the predicates that a final state violates; bit i: number i */
    uint32_t preds_initially; /* … that the initial state violates */
    bool assert_failed;
    bool out_of_bounds;       /* some execution leaves an array: it counts for nothing else */
    bool divided;             /* some execution divides by zero in the scenario: likewise */
    bool not_serial;          /* some execution that counts is equivalent to no serial one */
    long executions;          /* leaves visited that count */
    int fewest_writes;        /* rows written by an execution that ends in a state that violates the
                               * invariant, each counted once per writer; -1: none.  With `all`. */
    int n_finals;             /* distinct final states; complete only with `all` */
    int (*finals)[ORC_CELLS]; /* sorted; free() it */
};

struct orc_run orc_run_uniform(enum orc_level level, bool session);
struct orc_run orc_run_server(enum orc_server level, bool session);
struct orc_outcome orc_prog_axioms(const struct orc_prog *p, const struct orc_run *run);

/* Any up to n instances of the program's transactions, each in a session of its own.  All at
 * run->rules.level[0]; `finals` and `executions` are not counted. */
struct orc_any {
    struct orc_outcome outcome; /* fewest_writes: with the fewest transactions */
    int fewest_txns;            /* that violate the invariant; -1: none */
};
struct orc_any orc_prog_any(const struct orc_prog *p, const struct orc_run *run, int n);

/* The same question about a program of a size, in a way that takes less time: executions that no
 * later transaction can tell apart are extended once.  One level for all.  Index k of the arrays
 * says what up to k transactions can do. */
struct orc_instances {
    bool complete;                /* else the work was too much, and only true answers count */
    long work;                    /* transactions run */
    bool exists[ORC_TXNS + 1];    /* some execution of 1 … k transactions */
    uint32_t preds[ORC_TXNS + 1]; /* violated by a final state, or initially */
    bool assert_failed[ORC_TXNS + 1];
    bool out_of_bounds[ORC_TXNS + 1];
};
struct orc_instances orc_prog_instances(const struct orc_prog *p, enum orc_level level, int n,
                                        long work);

struct orc_prog_params {
    int txns, sessions, stmts; /* upper bounds; sessions 0: each transaction its own */
    bool params, arrays, structs, for_update, rollbacks, asserts;
    bool repeats; /* one transaction may be called twice, one value be passed to several */
    bool wide;    /* rows of two and three fields, compound assignments, copies of structs */
    bool checks;  /* assumptions anywhere, indices that may be out of bounds */
    bool locks;   /* half of the transactions lock a row first, often the same one */
    bool results; /* transactions return something, and the scenario makes use of it */
    bool servers; /* the invariant tells levels of databases apart, not models */
    bool atomic;  /* ATOMIC and for_share, in programs for databases */
    bool constraint;
};

/* Random programs on tables of any size, of several kinds; *mutated: with a mistake in it that it
 * may or may not survive.  Their predicates may be violated initially. */
enum { ORC_FAMILIES = 12 };
const char *orc_family_name(int family);
void orc_tables_random(struct orc_rng *r, struct orc_prog *p, int family, bool *mutated);

/* The invariant and the constraint of a random program hold initially; without `checks` no
 * execution leaves an array.
 */
void orc_prog_random(struct orc_rng *r, const struct orc_prog_params *params, struct orc_prog *p);
/* As C in the verifier's language, with one SCENARIO unless there is none; word is "INVARIANT" or
 * "FINAL". */
void orc_prog_print(FILE *out, const struct orc_prog *p, const char *word);

#endif
