/* Tokens of EDN, Clojure's data notation, as far as Jepsen histories need them; all other forms
 * are checked by the grammar and skipped.  Functions return NULL, or an error message with its
 * place. */
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
/* One form that is not a collection, after white space.  A collection gives EDN_OTHER and is
 * skipped.  The text may lie in scratch. */
const char *edn_token(struct scan *s, const char *what, struct strbuf *scratch,
                      struct edn_token *out);
/* Skip any form. */
const char *edn_skip(struct scan *s);

/* True: a plain integer stands right here, and it is consumed.  Most of a history is plain
 * integers. */
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

/* edn_atom.c: check a number, keyword, symbol or character that ends at the delimiter `end`; the
 * inside of a string; a tag without its #. */
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
    EDN_INVOKED,   /* reads may lack their values */
    EDN_CHECKED    /* as EDN_INVOKED, but only checked for being well-formed */
};

/* Values other than EDN_INTEGER, EDN_STRING and EDN_KEYWORD, and vectors, as the canonical JSON of
 * json.h (edn_literal.c). */
bool edn_other_scalar(const struct edn_token *t, struct js_scalar *out);
const char *edn_composite(struct scan *s, struct strbuf *scratch, struct strbuf *out);
/* Write the text of a key that is neither an integer nor a string as EDN. */
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
        /* Of a jepsen.independent transaction (below): its key in canonical JSON; else empty. */
        tuple;
};

/* Reads the vector of operations that stands right here into mops and values.  It may be in a tuple
 * of jepsen.independent, [3 [[:r 5 nil]]]: each key of such a history is a history of its own, so
 * its operations are on the composite keys [3 5]. */
const char *edn_read_mops(struct edn_mops *m, enum edn_purpose purpose);
/* The end of the vector of operations at p if it is written in the usual way; NULL: it has to be
 * read in full. */
const char *edn_quick_mops(const struct scan *s, const char *p);
void edn_mops_free(struct edn_mops *m);

#endif
