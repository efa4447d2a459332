/* Text for a terminal: lines that wrap with a hanging indent, and colour where it is wanted. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/strbuf.h"

/* Columns: of a report, whatever the terminal has; and of lines that are not broken. */
#define PAGE_WIDTH 92
#define PAGE_ENDLESS INT_MAX

struct page {
    FILE *out;
    bool color;
    int width; /* columns */
};

enum page_ink { PAGE_PLAIN, PAGE_BOLD, PAGE_GOOD, PAGE_BAD, PAGE_DOUBT, PAGE_FAINT };

const char *page_ink(const struct page *p, enum page_ink ink);
/* `text` in one or more lines: the first indented by `indent`, the others by `hang`. */
void page_text(const struct page *p, int indent, int hang, const char *text);
/* The same where `column` columns of the line are taken already. */
void page_continue(const struct page *p, int column, const char *text);
void page_printf(const struct page *p, int indent, int hang, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A line in bold after an empty one. */
void page_heading(const struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Columns that UTF-8 text takes, wide characters not counted double. */
int page_columns(const char *text, size_t n);
/* text, padded with blanks to `columns`. */
void page_pad(struct strbuf *out, const char *text, int columns);

#endif
