#include "base/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"

uint32_t diag_file(struct diag_list *d, const char *name)
{
    for (uint32_t i = 0; i < d->files.len; i++)
        if (!strcmp(d->files.data[i].name, name))
            return i;
    struct diag_file *f = vec_add(&d->files);
    f->name = arena_strdup(&d->arena, name);
    return (uint32_t)(d->files.len - 1);
}

const char *diag_file_name(const struct diag_list *d, uint32_t file)
{
    return file < d->files.len ? d->files.data[file].name : "";
}

/* ---- source lines ---------------------------------------------------------------------------
 * A file is read when its first line is quoted.  One that cannot be read (standard input, a file
 * that is gone) just gives no quotation: the message itself must never fail. */

static void load(struct diag_list *d, struct diag_file *f)
{
    f->loaded = true;
    FILE *in = fopen(f->name, "rb");
    if (!in)
        return;
    VEC(char) text = {0};
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;) {
        vec_reserve(&text, text.len + n);
        memcpy(text.data + text.len, block, n);
        text.len += n;
    }
    fclose(in);
    f->text = arena_copy(&d->arena, text.data, text.len);
    f->size = text.len;
    vec_free(&text);
}

/* The text of one source line, not NUL-terminated; NULL if it cannot be had. */
static const char *source_line(struct diag_list *d, struct src_loc loc, size_t *length)
{
    if (loc.file >= d->files.len || !loc.line)
        return NULL;
    struct diag_file *f = &d->files.data[loc.file];
    if (!f->loaded)
        load(d, f);
    const char *p = f->text, *end = p + f->size;
    if (!p)
        return NULL;
    for (uint32_t line = 1; line < loc.line; line++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p++)
            return NULL;
    }
    const char *stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    *length = (size_t)((stop ? stop : end) - p);
    if (*length && p[*length - 1] == '\r')
        --*length;
    return p;
}

/* ---- collecting ----------------------------------------------------------------------------- */

