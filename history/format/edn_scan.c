/* Tokens of EDN; see edn.h and the format's description, github.com/edn-format/edn. */
#include "history/format/edn.h"

#include "history/format/format_internal.h"

enum { DEPTH_MAX = 200 };

static const char *skip_form(struct scan *s, int depth);

static bool is_space(char c)
{
    return c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v';
}

/* Ends a number, a keyword or a symbol.  A NUL is one too: it ends the file or is an error. */
static bool is_delimiter(char c)
{
    switch (c) {
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case '"':
    case ';':
    case 0:
        return true;
    default:
        return is_space(c);
    }
}

static const char *space(struct scan *s, int depth)
{
    for (;;) {
        while (is_space(*s->p))
            s->p++;
        if (*s->p == ';') {
            const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));
            s->p = nl ? nl : s->end;
        } else if (s->p[0] == '#' && s->p[1] == '_') {
            s->p += 2;
            const char *error = skip_form(s, depth + 1);
            if (error)
                return error;
        } else {
            return NULL;
        }
    }
}

const char *edn_space_slow(struct scan *s)
{
    return space(s, 0);
}

/* #tag, but neither a set #{…} nor #_ nor ##Inf. */
static const char *tags(struct scan *s, int depth)
{
    while (*s->p == '#' && s->p[1] != '{' && s->p[1] != '_' && s->p[1] != '#') {
        const char *at = s->p++;
        while (!is_delimiter(*s->p))
            s->p++;
        if (!edn_is_tag(at + 1, s->p))
            return scan_expected(s, at, "a tag");
        const char *error = space(s, depth);
        if (error)
            return error;
    }
    return NULL;
}

const char *edn_tags(struct scan *s)
{
    return tags(s, 0);
}

static const char *skip_string(struct scan *s)
{
    const char *at = s->p++;
    while (*s->p != '"') {
        if (*s->p == '\\' && s->p + 1 < s->end)
            s->p++;
        if (scan_at_end(s))
            return scan_error(s, at, "expected the end of the string, found the end of the file");
        s->p++;
    }
    return edn_check_string(s, at + 1, s->p++);
}

static const char *skip_collection(struct scan *s, char close, bool map, int depth)
{
    const char *at = s->p++;
    size_t forms = 0;
    if (depth >= DEPTH_MAX)
        return scan_error(s, at, "expected at most %d levels of nesting", DEPTH_MAX);
    for (;; forms++) {
        const char *error = space(s, depth + 1);
        if (error)
            return error;
        if (*s->p == close) {
            if (map && forms % 2)
                return scan_expected(s, s->p, "a value for the last key of the map");
            s->p++;
            return NULL;
        }
        if (scan_at_end(s))
            return scan_error(s, at, "expected the matching bracket, found the end of the file");
        if ((error = skip_form(s, depth + 1)))
            return error;
    }
}

/* A number, keyword, symbol or character. */
static const char *skip_atom(struct scan *s)
{
    const char *at = s->p;
    if (*at == '\\') { /* \a, \newline, \( */
        s->p++;
        if (scan_at_end(s))
            return scan_expected(s, s->p, "a character");
        s->p++;
    }
    while (!is_delimiter(*s->p))
        s->p++;
    return s->p == at ? scan_expected(s, at, "a value") : edn_check_word(s, at, s->p);
}

static const char *skip_form(struct scan *s, int depth)
{
    if (depth > DEPTH_MAX)
        return scan_error(s, s->p, "expected at most %d levels of nesting", DEPTH_MAX);
    const char *error = space(s, depth);
    if (error || (error = tags(s, depth)))
        return error;
    switch (*s->p) {
    case '"':
        return skip_string(s);
    case '[':
        return skip_collection(s, ']', false, depth);
    case '(':
        return skip_collection(s, ')', false, depth);
    case '{':
        return skip_collection(s, '}', true, depth);
    case '#':
        if (s->p[1] == '{') {
            s->p++;
            return skip_collection(s, '}', false, depth);
        }
        return skip_atom(s); /* ##Inf */
    default:
        return skip_atom(s);
    }
}

