/* A history: what the clients of a database saw.
 *
 * Everything is in flat arrays with 32-bit indices, so that a million transactions of eight
 * operations take about 150 MB.  The readers (history/format/) and the decoder of counterexamples
 * fill it through the builder below; the engine, the certificate checker and the reports only read
 * it.
 *
 *     struct history *h = hist_new();
 *     hist_set_initial_default(h, hist_int(0));
 *     uint32_t s = hist_add_session(h, "client 1");
 *     hist_begin_txn(h, s);
 *     hist_write(h, hist_key_int(h, 7), hist_int(42));
 *     hist_read(h, hist_key_str(h, "x", 1), hist_null());
 *     hist_end_txn(h, HIST_COMMITTED);
 *     const char *error = hist_finish(h);     // NULL: the history is whole and consistent
 *
 * Transactions are added one at a time, whole; those of one session in session order, sessions in
 * any interleaving.  Builder calls do not return errors: the first mistake (an operation outside a
 * transaction, more than 2^32 operations, …) is remembered and hist_finish returns it, so that
 * parsers need no error path per call.
 *
 * Values are 64-bit integers.  A format whose values are not all integers interns *every* value's
 * text with hist_value_text and uses the id as the integer; `value_names` then gives it back.
 *
 * Which write a read saw is found by (key, value); duplicates are allowed and make the writer a
 * choice.  Where the format says more, the write carries a *write id* (hist_write_id) and the read
 * carries the id of the write that it saw: then (key, write id) decides, and the values must agree
 * as well.
 *
 * List reads share storage: a list that is a prefix of a list read from the same key is not stored
 * again (struct hist_list). */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#define HIST_NONE UINT32_MAX
#define HIST_NO_TIME INT64_MIN
#define HIST_NO_LABEL UINT64_MAX

enum hist_status {
    HIST_COMMITTED,
    HIST_ABORTED, /* had no effect: nobody may read from it, and its own reads prove nothing */
    HIST_UNKNOWN  /* may have committed or not; it did if a committed transaction read from it */
};

enum hist_kind {
    HIST_READ,
    HIST_WRITE,
    HIST_APPEND,   /* add the value at the end of a list */
    HIST_LIST_READ /* read a whole list */
};

/* The levels for which a lowered history with version sets is correct (lower.h). */
enum hist_predicates_for {
    HIST_FOR_ALL,
    HIST_FOR_STRONG, /* not rc, ra and cc: versions that matter to them are left out */
    HIST_FOR_CAUSAL  /* cc and above: versions that session order makes visible are left out */
};

enum hist_op_flags {
    HIST_OP_NULL = 1,       /* the value is "absent": a read of nothing, a write that deletes */
    HIST_OP_INITIAL = 2,    /* a read that the format says is of the initial version */
    HIST_OP_SAME_STMT = 4,  /* in the same statement as the operation before it */
    HIST_OP_FAILED = 8,     /* the operation had no effect, and its result means nothing */
    HIST_OP_ANY = 16,       /* a row of an aggregate: a read of an unknown version */
    HIST_OP_SAME_READ = 32, /* a row of the same predicate read as the operation before it */
    HIST_OP_NOT_FOUND = 64  /* a read of a key that a range did not return; only for reports */
};

struct hist_op {
    uint32_t key;
    uint8_t kind, flags;
    uint16_t unused;
    union {
        int64_t value;
        struct {
            uint32_t start, len; /* HIST_LIST_READ: a range of history.lists */
        } list;
    };
};

/* Real time.  A client knows when it asked for the begin and for the commit of a transaction and
 * when each was answered.  The snapshot was taken somewhere in the first interval (where the
 * database takes it with the first statement, the answer to that statement ends the interval), and
 * the commit happened somewhere in the second.  A server's own time stamps are intervals of length
 * zero. */
struct hist_times {
    int64_t begin_asked, begin_answered, commit_asked, commit_answered; /* or HIST_NO_TIME */
};

