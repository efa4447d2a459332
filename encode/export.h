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

#endif
