/* Elle's and Jepsen's histories as JSON: what edn.c describes, in the notation that elle-cli
 * reads.
 *
 *     [{"type":"invoke","f":"txn","value":[["append",3,1],["r",4,null]],"process":0,"index":0},
 *      {"type":"ok","f":"txn","value":[["append",3,1],["r",4,[7,9]]],"process":0,"index":1}]
 *
 * The array may be missing: one object after the other.  A history of this kind means what the EDN
 * means, so it is translated, byte by byte in place, and read as EDN: the names that count become
 * keywords (`"type"` and `:type ` are equally long), colons become blanks, `null` becomes `nil `,
 * and fields that do not count become blanks altogether.  So every byte stays where it is, and
 * messages have the right place; they show the user's own bytes (scan.h).  The translation also
 * checks that everything is JSON. */
#include "history/format/format_internal.h"

#include "base/json.h"

enum { DEPTH_MAX = 200 };

struct translator {
    struct scan s; /* over the user's bytes */
    char *to;      /* the translation, of the same size */
    struct strbuf scratch;
};

static void space(struct translator *t)
{
    while (*t->s.p == ' ' || *t->s.p == '\t' || *t->s.p == '\n' || *t->s.p == '\r')
        t->s.p++;
}

static char *target(struct translator *t, const char *at)
{
    return t->to + (at - t->s.start);
}

static void blank(struct translator *t, const char *from, const char *end)
{
    for (const char *p = from; p < end; p++)
        if (*p != '\n')
            *target(t, p) = ' ';
}

/* After an element: is there another one?  *error is set if there is neither that nor the end. */
static bool more(struct translator *t, char close, bool *first, const char **error)
{
    space(t);
    if (*t->s.p == close) {
        t->s.p++;
        return false;
    }
    if (!*first) {
        if (*t->s.p != ',') {
            *error = scan_expected(&t->s, t->s.p, close == ']' ? "`,` or `]`" : "`,` or `}`");
            return false;
        }
        t->s.p++;
        space(t);
    }
    *first = false;
    return true;
}

/* A word that becomes a keyword. */
static const char *keyword(struct translator *t, const char *what)
{
    struct js_text text;
    const char *at = t->s.p, *error = js_string(&t->s, what, &t->scratch, &text);
    if (error)
        return error;
    struct strbuf b = {0};
    sb_printf(&b, ":%.*s", (int)text.n, text.s);
    if (!fmt_is_keyword(b.data, b.len))
        error = scan_expected(&t->s, at, what);
    blank(t, at, t->s.p);
    if (!error)
        memcpy(target(t, at), b.data, b.len);
    sb_free(&b);
    return error;
}

/* A string stays one, with the escapes of EDN, which are never longer. */
static const char *string(struct translator *t)
{
    struct js_text text;
    const char *at = t->s.p, *error = js_string(&t->s, "a string", &t->scratch, &text);
    if (error)
        return error;
    blank(t, at, t->s.p);
    char *out = target(t, at);
    *out++ = '"';
    for (size_t i = 0; i < text.n; i++) {
        static const char special[] = "\n\t\r\b\f\\\"", letter[] = "ntrbf\\\"";
        const char *escape = strchr(special, text.s[i]);
        if (escape)
            *out++ = '\\';
        *out++ = escape ? letter[escape - special] : text.s[i];
    }
    *out = '"';
    return NULL;
}

/* A scalar; null becomes nil. */
static const char *scalar(struct translator *t)
{
    const char *at = t->s.p;
    struct js_scalar v;
    if (*at == '"')
        return string(t);
    if (js_word(&t->s, "null")) {
        memcpy(target(t, at), "nil ", 4);
        return NULL;
    }
    return js_scalar(&t->s, "a value", &t->scratch, &v);
}

/* A value inside of an operation: a scalar or arrays of them. */
static const char *value(struct translator *t, int depth)
{
    if (*t->s.p != '[')
        return scalar(t);
    if (depth == DEPTH_MAX)
        return scan_error(&t->s, t->s.p, "expected at most %d levels of nesting", DEPTH_MAX);
    bool first = true;
    const char *error = NULL;
    t->s.p++;
    while (!error && more(t, ']', &first, &error))
        error = value(t, depth + 1);
    return error;
}

/* ["r", key, value]. */
static const char *operation(struct translator *t)
{
    bool first = true;
    const char *error = NULL;
    if (*t->s.p != '[')
        return scan_expected(&t->s, t->s.p,
                             "an operation, [\"r\", …], [\"w\", …] or [\"append\", …]");
    t->s.p++;
    for (int i = 0; !error && more(t, ']', &first, &error); i++)
        error = i ? value(t, 0) : keyword(t, "\"r\", \"w\" or \"append\"");
    return error;
}

static const char *operations(struct translator *t)
{
    bool first = true;
    const char *error = NULL;
    if (*t->s.p != '[')
        return scan_expected(&t->s, t->s.p, "an array of operations");
    t->s.p++;
    while (!error && more(t, ']', &first, &error))
        error = operation(t);
    return error;
}

/* Operations, a tuple [key, operations] of independent histories, or null. */
static const char *transaction(struct translator *t)
{
    struct scan look = t->s;
    if (*look.p++ != '[')
        return scalar(t);
    while (*look.p == ' ' || *look.p == '\t' || *look.p == '\n' || *look.p == '\r')
        look.p++;
    if (*look.p == '[' || *look.p == ']')
        return operations(t);
    bool first = true;
    const char *error = NULL;
    t->s.p++;
    for (int i = 0; !error && more(t, ']', &first, &error); i++)
        error = i == 1 ? operations(t) : scalar(t);
    return error;
}