struct hist_txn {
    uint32_t session;
    uint32_t index; /* position in its session, from 0, all statuses counted */
    uint32_t first_op, op_count;
    uint32_t line; /* where it begins in its file, from 1; 0: not known */
    uint8_t status;
};

struct hist_value {
    int64_t value;
    bool null;
};

struct hist_key_name {
    int64_t number;
    uint32_t text; /* id in key_texts, or HIST_NONE: the name is the number */
    /* A key that is neither a number nor a string, such as ["orders",3], has its JSON as text,
     * including the terminating NUL, so that the string with the same letters is another key. */
};

struct hist_initial {
    uint32_t key;
    struct hist_value value;
};

/* A line of a file. */
struct hist_place {
    const char *path; /* NULL: that of the history */
    uint64_t line;    /* from 1; 0: not known */
};

struct hist_version_order {
    uint32_t key;
    uint32_t start, len; /* a range of version_ops: operations, oldest first */
    struct hist_place place;
};

struct hist_pair {
    uint32_t from, to;
};

/* A condition on a row: a field of its value ("value": the value itself, "key": the row's key)
 * compared with a number, a text or a truth value.  A row without the field, or with another type
 * in it, does not match; integers and decimals are one type. */
enum hist_compare { HIST_EQ, HIST_NE, HIST_LT, HIST_LE, HIST_GT, HIST_GE };
enum hist_type {
    HIST_INT,
    HIST_TEXT,
    HIST_DECIMAL,
    HIST_BOOL,
    HIST_OPEN /* no constant: the range has no bound at this end */
};
struct hist_condition {
    uint32_t field; /* id in texts */
    uint8_t compare, type;
    int64_t value; /* HIST_TEXT, HIST_DECIMAL (decimal.h): id in texts */
};

/* A read of the rows that match all conditions, or of an aggregate over them.  The reads of the
 * rows that it returned are ordinary operations, ops[first_op … first_op + rows), so that code that
 * knows nothing of predicates still sees the items.  A range of keys needs nothing else: every key
 * of the history that lies in the range is read, those that were not returned as null. */
enum hist_predicate_kind { HIST_ROWS, HIST_RANGE, HIST_COUNT, HIST_SUM, HIST_MIN, HIST_MAX };
struct hist_predicate {
    uint32_t txn;
    uint32_t first_op, rows;
    uint32_t conditions, condition_count; /* a range of history.conditions */
    uint8_t kind;
    bool failed;
    bool any; /* a lowered aggregate: its rows are reads of unknown versions (lower.h) */
    bool old; /* the rows may also be old versions (lower_repeatable.c) */
    bool same_stmt, next_same; /* in the same statement as the operation before it, after it */
    /* The version set is known; rows that it does not name are initial. */
    bool has_set;
    uint32_t set, set_count;  /* a range of history.set_ops: write operations */
    uint32_t field;           /* of an aggregate: id in texts, or HIST_NONE */
    struct hist_value result; /* of an aggregate; a plain integer */
};

/* A kind that exists only while building: hist_finish replaces it by the reads of its rows. */
#define HIST_PREDICATE 0x80

struct hist_row; /* builder only: a returned row */

/* A row that a predicate read without version set did not return; `number` counts the predicate
 * reads of the transaction, from 0. */
struct hist_missing_row {
    uint32_t txn, number, key;
};

/* The longest list that was read from a key.  Unless it is forked, every list read from the key is
 * a prefix of it and, once the history is finished, starts at the same index. */
struct hist_list {
    uint32_t start, len, cap;
    bool forked;
};

/* Derived from what was recorded, by hist_finish: the transactions of session s, in order, are
 * session_txns[session_start[s] … session_start[s + 1]). */
struct hist_index {
    uint32_t *session_start, *session_txns;
    struct map sessions_by_number; /* the reverse of session_numbers */
};

