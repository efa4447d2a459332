/* Numbers with fractions, truth values and composite keys in EDN; see edn.h.
 *
 * A history holds them as canonical JSON, whatever the format.  A keyword is a string with its
 * colon there, as everywhere (values.c). */
#include <inttypes.h>

#include "history/format/edn.h"

enum { DEPTH_MAX = 16 };

bool edn_other_scalar(const struct edn_token *t, struct js_scalar *out)
{
    const char *s = t->s;
    size_t n = t->n;
    if (t->kind != EDN_OTHER || !n)
        return false;
    bool yes = n == 4 && !memcmp(s, "true", 4);
    if (yes || (n == 5 && !memcmp(s, "false", 5))) {
        out->kind = JS_BOOL;
        out->number = yes;
        out->text = (struct js_text){yes ? "true" : "false", n};
        return true;
    }
    if (*s == '+') {
        s++;
        n--;
    }
    n -= n && s[n - 1] == 'M'; /* exact, which all are here */
    bool fraction = memchr(s, '.', n) || memchr(s, 'e', n) || memchr(s, 'E', n);
    if (!fraction || decimal_length(s, n) != n || !decimal_read(s, n, &out->decimal))
        return false;
    out->kind = out->decimal.is_integer ? JS_INT : JS_DECIMAL;
    out->number = out->decimal.integer;
    out->text = (struct js_text){out->decimal.text, out->decimal.len};
    return true;
}

static const char *element(struct scan *s, int depth, struct strbuf *scratch, struct strbuf *out)
{
    static const char what[] =
        "a part of a key (a number, a string, a keyword, true, false or a vector)";
    struct edn_token t;
    struct js_scalar v;
    if (*s->p == '[' || *s->p == '(') {
        char close = *s->p == '[' ? ']' : ')';
        const char *error = NULL, *at = s->p++;
        if (depth == DEPTH_MAX)
            return scan_error(s, at, "expected at most %d levels of nesting", DEPTH_MAX);
        sb_putc(out, '[');
        while (!error && !(error = edn_space(s)) && *s->p != close) {
            if (vec_last(out) != '[')
                sb_putc(out, ',');
            error = element(s, depth + 1, scratch, out);
        }
        s->p += !error;
        sb_putc(out, ']');
        return error;
    }
    const char *error = edn_token(s, what, scratch, &t);
    if (error)
        return error;
    if (t.kind == EDN_INTEGER || t.kind == EDN_NIL)
        t.kind == EDN_NIL ? sb_puts(out, "null") : sb_printf(out, "%" PRId64, t.number);
    else if (t.kind == EDN_STRING || t.kind == EDN_KEYWORD)
        js_put_string(t.s, t.n, out);
    else if (edn_other_scalar(&t, &v))
        v.kind == JS_INT ? sb_printf(out, "%" PRId64, v.number) : sb_add(out, v.text.s, v.text.n);
    else
        return scan_expected(s, t.at, what);
    return NULL;
}

const char *edn_composite(struct scan *s, struct strbuf *scratch, struct strbuf *out)
{
    return element(s, 0, scratch, out);
}

void edn_put_literal(struct out *o, const char *json, size_t n)
{
    struct strbuf scratch = {0};
    struct arena messages = {0};
    struct scan s = {.p = json,
                     .end = json + n,
                     .start = json,
                     .path = "",
                     .messages = &messages,
                     .shown = json,
                     .counted = json,
                     .line = 1};
    while (s.p < s.end) {
        struct js_text t;
        if (*s.p == '"' && !js_string(&s, "a string", &scratch, &t)) {
            edn_put_string(o, t.s, t.n);
        } else if (*s.p == 'n') {
            out_text(o, "nil");
            s.p += 4;
        } else {
            out_char(o, *s.p == ',' ? ' ' : *s.p);
            s.p++;
        }
    }
    sb_free(&scratch);
    arena_free(&messages);
}
