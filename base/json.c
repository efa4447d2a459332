/* Pieces of JSON; see json.h. */
#include "base/json.h"

#include <jansson.h>

/* Past the closing quote, or to the end of the line if there is none. */
static const char *string_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '\n'; p++) {
        if (*p == '"')
            return p + 1;
        if (*p == '\\' && p + 1 < end)
            p++;
    }
    return p;
}

/* The jansson value of the bytes from `from` to s->p; NULL and *error if they are not one. */
static json_t *decode(struct scan *s, const char *from, const char **error)
{
    json_error_t e;
    json_t *v = json_loadb(from, (size_t)(s->p - from), JSON_DECODE_ANY, &e);
    if (!v)
        *error = scan_error(s, from, "invalid JSON: %s", e.text);
    return v;
}

const char *js_string(struct scan *s, const char *what, struct strbuf *scratch, struct js_text *out)
{
    const char *from = s->p, *p = from + 1;
    if (*from != '"')
        return scan_expected(s, from, what);
    while ((unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f && *p != '"' && *p != '\\')
        p++;
    if (*p == '"') {
        *out = (struct js_text){from + 1, (size_t)(p - from - 1)};
        s->p = p + 1;
        return NULL;
    }
    const char *error = NULL;
    s->p = string_end(from, s->end);
    json_t *v = decode(s, from, &error);
    if (!v)
        return error;
    if (!json_is_string(v)) {
        json_decref(v);
        return scan_expected(s, from, what);
    }
    sb_clear(scratch);
    sb_add(scratch, json_string_value(v), json_string_length(v));
    *out = (struct js_text){sb_str(scratch), json_string_length(v)};
    json_decref(v);
    return NULL;
}

/* After the digits that start at `from`: JSON has no leading zeros, and we have no fractions. */
const char *js_check_number(const struct scan *s, const char *from, const char *what)
{
    const char *digits = from + (*from == '-');
    char next = *s->p;
    int all = (int)strspn(from, "-+.0123456789eE");
    if (next == '.' || next == 'e' || next == 'E')
        return scan_error(s, from, "expected %s, found `%.*s`, which is not an integer", what,
                          all < 40 ? all : 40, from);
    if (digits[0] == '0' && s->p - digits > 1)
        return scan_error(s, from, "expected %s, found `%.*s`: JSON has no leading zeros", what,
                          all < 40 ? all : 40, from);
    return NULL;
}

const char *js_int(struct scan *s, const char *what, int64_t *out)
{
    const char *from = s->p;
    return scan_int(s, out) ? js_check_number(s, from, what) : scan_expected(s, from, what);
}

const char *js_uint(struct scan *s, const char *what, uint64_t *out)
{
    const char *from = s->p;
    return scan_uint(s, out) ? js_check_number(s, from, what) : scan_expected(s, from, what);
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || scan_is_digit(c) || c == '_';
}

bool js_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(s->p, word, n) || word_char(s->p[n]))
        return false;
    s->p += n;
    return true;
}

const char *js_pass(struct scan *s)
{
    const char *from = s->p;
    size_t depth = 0;
    for (; s->p < s->end && *s->p != '\n'; s->p++) {
        char c = *s->p;
        if (c == '"') {
            s->p = string_end(s->p, s->end) - 1;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}' || c == ',' || c == ' ' || c == '\t') {
            if (depth == 0)
                break; /* the end of a scalar: this belongs to what is around it */
            if ((c == ']' || c == '}') && --depth == 0) {
                s->p++;
                break;
            }
            continue;
        }
        if (depth == 0 && c == '"') {
            s->p++;
            break;
        }
    }
    if (depth || s->p == from)
        return scan_expected(s, s->p, depth ? "a closing bracket" : "a value");
    return NULL;
}

const char *js_skip(struct scan *s)
{
    const char *from = s->p;
    const char *error = js_pass(s);
    if (error)
        return error;
    json_t *v = decode(s, from, &error);
    json_decref(v);
    return error;
}