/* Derived by lowering predicate reads (lower/lower.h); empty in a history as it was recorded. */
struct hist_lowered {
    uint32_t keys;      /* so many of the last keys are rows as a predicate sees them */
    VEC(uint32_t) rows; /* for these keys: the rows */
    VEC(uint32_t)
    texts;        /* for these keys: the predicate, as an id in texts; HIST_NONE: none, it is
                   * a row of an aggregate */
    uint8_t view; /* enum hist_predicates_for: the levels for which the keys are correct */
    /* Only missing_rows of the rows that were not returned were lowered; false: all of them. */
    bool some_missing_rows;
    bool exact_sets; /* lowered with lower_options.exact, which asks for more than the level */
    VEC(struct hist_missing_row) missing_rows;
};

struct history {
    VEC(struct hist_txn) txns;
    VEC(struct hist_op) ops;
    VEC(int64_t) lists;
    VEC(struct hist_list) key_lists; /* by key; empty if no list is read */
    VEC(struct hist_key_name) keys;

    VEC(uint32_t) session_names; /* ids in texts; HIST_NONE: none */
    VEC(uint32_t) session_files; /* ids in texts of their log files; empty: all are in one file */
    bool bytes; /* the file is binary: the `line` of a transaction is a byte offset */
    uint32_t session_count;
    uint64_t *session_numbers; /* by session: its unique number in reports */
    struct hist_index index;

    /* Optional, parallel to txns; NULL if no transaction has one. */
    struct hist_times *times;
    uint64_t *labels; /* the format's own number of the transaction */
    uint32_t *names;  /* ids in texts: "withdraw(1, 5)" */

    /* Optional, parallel to ops; NULL if no operation has one.  0: none. */
    uint64_t *write_ids;

    /* The state before the first transaction: the default, and the keys that differ from it. */
    struct hist_value initial_default;
    VEC(struct hist_initial) initials;

    /* Version orders known from outside (white-box histories). */
    VEC(struct hist_version_order) version_orders;
    VEC(uint32_t) version_ops;
    bool version_orders_complete;     /* every key has a complete order, */
    struct hist_place complete_place; /* … and where that is said */

    /* Reads of several rows, by transaction and operation. */
    VEC(struct hist_predicate) predicates;
    VEC(struct hist_condition) conditions;
    VEC(uint32_t) set_ops;
    struct hist_lowered lowered;

    /* How an exported counterexample ran: all committed transactions in arbitration order, and
     * which transaction saw which.  Empty if not known.  For reports only; the engine does not use
     * it. */
    VEC(uint32_t) arbitration;
    VEC(struct hist_pair) visibility;

    struct intern key_texts, texts;
    struct intern value_names; /* non-empty: every value is an id in this table */
    struct map key_numbers;    /* number to key */
    VEC(uint32_t) key_of_text; /* id in key_texts to key */
    const char *source;        /* file name, or "" */

    /* Builder state. */
    struct arena arena;
    uint32_t current; /* open transaction, or HIST_NONE */
    bool finished;
    const char *error;
    uint32_t error_txn; /* the transaction of hist_finish's error, or HIST_NONE */
    VEC(struct hist_row) open_rows;
    size_t side_txns_cap, side_ops_cap;
};

/* --- building ------------------------------------------------------------------------------ */

struct history *hist_new(void);
void hist_free(struct history *h);

static inline struct hist_value hist_int(int64_t v)
{
    return (struct hist_value){v, false};
}
static inline struct hist_value hist_null(void)
{
    return (struct hist_value){0, true};
}
/* The integer that stands for a text, see above. */
int64_t hist_value_text(struct history *h, const char *s, size_t n);

void hist_set_source(struct history *h, const char *name);
/* Keys: a number and a text never name the same key. */
uint32_t hist_key_int(struct history *h, int64_t number);
uint32_t hist_key_str(struct history *h, const char *s, size_t n);
/* A key that is canonical JSON (json.h): an array, a decimal, true or false. */
uint32_t hist_key_literal(struct history *h, const char *s, size_t n);

/* The default is null ("absent") unless set. */
void hist_set_initial_default(struct history *h, struct hist_value v);
void hist_set_initial(struct history *h, uint32_t key, struct hist_value v);

