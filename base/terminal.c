#include "base/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/text.h"

enum { LONGEST = 8 }; /* bytes of a sequence that may be cut by the end of a buffer: "\033[1;31m" */

struct guard {
    FILE *to;
    bool color, json;
    void (*before)(void);
    char rest[LONGEST]; /* the beginning of a sequence */
    size_t n;
};

/* The sequences that visar uses itself. */
static const char *const colors[] = {"\033[0m",    "\033[1m",    "\033[2m",
                                     "\033[1;31m", "\033[1;32m", "\033[1;33m",
                                     "\033[1;34m", "\033[1;35m", "\033[1;36m"};

/* Length of one of them at s; 0: none.  *cut: it may become one with more bytes. */
static size_t color_at(const char *s, size_t n, bool *cut)
{
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        size_t k = strlen(colors[i]);
        if (n >= k && !memcmp(s, colors[i], k))
            return k;
        if (n < k && !memcmp(s, colors[i], n))
            *cut = true;
    }
    return 0;
}

/* May the bytes be the beginning of a character? */
static bool cut_character(const char *s, size_t n)
{
    unsigned char c = (unsigned char)s[0];
    size_t whole = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;
    if (c > 0xf4 || n >= whole)
        return false;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return false;
    return true;
}

static void put(const struct guard *g, const char *s, size_t len, uint32_t code)
{
    bool harmless = len > 0 && (code == '\n' || code == '\t' || !text_is_hostile(code));
    if (harmless)
        fwrite(s, 1, len, g->to);
    else if (g->json)
        fprintf(g->to, "\\u%04" PRIx32, len ? code : 0xfffd);
    else if (len == 0 || code < 0x100)
        fprintf(g->to, "\\x%02" PRIx32, len ? code : (unsigned char)s[0]);
    else
        fprintf(g->to, "\\u{%" PRIx32 "}", code);
}

/* Gives how many bytes were dealt with; the rest is the beginning of something, unless it is the
 * `last`. */
static size_t filter(const struct guard *g, const char *s, size_t n, bool last)
{
    size_t i = 0;
    while (i < n) {
        size_t plain = i; /* most of all text */
        while (plain < n && (unsigned char)s[plain] >= 0x20 && (unsigned char)s[plain] < 0x7f)
            plain++;
        fwrite(s + i, 1, plain - i, g->to);
        if ((i = plain) == n)
            break;
        bool cut = false;
        size_t len = s[i] == '\033' && g->color ? color_at(s + i, n - i, &cut) : 0;
        if (len) {
            fwrite(s + i, 1, len, g->to);
            i += len;
            continue;
        }
        if (!last && (cut || cut_character(s + i, n - i)))
            break;
        uint32_t code = 0;
        len = text_decode(s + i, n - i, &code);
        put(g, s + i, len, code);
        i += len ? len : 1;
    }
    return i;
}

static ssize_t guard_write(void *cookie, const char *s, size_t n)
{
    struct guard *g = cookie;
    size_t done = 0;
    if (g->before)
        g->before();
    while (g->n && done < n) { /* byte by byte, until the sequence is whole */
        g->rest[g->n++] = s[done++];
        size_t k = filter(g, g->rest, g->n, g->n == LONGEST);
        memmove(g->rest, g->rest + k, g->n -= k);
    }
    done += filter(g, s + done, n - done, false);
    while (done < n)
        g->rest[g->n++] = s[done++];
    return fflush(g->to) == 0 && !ferror(g->to) ? (ssize_t)n : 0;
}

static int guard_close(void *cookie)
{
    struct guard *g = cookie;
    filter(g, g->rest, g->n, true);
    int rc = fflush(g->to);
    free(g);
    return rc;
}

FILE *terminal_open(FILE *to, bool color, bool json, void (*before)(void))
{
    cookie_io_functions_t io = {.write = guard_write, .close = guard_close};
    struct guard *g = calloc(1, sizeof *g);
    FILE *f = g ? fopencookie(g, "w", io) : NULL;
    if (!f)
        free(g);
    else
        *g = (struct guard){.to = to, .color = color, .json = json, .before = before};
    return f;
}

int terminal_columns(int descriptor)
{
    struct winsize size;
    if (!isatty(descriptor))
        return 0;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}