/* --- events --------------------------------------------------------------------------------- */

/* Any value, over several lines if need be, that does not count. */
static const char *ignored(struct translator *t, int depth)
{
    char open = *t->s.p, close = open == '[' ? ']' : '}';
    struct js_text text;
    struct js_scalar v;
    if (js_word(&t->s, "null"))
        return NULL;
    if (open != '[' && open != '{')
        return js_scalar(&t->s, "a value", &t->scratch, &v);
    if (depth == DEPTH_MAX)
        return scan_error(&t->s, t->s.p, "expected at most %d levels of nesting", DEPTH_MAX);
    bool first = true;
    const char *error = NULL;
    t->s.p++;
    while (!error && more(t, close, &first, &error)) {
        if (open == '{') {
            if ((error = js_string(&t->s, "a field's name", &t->scratch, &text)))
                break;
            space(t);
            if ((error = js_char(&t->s, ':')))
                break;
            space(t);
        }
        error = ignored(t, depth + 1);
    }
    return error;
}

/* Where the value of an event is, name and all: what it means is known when all fields are. */
struct event {
    const char *name, *value; /* NULL: there is none yet */
    bool other;               /* the process is no client: its values may be anything */
};

static const char *field(struct translator *t, struct event *e)
{
    static const char *const names[] = {"type", "f", "value", "process", "time", "index"};
    struct js_text name;
    size_t which = 0;
    const char *at = t->s.p, *error = js_string(&t->s, "a field's name", &t->scratch, &name);
    if (error)
        return error;
    while (which < 6 && !js_is(&name, names[which]))
        which++;
    t->s.p = at;
    error = which < 6 ? keyword(t, "a field's name")
                      : js_string(&t->s, "a field's name", &t->scratch, &name);
    if (error)
        return error;
    space(t);
    const char *colon = t->s.p;
    if ((error = js_char(&t->s, ':')))
        return error;
    *target(t, colon) = ' ';
    space(t);
    if (which == 2) {
        if (e->value)
            return scan_error(&t->s, at, "expected one field \"value\", found two");
        e->name = at;
        e->value = t->s.p;
        return ignored(t, 0);
    }
    e->other |= which == 3 && *t->s.p == '"';
    if (which < 2 && *t->s.p == '"')
        return keyword(t, which ? "the name of a function"
                                : "\"invoke\", \"ok\", \"fail\" or \"info\"");
    if (which < 6)
        return scalar(t);
    error = ignored(t, 0);
    blank(t, at, t->s.p);
    return error;
}

static const char *event(struct translator *t)
{
    bool first = true;
    const char *error = NULL;
    struct event e = {0};
    if (*t->s.p != '{')
        return scan_expected(&t->s, t->s.p, "an operation, {\"type\": …}");
    t->s.p++;
    while (!error && more(t, '}', &first, &error))
        error = field(t, &e);
    if (error || !e.value)
        return error;
    const char *after = t->s.p;
    t->s.p = e.value;
    error = e.other ? ignored(t, 0) : transaction(t);
    if (e.other)
        blank(t, e.name, t->s.p);
    if (!error) /* an error's place is where it happened */
        t->s.p = after;
    return error;
}

static const char *translate(struct translator *t)
{
    bool first = true;
    const char *error = NULL;
    space(t);
    if (*t->s.p == '[') {
        t->s.p++;
        while (!error && more(t, ']', &first, &error) && !(error = scan_interrupted()))
            error = event(t);
    } else {
        for (; !error && !scan_at_end(&t->s) && !(error = scan_interrupted()); space(t))
            error = event(t);
    }
    space(t);
    return error || scan_at_end(&t->s) ? error
                                       : scan_expected(&t->s, t->s.p, "the end of the file");
}

static const char *read_elle(const struct fmt_input *in, struct fmt_context *c, struct history *h)
{
    struct fmt_file file = in->files.data[0];
    struct translator t = {.s = fmt_scan(&file, c), .to = mem_alloc(file.size + 1)};
    memcpy(t.to, file.data, file.size + 1);
    const char *error = translate(&t);
    if (!error) {
        file.shown = file.data;
        file.data = t.to;
        struct fmt_input edn = {.path = in->path};
        vec_push(&edn.files, file);
        error = fmt_edn.read(&edn, c, h);
        vec_free(&edn.files);
    }
    mem_free(t.to);
    sb_free(&t.scratch);
    return error;
}

/* An object whose fields include "type", maybe in an array. */
static enum fmt_match detect_elle(const struct fmt_input *in)
{
    if (in->folder)
        return FMT_NO;
    const char *p = in->files.data[0].data, *end = p + in->files.data[0].size;
    p += strspn(p, " \t\r\n");
    bool array = *p == '[';
    p += array;
    p += strspn(p, " \t\r\n");
    if (array && *p == ']')
        return FMT_MAYBE;
    if (*p != '{' || p[1 + strspn(p + 1, " \t\r\n")] != '"')
        return FMT_NO;
    const char *close = memchr(p, '}', (size_t)(end - p));
    return memmem(p, (size_t)((close ? close : end) - p), "\"type\"", 6) ? FMT_SURE : FMT_NO;
}

const struct format fmt_elle = {
    .name = "elle-json",
    .title = "Elle's and Jepsen's JSON, rw-register and list-append",
    .detect = detect_elle,
    .read = read_elle,
};
