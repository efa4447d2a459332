/* Files: reading whole inputs (plain, gzip, zstd, standard input) and writing outputs that appear
 * whole or not at all.  Functions that can fail return NULL for success or a message (static, or
 * owned by the arena given) for the caller to locate and print. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"

struct io_bytes {
    char *data; /* NUL-terminated for convenience; size does not count the NUL */
    size_t size;
};

/* "-" is standard input.  Compressed data is recognised by content.  Reaching a limit while reading
 * is a failure, too. */
const char *io_read(const char *path, struct arena *messages, struct io_bytes *out);
void io_bytes_free(struct io_bytes *b);

/* A file that appears under its name only when io_commit succeeds; until then it is a temporary
 * beside it.  "-" is standard output; it and devices are written directly. */
struct io_out {
    FILE *file;
    char *path, *temporary;
};
const char *io_create(const char *path, struct arena *messages, struct io_out *out);
const char *io_commit(struct io_out *out, struct arena *messages);
void io_discard(struct io_out *out);
/* Remove the temporaries of a program that is about to be stopped. */
void io_abandon_all(void);

#endif
