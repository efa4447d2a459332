/* Values and keys that are not integers, spelt alike in all formats that have them.
 *
 * The name of a value is a number as decimal.h spells it, true, false, a keyword with its colon, or
 * a string in quotes (the quotes are only a mark: nothing is escaped inside).  So no two values
 * share a name, and every number has one. JSON has no keywords; there a keyword is the string with
 * the colon, and EDN strings that look like keywords are refused by its reader, so that conversions
 * there and back are exact. */
#include "history/format/reader.h"

#include <inttypes.h>

#include "base/strbuf.h"
#include "base/json.h"

bool fmt_is_keyword(const char *s, size_t n)
{
    bool slash = false; /* one may part a keyword in two, see edn_atom.c */
    if (n < 2 || s[0] != ':' || s[1] == '#')
        return false;
    for (size_t i = 1; i < n; i++) {
        if (s[i] == '/' && (slash || i == 1 || i + 1 == n))
            return false;
        slash |= s[i] == '/';
        if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
              (s[i] >= '0' && s[i] <= '9') || (s[i] && strchr("*!_?<>=.+/#$%&'-", s[i]))))
            return false;
    }
    return true;
}

struct hist_value fmt_int_value(struct fmt_context *c, struct history *h, int64_t v)
{
    if (!c->text_values)
        return hist_int(v);
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRId64, v);
    return hist_int(hist_value_text(h, text, (size_t)n));
}

struct hist_value fmt_text_value(struct history *h, const char *s, size_t n)
{
    if (fmt_is_keyword(s, n))
        return hist_int(hist_value_text(h, s, n));
    struct strbuf b = {0};
    sb_putc(&b, '"');
    sb_add(&b, s, n);
    sb_putc(&b, '"');
    struct hist_value v = hist_int(hist_value_text(h, b.data, b.len));
    sb_free(&b);
    return v;
}

uint32_t fmt_json_key(struct history *h, const struct js_scalar *k)
{
    if (k->kind == JS_INT)
        return hist_key_int(h, k->number);
    return k->kind == JS_TEXT ? hist_key_str(h, k->text.s, k->text.n)
                              : hist_key_literal(h, k->text.s, k->text.n);
}

const char *fmt_json_value(struct fmt_context *c, struct history *h, const struct js_scalar *v,
                           struct hist_value *out)
{
    if (v->kind == JS_INT) {
        *out = fmt_int_value(c, h, v->number);
        return NULL;
    }
    const char *error = fmt_need_text_values(c);
    if (!error)
        *out = v->kind == JS_TEXT ? fmt_text_value(h, v->text.s, v->text.n)
                                  : hist_int(hist_value_text(h, v->text.s, v->text.n));
    return error;
}

const char *fmt_need_text_values(struct fmt_context *c)
{
    if (c->text_values)
        return NULL;
    c->text_values = c->again = true;
    return "";
}

/* --- keys ---------------------------------------------------------------------------------- */

uint32_t fmt_new_key(struct fmt_keys *k, struct history *h, int64_t number)
{
    uint32_t key = hist_key_int(h, number);
    if (number >= 0 && number < 1 << 22) {
        if ((size_t)number >= k->ids.len)
            vec_resize(&k->ids, (size_t)number + 1);
        k->ids.data[number] = key + 1;
    }
    return key;
}
