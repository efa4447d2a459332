/* A history that grows while it is recorded, in visar's own format (docs/history-format.md), and
 * that is a valid history at every moment: `visar check` reads it while the recorder runs, and
 * after the recorder, the server or both were killed.
 *
 * A transaction is written *before* its COMMIT is sent, as one of unknown outcome, and its line is
 * changed in place when the answer is there.  So a commit that took effect is in the file, whatever
 * is killed and when; if the recorder is killed between the answer and the change, only the
 * acknowledgement is lost.
 *
 * The kernel may cut a write(2) of a process that is being killed, at the border of a page.  So no
 * line crosses one unless it is longer than a page: the line before it is made longer instead, with
 * blanks before its line feed.
 *
 * There is one recorder at a time: the file is locked while it grows.  A file that is not empty is
 * only overwritten on request, and not before the recording begins. */
#ifndef DATABASE_JOURNAL_H
#define DATABASE_JOURNAL_H

#include <pthread.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "history/history.h"

struct journal {
    int fd;
    const char *path;
    bool ours; /* the file was not there before */
    pthread_mutex_t lock;
    int64_t end;       /* of the file */
    const char *error; /* the first, under the lock; nothing is written after it */
    char error_text[128];
    uint64_t count[3]; /* by hist_status */
};

/* Open and lock the file, and write nothing yet.  `force`: it may hold something.  NULL, or what is
 * wrong (owned by the arena). */
const char *journal_open(struct journal *j, const char *path, bool force, struct arena *messages);
/* Empty it and write the first line.  `header`: the fields after "visar-history", with their
 * leading comma, or "". */
const char *journal_begin(struct journal *j, const char *header, struct arena *messages);
const char *journal_close(struct journal *j, struct arena *messages);
/* Instead of journal_close if nothing was recorded: removes the file unless it existed before. */
void journal_abandon(struct journal *j);

/* One more line of the head: initial values.  Without its line feed. */
void journal_line(struct journal *j, const char *text, size_t n);

/* A transaction, with its operations as JSON, commas between.  An unknown one may be settled later,
 * by its place in the file.  Thread-safe; the transactions of a session in order, by one thread. */
struct journal_txn {
    uint64_t session;
    enum hist_status status;
    /* In ns.  PostgreSQL takes the snapshot with the first statement, so the answer to that
     * statement counts as the answer to the begin; there may be none (HIST_NO_TIME), and there may
     * be no commit.  `end`, when the commit was answered, only counts if it committed. */
    int64_t begin, begin_answered, commit_asked, end;
    const char *name; /* as JSON, with its quotes; or NULL */
    const struct strbuf *ops;
};
int64_t journal_add(struct journal *j, const struct journal_txn *t);
void journal_settle(struct journal *j, int64_t place, enum hist_status status, int64_t end);
bool journal_failed(struct journal *j);

#endif
