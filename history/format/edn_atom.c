/* The words of EDN: numbers, keywords, symbols, characters, tags, and what may stand in a string.
 *
 * Most of what a history file holds beside its transactions is never looked at, but all of it is
 * read by these rules, so that a damaged byte is noticed wherever it is.  They are those of
 * github.com/edn-format/edn, and what Clojure prints beyond them, because Jepsen histories are
 * printed by it: keywords that begin with a digit, ratios, hexadecimal numbers (in #object[…]),
 * quotes in symbols, the escapes \b and \f. */
#include "history/format/edn.h"

#include <jansson.h>

/* A word ends where a delimiter stands, so no letter that ends one is met here. */
struct word {
    const char *p, *end;
};

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool is_hex(char c)
{
    return scan_is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 6;
}

static bool is_utf8(const char *s, size_t n)
{
    json_t *v = json_stringn(s, n);
    json_decref(v);
    return v != NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool in_name(char c)
{
    return is_letter(c) || scan_is_digit(c) || (c & 0x80) || (c && strchr(".*+!-_?$%&=<>:#'", c));
}

/* What follows the colon of a keyword, a tag, or a symbol; one slash parts it in two. */
static bool is_name(const char *p, const char *end)
{
    const char *slash = NULL;
    bool ascii = true;
    if (p == end || *p == ':' || *p == '#')
        return false;
    for (const char *q = p; q < end; q++) {
        if (*q == '/' && (slash || q == p || q + 1 == end))
            return false;
        if (*q == '/')
            slash = q;
        else if (!in_name(*q))
            return false;
        ascii &= !(*q & 0x80);
    }
    return ascii || is_utf8(p, (size_t)(end - p));
}

static bool is_symbol(const char *p, const char *end)
{
    if (end - p == 1 && *p == '/')
        return true;
    bool signed_digit = end - p > 1 && (*p == '-' || *p == '+' || *p == '.') && scan_is_digit(p[1]);
    return !signed_digit && is_name(p, end);
}

bool edn_is_tag(const char *p, const char *end)
{
    if (p < end && *p == ':') /* #:name{…}: a map whose keys are of one namespace */
        p++;
    return p < end && (is_letter(*p) || *p & 0x80) && is_name(p, end);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool digits(struct word *w)
{
    const char *from = w->p;
    while (w->p < w->end && scan_is_digit(*w->p))
        w->p++;
    return w->p > from;
}

static bool take(struct word *w, const char *any)
{
    bool found = w->p < w->end && strchr(any, *w->p);
    w->p += found;
    return found;
}

static bool hex_digits(struct word *w)
{
    const char *from = w->p;
    while (w->p < w->end && is_hex(*w->p))
        w->p++;
    return w->p > from;
}

static bool is_number(const char *p, const char *end)
{
    struct word w = {p, end};
    take(&w, "+-");
    if (w.end - w.p > 2 && w.p[0] == '0' && (w.p[1] | 0x20) == 'x') {
        w.p += 2;
        bool hex = hex_digits(&w);
        take(&w, "N");
        return hex && w.p == end;
    }
    bool zero = *w.p == '0';
    const char *from = w.p;
    if (!digits(&w) || (zero && w.p - from > 1))
        return false;
    if (take(&w, "N"))
        return w.p == end;
    if (take(&w, "/"))
        return digits(&w) && w.p == end;
    if (take(&w, ".") && !digits(&w))
        return false;
    if (take(&w, "eE")) {
        take(&w, "+-");
        if (!digits(&w))
            return false;
    }
    take(&w, "M");
    return w.p == end;
}

/* --- characters ------------------------------------------------------------------------------- */

/* After the backslash; its first byte may be anything. */
static bool is_character(const char *p, const char *end)
{
    static const char *const names[] = {"newline", "return",    "space",
                                        "tab",     "backspace", "formfeed"};
    size_t n = (size_t)(end - p);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (n == strlen(names[i]) && !memcmp(p, names[i], n))
            return true;
    struct word w = {p + 1, end};
    if (n == 5 && *p == 'u')
        return hex_digits(&w) && w.p == end;
    if (n > 1 && n <= 4 && *p == 'o')
        return digits(&w) && w.p == end;
    if (n == 1)
        return *p > ' ' && *p < 0x7f;
    /* One character of several bytes. */
    return *p & 0x80 && is_utf8(p, n) && n == 2u + ((*p & 0xf0) >= 0xe0) + ((*p & 0xf8) == 0xf0);
}

/* --- all -------------------------------------------------------------------------------------- */

const char *edn_check_word(const struct scan *s, const char *p, const char *end)
{
    bool number = scan_is_digit(*p) || ((*p == '-' || *p == '+') && scan_is_digit(p[1]));
    if (number)
        return is_number(p, end) ? NULL : scan_expected(s, p, "a number");
    if (*p == ':')
        return is_name(p + 1, end) ? NULL : scan_expected(s, p, "a keyword");
    if (*p == '\\')
        return is_character(p + 1, end) ? NULL : scan_expected(s, p, "a character");
    if (end - p > 2 && p[0] == '#' && p[1] == '#') {
        size_t n = (size_t)(end - p);
        bool fine = (n == 5 && (!memcmp(p, "##Inf", 5) || !memcmp(p, "##NaN", 5))) ||
                    (n == 6 && !memcmp(p, "##-Inf", 6));
        return fine ? NULL : scan_expected(s, p, "`##Inf`, `##-Inf` or `##NaN`");
    }
    return is_symbol(p, end) ? NULL : scan_expected(s, p, "a value");
}

const char *edn_check_string(const struct scan *s, const char *p, const char *end)
{
    bool ascii = true;
    const char *at = p - 1;
    for (; p < end; p++) {
        ascii &= !(*p & 0x80);
        if (!*p)
            return scan_expected(s, p, "a character of the string");
        if (*p != '\\')
            continue;
        const char *escape = p++;
        bool fine = p < end && *p && strchr("trn\\\"bf", *p);
        if (!fine && end - p > 4 && *p == 'u')
            fine = is_hex(p[1]) && is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]);
        if (!fine)
            return scan_expected(s, escape, "an escape (\\t, \\r, \\n, \\\\, \\\" or \\u…)");
    }
    return ascii || is_utf8(at + 1, (size_t)(end - at - 1))
               ? NULL
               : scan_error(s, at, "expected text in UTF-8");
}
