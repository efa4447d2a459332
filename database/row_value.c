#include "database/row_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct field {
    const char *name;
    const struct row_cell *cell;
};

static const char *plain_path(const struct row_cell *cell)
{
    return cell->path + (*cell->path == '.');
}

/* "key" and "value" mean something in the format.  A path that no C program has comes from a file
 * that somebody wrote: the place of the column does as well. */
static const char *field_name(const struct row_cell *cells, size_t n, size_t at, struct arena *a)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_$.[]";
    const char *name = plain_path(&cells[at]);
    if (!*name || name[strspn(name, letters)])
        return arena_printf(a, "#%zu", at);
    bool taken = !strcmp(name, "key") || !strcmp(name, "value");
    while (taken) {
        name = arena_printf(a, "%s_", name);
        taken = false;
        for (size_t i = 0; i < n; i++)
            taken |= !strcmp(plain_path(&cells[i]), name);
    }
    return name;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct field *)x)->name, ((const struct field *)y)->name);
}

static void put_cell(const struct row_cell *cell, struct strbuf *out)
{
    if (!cell->text)
        sb_puts(out, "null");
    else
        sb_printf(out, cell->quoted ? "\"%s\"" : "%s", cell->text);
}

void row_value(const struct row_cell *cells, size_t n, struct strbuf *out)
{
    if (n == 1) {
        put_cell(cells, out);
        return;
    }
    struct arena scratch = {0};
    struct field *fields = arena_array(&scratch, struct field, n + 1);
    for (size_t i = 0; i < n; i++)
        fields[i] = (struct field){field_name(cells, n, i, &scratch), &cells[i]};
    qsort(fields, n, sizeof *fields, by_name);
    sb_putc(out, '{');
    for (size_t i = 0; i < n; i++) {
        sb_printf(out, "%s\"%s\":", i ? "," : "", fields[i].name);
        put_cell(fields[i].cell, out);
    }
    sb_putc(out, '}');
    arena_free(&scratch);
}