uint32_t hist_add_session(struct history *h, const char *name); /* name may be NULL */
/* The same for formats with one file per session. */
uint32_t hist_add_log(struct history *h, const char *name, const char *path);
/* The path of the session's own file, or NULL. */
const char *hist_session_file(const struct history *h, uint32_t session);

uint32_t hist_begin_txn(struct history *h, uint32_t session);
void hist_end_txn(struct history *h, enum hist_status status);
/* The times of the open transaction.  hist_txn_times: when the client asked for the begin, and when
 * it was told of the commit; the two other times are not known. */
void hist_txn_times(struct history *h, int64_t begin, int64_t commit);
void hist_txn_intervals(struct history *h, struct hist_times times);
void hist_txn_label(struct history *h, uint64_t label);
void hist_txn_name(struct history *h, const char *name);
void hist_txn_line(struct history *h, uint64_t line);

/* Add an operation to the open transaction.  Each returns the operation's index. */
uint32_t hist_read(struct history *h, uint32_t key, struct hist_value v);
uint32_t hist_read_initial(struct history *h, uint32_t key, struct hist_value v);
uint32_t hist_write(struct history *h, uint32_t key, struct hist_value v);
uint32_t hist_append(struct history *h, uint32_t key, int64_t value);
uint32_t hist_list_read(struct history *h, uint32_t key, const int64_t *values, size_t n);
/* Prefetching: a list of the key will be added soon, or next.  The list that it will be compared
 * with can be anywhere in memory, and readers of large files know the next lists early enough. */
static inline void hist_list_soon(const struct history *h, uint32_t key)
{
    if (key < h->key_lists.len)
        __builtin_prefetch(&h->key_lists.data[key]);
}
static inline void hist_list_next(const struct history *h, uint32_t key)
{
    if (key < h->key_lists.len) {
        const int64_t *list = h->lists.data + h->key_lists.data[key].start;
        for (uint32_t i = 0; i < h->key_lists.data[key].len && i < 32; i += 8)
            __builtin_prefetch(list + i);
    }
}
/* Of the last operation.  id 0 means none. */
void hist_write_id(struct history *h, uint64_t id);
void hist_op_flag(struct history *h, enum hist_op_flags flag);

/* A read of several rows: then its conditions, rows and result, in any order.  Rows are not for
 * aggregates; `id`: the write id that was seen, or 0. */
uint32_t hist_predicate_read(struct history *h, enum hist_predicate_kind kind);
void hist_condition_int(struct history *h, const char *field, size_t n, enum hist_compare c,
                        int64_t value);
/* type: HIST_INT, HIST_BOOL or HIST_OPEN; HIST_TEXT or HIST_DECIMAL. */
void hist_condition_number(struct history *h, const char *field, size_t n, enum hist_compare c,
                           enum hist_type type, int64_t value);
void hist_condition_text(struct history *h, const char *field, size_t n, enum hist_compare c,
                         enum hist_type type, const char *text, size_t len);
void hist_returned_row(struct history *h, uint32_t key, struct hist_value v, uint64_t id);
void hist_aggregate(struct history *h, const char *field, size_t n, struct hist_value result);
/* A row of an aggregate, read in some version. */
void hist_any_row(struct history *h, uint32_t key);
/* The version set of the predicate read `op`: write operations. */
void hist_version_set(struct history *h, uint32_t op, const uint32_t *ops, size_t n);

/* The versions of a key, oldest first, as write operations. */
void hist_add_version_order(struct history *h, uint32_t key, const uint32_t *ops, size_t n);
void hist_version_order_place(struct history *h, struct hist_place place); /* of the last one */

/* Check what the builder could not, and make the session index.  NULL, or an error message (owned
 * by the history).  Nothing may be added afterwards. */
const char *hist_finish(struct history *h);
/* The index of the first predicate read of `txn` or a later transaction. */
uint32_t hist_first_predicate(const struct history *h, uint32_t txn);

/* --- reading ------------------------------------------------------------------------------- */

