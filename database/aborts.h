/* Why transactions were aborted: counts by reason. */
#ifndef DATABASE_ABORTS_H
#define DATABASE_ABORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons that are not the server's have a SQLSTATE of "". */
#define ABORTED_BY_PROGRAM "rolled back by the program itself"
#define ABORTED_LOST "connection lost"
#define ABORTED_STOPPED "recording stopped"
#define ABORTED_STRANGE "an answer that is not PostgreSQL's"
#define ABORTED_AT_COMMIT "rolled back instead of committed"

struct abort_count {
    char sqlstate[6];
    const char *why; /* "serialization failure" */
    uint64_t count;
};

/* The last entry counts all reasons that found no free entry. */
enum { ABORT_REASONS = 16 };
struct aborts {
    struct abort_count by[ABORT_REASONS];
    size_t n;
};

/* `why` is a text that stays valid; NULL: what the SQLSTATE means. */
void aborts_count(struct aborts *a, const char *sqlstate, const char *why, uint64_t count);
void aborts_add(struct aborts *a, const struct aborts *more);
/* The most frequent first. */
void aborts_sort(struct aborts *a);

#endif
