/* Diagnostics: errors, warnings and notes with a place, the source line and a caret.
 *
 *     bank.c:9:12: error: floating point is outside the subset
 *        9 |     double d = 0;
 *          |            ^
 *          hint: count in cents, with an integer type
 *
 * A list collects any number of them; nothing is printed until diag_print.  A place with line 0
 * has no line (only the file is named); a file of DIAG_NO_FILE has no place at all. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"

#define DIAG_NO_FILE UINT32_MAX

/* line and col count from 1; 0 means unknown. */
struct src_loc {
    uint32_t file, line, col;
};
#define SRC_LOC_NONE ((struct src_loc){DIAG_NO_FILE, 0, 0})

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
    enum diag_level level; /* a DIAG_NOTE belongs to the last entry before it that is not one */
    struct src_loc loc;
    const char *text;
    const char *hint; /* or NULL */
};

struct diag_file {
    const char *name;
    char *text; /* read when first needed */
    size_t size;
    bool loaded;
};

struct diag_list {
    struct arena arena;
    VEC(struct diag_file) files;
    VEC(struct diag) items;
    size_t errors, warnings;
};

/* The id of a file name; the same name gives the same id. */
uint32_t diag_file(struct diag_list *d, const char *name);
const char *diag_file_name(const struct diag_list *d, uint32_t file); /* "" for DIAG_NO_FILE */
/* The text of one source line, not NUL-terminated; NULL if it cannot be read. */
const char *diag_source_line(struct diag_list *d, struct src_loc loc, size_t *length);

struct diag *diag_add(struct diag_list *d, enum diag_level level, struct src_loc loc,
                      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Attach a hint to the last entry. */
void diag_hint(struct diag_list *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Order by place, notes staying with their owner; drop exact repetitions. */
void diag_sort(struct diag_list *d);
void diag_print(struct diag_list *d, FILE *out, bool color);
void diag_free(struct diag_list *d);

#endif
