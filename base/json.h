/* Pieces of JSON read in place, for the formats that are JSON.
 *
 * Building a tree for every line would cost more than the rest of reading, so structure and
 * integers are read by the functions below.  jansson handles what is rare and intricate: strings
 * with escapes or bytes beyond ASCII, and values that are only skipped.  The grammar is JSON's,
 * strictly, with one restriction: a line is one value, so line ends are no white space.
 *
 * Functions return NULL, or an error message with its place. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/strbuf.h"
#include "base/decimal.h"
#include "base/scan.h"

static inline void js_space(struct scan *s)
{
    while (*s->p == ' ' || *s->p == '\t')
        s->p++;
}

static inline const char *js_char(struct scan *s, char c)
{
    static const char *const names[] = {
        ['['] = "`[`", [']'] = "`]`", ['{'] = "`{`", ['}'] = "`}`", [':'] = "`:`", [','] = "`,`"};
    js_space(s);
    if (*s->p != c)
        return scan_expected(s, s->p, names[(unsigned char)c]);
    s->p++;
    return NULL;
}

/* Is there another element before `close`?  Consumes the comma, or the closing bracket.  Start
 * with *first true; *error is set if there is neither. */
static inline bool js_more(struct scan *s, char close, bool *first, const char **error)
{
    js_space(s);
    if (*s->p == close) {
        s->p++;
        return false;
    }
    if (!*first) {
        if (*s->p != ',') {
            *error = scan_expected(s, s->p, close == ']' ? "`,` or `]`" : "`,` or `}`");
            return false;
        }
        s->p++;
        js_space(s);
    }
    *first = false;
    return true;
}

struct js_text {
    const char *s;
    size_t n;
};

/* The text lies in the file or in scratch: valid until scratch is used again. */
const char *js_string(struct scan *s, const char *what, struct strbuf *scratch,
                      struct js_text *out);
/* An integer of 64 bits; what: "a key". */
const char *js_int(struct scan *s, const char *what, int64_t *out);
const char *js_uint(struct scan *s, const char *what, uint64_t *out);
/* After the digits of an integer that start at `from`: NULL, or what is wrong with it in JSON. */
const char *js_check_number(const struct scan *s, const char *from, const char *what);
/* Is the word (true, false or null) here?  Then it is consumed. */
bool js_word(struct scan *s, const char *word);
/* Skip any value, checking it. */
const char *js_skip(struct scan *s);
/* Skip any value without checking it, because it will be read again. */
const char *js_pass(struct scan *s);

static inline bool js_is(const struct js_text *t, const char *text)
{
    return t->n == strlen(text) && !memcmp(t->s, text, t->n);
}

/* json_literal.c: a number, a string, true or false.  A number that is an integer is JS_INT,
 * however it is written.  The text is that of a string, or the canonical one of a decimal or truth
 * value (and lies in the struct or in scratch); of an array, which only keys are, its canonical
 * JSON. */
enum js_kind { JS_INT, JS_TEXT, JS_DECIMAL, JS_BOOL, JS_ARRAY };
struct js_scalar {
    enum js_kind kind;
    int64_t number;
    struct js_text text;
    struct decimal decimal;
};
const char *js_scalar(struct scan *s, const char *what, struct strbuf *scratch,
                      struct js_scalar *out);
/* A scalar, or an array of scalars and arrays: a composite key. */
const char *js_key(struct scan *s, struct strbuf *scratch, struct js_scalar *out);
/* An object with scalars, null meaning absent, as canonical JSON. */
const char *js_row(struct scan *s, struct strbuf *scratch, struct strbuf *out);
void js_put_string(const char *s, size_t n, struct strbuf *out);

#endif