static const char *format(struct diag_list *d, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = arena_alloc(&d->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

struct diag *diag_add(struct diag_list *d, enum diag_level level, struct src_loc loc,
                      const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = format(d, fmt, ap);
    va_end(ap);
    d->errors += level == DIAG_ERROR;
    d->warnings += level == DIAG_WARNING;
    vec_push(&d->items, ((struct diag){level, loc, text, NULL}));
    return &vec_last(&d->items);
}

void diag_hint(struct diag_list *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vec_last(&d->items).hint = format(d, fmt, ap);
    va_end(ap);
}

/* ---- ordering ------------------------------------------------------------------------------- */

/* An entry with the notes that follow it moves as one. */
struct group {
    const struct diag *items;
    size_t first, count;
};

static bool same_place(struct src_loc a, struct src_loc b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col;
}

/* Where the compiler was in the file that it was given: what stands in a header was read where the
 * header is included, before all that follows there. */
static struct src_loc read_at(const struct group *g)
{
    struct src_loc at = g->items[g->first].loc;
    for (size_t i = 1; i < g->count; i++) {
        const struct diag *note = &g->items[g->first + i];
        if (!strncmp(note->text, "in file included from", 21) && note->loc.file < at.file)
            at = note->loc;
    }
    return at;
}

static int compare_groups(const void *pa, const void *pb)
{
    const struct group *a = pa, *b = pb;
    struct src_loc x = read_at(a), y = read_at(b);
    if (same_place(x, y)) {
        x = a->items[a->first].loc;
        y = b->items[b->first].loc;
    }
    if (x.file != y.file)
        return x.file < y.file ? -1 : 1;
    if (x.line != y.line)
        return x.line < y.line ? -1 : 1;
    if (x.col != y.col)
        return x.col < y.col ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static bool same_group(const struct group *a, const struct group *b)
{
    const struct diag *x = &a->items[a->first], *y = &b->items[b->first];
    return x->level == y->level && same_place(x->loc, y->loc) && !strcmp(x->text, y->text);
}

static void rebuild(struct diag_list *d, const struct group *groups, size_t count)
{
    struct diag *old = d->items.data;
    d->items.data = NULL;
    d->items.len = d->items.cap = 0;
    d->errors = d->warnings = 0;
    for (size_t g = 0; g < count; g++) {
        if (g && same_group(&groups[g - 1], &groups[g]))
            continue;
        for (size_t i = 0; i < groups[g].count; i++) {
            struct diag item = old[groups[g].first + i];
            d->errors += item.level == DIAG_ERROR;
            d->warnings += item.level == DIAG_WARNING;
            vec_push(&d->items, item);
        }
    }
    mem_free(old);
}

void diag_sort(struct diag_list *d)
{
    VEC(struct group) groups = {0};
    for (size_t i = 0; i < d->items.len; i++) {
        if (d->items.data[i].level == DIAG_NOTE && groups.len)
            vec_last(&groups).count++;
        else
            vec_push(&groups, ((struct group){d->items.data, i, 1}));
    }
    if (groups.len) {
        qsort(groups.data, groups.len, sizeof *groups.data, compare_groups);
        rebuild(d, groups.data, groups.len);
    }
    vec_free(&groups);
}

/* ---- printing ------------------------------------------------------------------------------- */

#define BOLD "\033[1m"
#define RESET "\033[0m"
static const char *const level_name[] = {"error", "warning", "note"};
static const char *const level_color[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};

/* A part of a source line as a terminal can be shown it, tabs as they are.  Gives the columns that
 * it takes in *blank: the same tabs, blanks for all else. */
static void show_line(const char *line, size_t length, struct strbuf *shown, struct strbuf *blank)
{
    for (size_t i = 0, n; i < length; i += n) {
        uint32_t code;
        size_t before = shown->len;
        n = text_decode(line + i, length - i, &code);
        if (n == 0)
            n = 1;
        if (line[i] == '\t') {
            sb_putc(shown, '\t');
            sb_putc(blank, '\t');
            continue;
        }
        text_safe(line + i, n, shown);
        bool as_is = shown->len - before == n && !memcmp(shown->data + before, line + i, n);
        for (size_t k = as_is ? 1 : shown->len - before; k > 0; k--)
            sb_putc(blank, ' ');
    }
}

/* The caret stands under the column; tabs are repeated so that it does in every terminal. */
static void print_excerpt(struct diag_list *d, struct src_loc loc, FILE *out, bool color)
{
    size_t length;
    const char *line = source_line(d, loc, &length);
    struct strbuf shown = {0}, blank = {0}, rest = {0};
    if (!line)
        return;
    bool caret = loc.col && loc.col <= length + 1;
    size_t before = caret ? loc.col - 1 : length;
    show_line(line, before, &shown, &blank);
    show_line(line + before, length - before, &shown, &rest);
    fprintf(out, "%5u | %s\n", loc.line, sb_str(&shown));
    if (caret)
        fprintf(out, "      | %s%s^%s\n", sb_str(&blank), color ? "\033[1;32m" : "",
                color ? RESET : "");
    sb_free(&shown);
    sb_free(&blank);
    sb_free(&rest);
}

/* A text from elsewhere, on one line. */
static const char *on_line(struct diag_list *d, const char *text)
{
    struct strbuf b = {0};
    text_safe(text, strlen(text), &b);
    const char *shown = arena_strdup(&d->arena, sb_str(&b));
    sb_free(&b);
    return shown;
}

/* "visar: MESSAGE", or with a place "FILE:LINE[:COLUMN]: error: MESSAGE". */
static void print_head(struct diag_list *d, const struct diag *item, FILE *out, bool color)
{
    const char *file = on_line(d, diag_file_name(d, item->loc.file)),
               *text = on_line(d, item->text);
    const char *reset = color ? RESET : "";
    size_t place = item->loc.file == DIAG_NO_FILE ? text_place(text) : 0;
    bool placed = place || item->loc.line;
    if (color)
        fputs(BOLD, out);
    if (place)
        fprintf(out, "%.*s: ", (int)place, text);
    else if (!item->loc.line)
        fputs("visar: ", out);
    else if (!item->loc.col)
        fprintf(out, "%s:%u: ", file, item->loc.line);
    else
        fprintf(out, "%s:%u:%u: ", file, item->loc.line, item->loc.col);
    if (placed || item->level != DIAG_ERROR)
        fprintf(out, "%s%s: ", color ? level_color[item->level] : "", level_name[item->level]);
    fprintf(out, "%s%s%s%s\n", reset, placed ? "" : file, !placed && *file ? ": " : "",
            text + (place ? place + 2 : 0));
}

static void print_one(struct diag_list *d, const struct diag *item, FILE *out, bool color)
{
    print_head(d, item, out, color);
    print_excerpt(d, item->loc, out, color);
    if (item->hint)
        fprintf(out, "        hint: %s\n", on_line(d, item->hint));
}

void diag_print(struct diag_list *d, FILE *out, bool color)
{
    for (size_t i = 0; i < d->items.len; i++)
        print_one(d, &d->items.data[i], out, color);
}

void diag_free(struct diag_list *d)
{
    arena_free(&d->arena);
    vec_free(&d->files);
    vec_free(&d->items);
    memset(d, 0, sizeof *d);
}
