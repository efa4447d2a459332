/* Tokens of EDN, Clojure's data notation, as far as Jepsen histories need them; everything else is
 * read by the grammar and forgotten.  Functions give NULL, or a message with its place. */
#ifndef HISTORY_FORMAT_EDN_H
#define HISTORY_FORMAT_EDN_H

#include "base/strbuf.h"
#include "history/format/format_internal.h"
#include "base/json.h"
#include "history/format/text_out.h"
#include "base/scan.h"

enum edn_kind { EDN_NIL, EDN_INTEGER, EDN_STRING, EDN_KEYWORD, EDN_OTHER };

struct edn_token {
    enum edn_kind kind;
    int64_t number;
    const char *s; /* EDN_STRING without quotes, EDN_KEYWORD with its colon, EDN_OTHER as it is */
    size_t n;
    const char *at;
};

/* Skips white space, commas, comments and #_ forms. */
const char *edn_space_slow(struct scan *s);
static inline const char *edn_space(struct scan *s)
{
    while (*s->p == ' ' || *s->p == ',' || *s->p == '\n')
        s->p++;
    return (unsigned char)*s->p > ' ' && *s->p != ';' && *s->p != '#' ? NULL : edn_space_slow(s);
}

/* Skips #tag before a form (and the space after it). */
const char *edn_tags(struct scan *s);
/* One form that is no collection, after space.  A collection gives EDN_OTHER and is skipped.  The
 * text may lie in scratch. */
const char *edn_token(struct scan *s, const char *what, struct strbuf *scratch,
                      struct edn_token *out);
/* Any form. */
const char *edn_skip(struct scan *s);

/* An integer, if a plain one stands right here: most of a history is that. */
static inline bool edn_int(struct scan *s, int64_t *out)
{
    const char *from = s->p;
    if ((*from == '0' && scan_is_digit(from[1])) || (from[0] == '-' && from[1] == '0') ||
        !scan_int(s, out))
        return false;
    if (*s->p == ' ' || *s->p == ']' || *s->p == ',' || *s->p == '}' || *s->p == '\n')
        return true;
    s->p = from;
    return false;
}

static inline bool edn_is(const struct edn_token *t, const char *keyword)
{
    return t->kind == EDN_KEYWORD && t->n == strlen(keyword) && !memcmp(t->s, keyword, t->n);
}

/* edn_atom.c: is this, up to the delimiter at `end`, a number, keyword, symbol or character; a
 * tag without its #; the inside of a string? */
const char *edn_check_word(const struct scan *s, const char *p, const char *end);
const char *edn_check_string(const struct scan *s, const char *p, const char *end);
bool edn_is_tag(const char *p, const char *end);

/* --- the operations of a transaction --------------------------------------------------------- */

struct edn_mop {
    enum hist_kind kind;
    uint32_t key;
    struct hist_value value;
    uint32_t start, len; /* of a list: in values */
};

enum edn_purpose {
    EDN_COMPLETED, /* the transaction committed: every read has a value */
    EDN_INVOKED,   /* reads may lack theirs */
    EDN_CHECKED    /* invoked as well, and only to see whether it is well-formed */
};

/* Values of other kinds than EDN_INTEGER, EDN_STRING and EDN_KEYWORD, and vectors, in the canonical
 * JSON of json.h (edn_literal.c). */
bool edn_other_scalar(const struct edn_token *t, struct js_scalar *out);
const char *edn_composite(struct scan *s, struct strbuf *scratch, struct strbuf *out);
/* … and back: the text of a key that is no integer and no string, as EDN. */
void edn_put_literal(struct out *o, const char *json, size_t n);
/* A string, or the keyword that it stands for. */
void edn_put_string(struct out *o, const char *s, size_t n);

struct edn_mops {
    struct scan *s;
    struct fmt_context *c;
    struct history *h;
    struct strbuf *scratch;
    struct fmt_keys *keys;
    enum edn_purpose purpose;
    VEC(struct edn_mop) mops;
    VEC(int64_t) values;
    struct strbuf
        tuple; /* of an independent transaction (below): its key in canonical JSON, else empty */
};

/* Reads the vector of operations that stands right here into mops and values.  It may be in a tuple
 * of jepsen.independent, [3 [[:r 5 nil]]]: each key of such a history is a history of its own, so
 * its operations are on the composite keys [3 5]. */
const char *edn_read_mops(struct edn_mops *m, enum edn_purpose purpose);
/* Where the vector of operations at p ends if it is written in the usual way, else NULL: then look
 * closer. */
const char *edn_quick_mops(const struct scan *s, const char *p);
void edn_mops_free(struct edn_mops *m);

#endif
