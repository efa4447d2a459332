/* Wrapping: lines break at blanks; a no-break space (U+00A0) never breaks and is
 * printed as a blank, so that "account[0].balance = 60" can stay on one line. */
#include "report/page/page.h"

#include <stdarg.h>
#include <string.h>

#define FEWEST_COLUMNS 30 /* for text behind an indent */

const char *page_ink(const struct page *p, enum page_ink ink)
{
    static const char *const codes[] = {"\033[0m",    "\033[1m",    "\033[1;32m",
                                        "\033[1;31m", "\033[1;33m", "\033[2m"};
    return p->color ? codes[ink] : "";
}

int page_columns(const char *text, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n && text[i]; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

void page_pad(struct strbuf *out, const char *text, int columns)
{
    sb_puts(out, text);
    for (int at = page_columns(text, strlen(text)); at < columns; at++)
        sb_putc(out, ' ');
}

static void put_word(FILE *out, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i + 1 < n && (unsigned char)word[i] == 0xc2 && (unsigned char)word[i + 1] == 0xa0) {
            fputc(' ', out);
            i++;
        } else {
            fputc(word[i], out);
        }
}

/* A narrow page has no room for a deep indent. */
static int hanging(const struct page *p, int hang)
{
    bool narrow = p->width < PAGE_WIDTH && p->width - hang < FEWEST_COLUMNS;
    return narrow ? p->width / 8 : hang;
}

static void wrap(const struct page *p, int at, int hang, const char *text)
{
    hang = hanging(p, hang);
    for (bool first = true; *text; first = false) {
        size_t blanks = strspn(text, " ");
        const char *word = text + blanks;
        size_t n = strcspn(word, " ");
        int columns = page_columns(word, n);
        if (!first && at + (int)blanks + columns > p->width) {
            fprintf(p->out, "\n%*s", hang, "");
            at = hang;
        } else {
            fprintf(p->out, "%*s", (int)blanks, "");
            at += (int)blanks;
        }
        put_word(p->out, word, n);
        at += columns;
        text = word + n;
    }
    fputc('\n', p->out);
}

void page_text(const struct page *p, int indent, int hang, const char *text)
{
    fprintf(p->out, "%*s", indent, "");
    wrap(p, indent, hang, text);
}

void page_continue(const struct page *p, int column, const char *text)
{
    wrap(p, column, column, text);
}

void page_printf(const struct page *p, int indent, int hang, const char *fmt, ...)
{
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    page_text(p, indent, hang, sb_str(&b));
    sb_free(&b);
}

void page_heading(const struct page *p, const char *fmt, ...)
{
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    fprintf(p->out, "\n%s", page_ink(p, PAGE_BOLD));
    page_text(p, 0, 2, sb_str(&b));
    fputs(page_ink(p, PAGE_PLAIN), p->out);
    sb_free(&b);
}