static inline const struct hist_op *hist_txn_ops(const struct history *h, uint32_t txn)
{
    return h->ops.data + h->txns.data[txn].first_op;
}
static inline bool hist_key_is_literal(const struct history *h, uint32_t key)
{
    uint32_t text = h->keys.data[key].text;
    if (text == HIST_NONE || !h->key_texts.lengths.data[text])
        return false;
    return !intern_name(&h->key_texts, text)[h->key_texts.lengths.data[text] - 1];
}
static inline struct hist_value hist_op_value(const struct hist_op *op)
{
    return (struct hist_value){op->value, op->flags & HIST_OP_NULL};
}
static inline bool hist_value_eq(struct hist_value a, struct hist_value b)
{
    return a.null == b.null && (a.null || a.value == b.value);
}
/* All four are HIST_NO_TIME if nothing is known. */
static inline struct hist_times hist_txn_time(const struct history *h, uint32_t txn)
{
    return h->times ? h->times[txn]
                    : (struct hist_times){HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME};
}
/* Which transaction an operation belongs to (binary search). */
uint32_t hist_op_txn(const struct history *h, uint32_t op);
/* The same for all operations, and per key whether it is a list; free with mem_free. */
uint32_t *hist_op_txns(const struct history *h);
uint8_t *hist_list_keys(const struct history *h);
/* The initial value of every key, in one array of keys.len entries; free with mem_free. */
struct hist_value *hist_initial_values(const struct history *h);

struct strbuf;
void hist_key_text(const struct history *h, uint32_t key, struct strbuf *out);
void hist_value_to_text(const struct history *h, struct hist_value v, struct strbuf *out);
/* "read(x) = 3", "write(x, 4)", "append(x, 5)", "read(x) = [1 2 5]". */
void hist_op_text(const struct history *h, uint32_t op, struct strbuf *out);
/* "T17" by label, the name, or "T3.5": the sixth transaction of the fourth session. */
void hist_txn_text(const struct history *h, uint32_t txn, struct strbuf *out);
/* Sentences: "transaction T17 …", and "read(x) = 3 of T17 …". */
const char *hist_of_txn(const struct history *h, uint32_t txn, const char *what, struct arena *a);
const char *hist_of_op(const struct history *h, uint32_t op, const char *what, struct arena *a);
/* The session's name, or its number. */
void hist_session_text(const struct history *h, uint32_t session, struct strbuf *out);
/* The number of a session: the file's own, where it has one (hist_sessions.c). */
uint64_t hist_session_number(const struct history *h, uint32_t session);
/* The transaction with this index, from 0, in the session with that number; or HIST_NONE. */
uint32_t hist_find_txn(const struct history *h, uint64_t number, uint64_t index);
void hist_number_sessions(struct history *h); /* by hist_finish only */
/* Print all of it, for `--dump history` and golden tests. */
void hist_dump(const struct history *h, FILE *out);

/* Is it a write or an append that did not fail? */
static inline bool hist_is_write(const struct hist_op *op)
{
    return (op->kind == HIST_WRITE || op->kind == HIST_APPEND) && !(op->flags & HIST_OP_FAILED);
}
/* … of a row, … of a list? */
static inline bool hist_is_row_write(const struct hist_op *op)
{
    return op->kind == HIST_WRITE && !(op->flags & HIST_OP_FAILED);
}
static inline bool hist_is_append(const struct hist_op *op)
{
    return op->kind == HIST_APPEND && !(op->flags & HIST_OP_FAILED);
}
/* Is it the last write of its transaction to its key? */
static inline bool hist_is_final(const struct history *h, uint32_t txn, uint32_t op)
{
    uint32_t end = h->txns.data[txn].first_op + h->txns.data[txn].op_count;
    bool last = hist_is_write(&h->ops.data[op]);
    for (uint32_t i = op + 1; i < end && last; i++)
        last = h->ops.data[i].key != h->ops.data[op].key || !hist_is_write(&h->ops.data[i]);
    return last;
}

#endif