const char *edn_skip(struct scan *s)
{
    return skip_form(s, 0);
}

/* --- tokens -------------------------------------------------------------------------------- */

static const char *unescape(struct scan *s, const char *at, struct strbuf *out)
{
    static const char from[] = "ntrbf\\\"", to[] = "\n\t\r\b\f\\\"";
    sb_clear(out);
    for (const char *p = at + 1, *end = s->p - 1; p < end; p++) {
        if (*p != '\\') {
            sb_putc(out, *p);
            continue;
        }
        const char *escape = p[1] ? strchr(from, p[1]) : NULL;
        if (!escape)
            return scan_expected(s, p, "one of the escapes \\n, \\t, \\r, \\\\, \\\"");
        sb_putc(out, to[escape - from]);
        p++;
    }
    return NULL;
}

static const char *string_token(struct scan *s, struct strbuf *scratch, struct edn_token *out)
{
    const char *at = s->p, *error = skip_string(s);
    if (error)
        return error;
    out->kind = EDN_STRING;
    out->s = at + 1;
    out->n = (size_t)(s->p - at) - 2;
    if (memchr(out->s, '\\', out->n)) {
        if ((error = unescape(s, at, scratch)))
            return error;
        out->s = sb_str(scratch);
        out->n = scratch->len;
    }
    if (fmt_is_keyword(out->s, out->n))
        return scan_error(s, at, "a string that looks like a keyword cannot be told from one");
    return NULL;
}

static const char *atom_token(struct scan *s, struct edn_token *out)
{
    const char *error = skip_form(s, 0);
    out->s = out->at;
    out->n = (size_t)(s->p - out->at);
    if (fmt_is_keyword(out->s, out->n))
        out->kind = EDN_KEYWORD;
    else
        out->kind = out->n == 3 && !memcmp(out->s, "nil", 3) ? EDN_NIL : EDN_OTHER;
    return error;
}

const char *edn_token(struct scan *s, const char *what, struct strbuf *scratch,
                      struct edn_token *out)
{
    const char *error = edn_space(s);
    *out = (struct edn_token){.kind = EDN_OTHER, .at = s->p};
    if (error)
        return error;
    if (scan_is_digit(*s->p) || *s->p == '-' || *s->p == '+') {
        const char *at = s->p;
        s->p += *at == '+' && scan_is_digit(at[1]);
        const char *digits = s->p + (*s->p == '-');
        bool padded = *digits == '0' && scan_is_digit(digits[1]); /* which EDN does not have */
        if (!padded && scan_int(s, &out->number)) {
            s->p += *s->p == 'N';
            out->kind = EDN_INTEGER;
            if (is_delimiter(*s->p))
                return NULL;
        }
        s->p = at;
        *out = (struct edn_token){.kind = EDN_OTHER, .at = at};
        return atom_token(s, out);
    }
    if (*s->p == '"')
        return string_token(s, scratch, out);
    if (strchr(")]}", *s->p)) /* also the NUL at the end */
        return scan_expected(s, s->p, what);
    return atom_token(s, out);
}

static bool is_word(const char *from, const char *to, const char *word)
{
    return (size_t)(to - from) == strlen(word) && !memcmp(from, word, strlen(word));
}

bool fmt_is_jepsen_results(const struct fmt_file *file)
{
    struct arena scrap = {0};
    struct fmt_context c = {.messages = &scrap};
    struct scan s = fmt_scan(file, &c);
    bool valid = false, type = false, broken = edn_space(&s) || edn_tags(&s) || *s.p != '{';
    s.p += !broken;
    while (!broken && !(broken = edn_space(&s) != NULL) && *s.p != '}') {
        const char *at = s.p;
        broken = edn_skip(&s) != NULL;
        valid |= is_word(at, s.p, ":valid?");
        type |= is_word(at, s.p, ":type");
        broken = broken || edn_skip(&s);
    }
    arena_free(&scrap);
    return valid && !type && !broken;
}
