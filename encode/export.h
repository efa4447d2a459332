/* An execution as a history, for the history engine's cross-check and for `--save-history`.
 *
 *   in the execution    in the history
 *   a row               a key, by its name: "account[1]"
 *   a version of a row  a value: an integer if every row of the program is one number, else a row
 *                       with fields, {"price":3,"status":"SOLD"}.  Every write has a write id, and
 *                       every read has the id of the write that it saw, so that equal values are
 *                       not ambiguous.
 *   a transaction       its external reads in order, those of one statement marked, then its writes
 *   an observer         a transaction in a session of its own.  An observer of the final state also
 *                       reads every row that was written, so that every order that explains the
 *                       history has it after all writers, and a history that a stronger model
 *                       accepts is an execution of that model with the same final state.
 *
 *
 * An observer that is the final state itself (robust.h) also reads a row "end of …" from each
 * transaction of which all versions were overwritten: an order that explains the history then ends
 * with the same state, whatever is overwritten in it.
 *
 * A transaction that rolled back is written as one that committed without writes: it ran on a
 * snapshot that obeys the model, and an assertion may have failed there.  Rows that were only
 * locked (for_update) do not appear: the history then says less than the execution, never more.
 *
 * The exporter looks up the version of every read itself and compares it with what was seen. */
#ifndef ENCODE_EXPORT_H
#define ENCODE_EXPORT_H

#include "encode/result/execution.h"
#include "history/history.h"

/* NULL and *out (finished; free with hist_free), or what is wrong with the execution (a text owned
 * by the arena), which is a bug of this program.  Transaction i of the execution is transaction
 * txn_of[i] of the history, the observer txn_of[n_txns] (HIST_NONE if there is none); txn_of may be
 * NULL. */
const char *export_history(const struct execution *x, const char *source, struct arena *messages,
                           uint32_t *txn_of, struct history **out);
/* The same for the question whether a serial order explains the execution.  A call that uses the
 * result of another comes after it in every such order; so each result that is used is a row of its
 * own, "result of deposit(1)", written by the call that gave it and read by those that use it.  (At
 * weaker models a reader would have to see the writer, and nothing says so of a result.) */
const char *export_serial_history(const struct execution *x, const char *source,
                                  struct arena *messages, uint32_t *txn_of, struct history **out);

#endif
