/* A history that grows while it is recorded, in visar's own format (docs/history-format.md), and
 * that is a valid history at every moment: `visar check` reads it while the recorder runs, and
 * after the recorder, the server or both were killed.
 *
 * A transaction is written *before* its COMMIT is sent, as one of unknown outcome, and its line is
 * changed in place when the answer is there.  So a commit that took effect is in the file, whatever
 * dies and when; what is lost is only that it was acknowledged, if the recorder was killed between
 * the answer and the change.
 *
 * The kernel may cut a write(2) of a process that is being killed, at the border of a page.  So no
 * line crosses one unless it is longer than a page: the line before it is made longer instead, with
 * blanks before its line feed.
 *
 * One recorder at a time: the file is locked while it grows.  A file that holds something is only
 * overwritten if that is asked for, and not before the recording begins. */
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
/* Instead: nothing was recorded, so there is no file unless there was one before. */
void journal_abandon(struct journal *j);

/* One more line of the head: initial values.  Without its line feed. */
void journal_line(struct journal *j, const char *text, size_t n);

/* A transaction, with its operations as JSON, commas between.  An unknown one may be settled later,
 * by its place in the file.  Thread-safe; the transactions of a session in order, by one thread. */
struct journal_txn {
    uint64_t session;
    enum hist_status status;
    /* ns.  PostgreSQL takes the snapshot with the first statement: its answer is the begin's, and
     * there may be none (HIST_NO_TIME), as there may be no commit.  `end`, when the commit was
     * answered, only counts if committed. */
    int64_t begin, begin_answered, commit_asked, end;
    const char *name; /* as JSON, with its quotes; or NULL */
    const struct strbuf *ops;
};
int64_t journal_add(struct journal *j, const struct journal_txn *t);
void journal_settle(struct journal *j, int64_t place, enum hist_status status, int64_t end);
bool journal_failed(struct journal *j);

#endif
