/* Every type of value in a report is a `shape`; an object's shape lists its members.  Members that
 * are not listed are ignored, because later versions may add some.  A member that replay does not
 * use may be missing, but if it is there it has to be right: a file that was changed by hand, or
 * torn, is not to be trusted in its other parts either. */
#include "database/plan_shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "models/models.h"

enum kind { TEXT, WORD, MODEL, NUMBER, REAL, TRUTH, VALUE, KEY, OBJECT, LIST };

struct member;
struct shape {
    enum kind kind;
    bool nullable;
    const char *const *words;     /* WORD: one of these */
    json_int_t least, most;       /* NUMBER: the range; LIST: of its length */
    const struct member *members; /* OBJECT: the last has no name */
    const struct shape *item;     /* LIST */
};

struct member {
    const char *name;
    bool optional;
    const struct shape *shape;
};

#define MANY INT64_MAX
#define LIST_OF(name, of, limit)                                                                   \
    static const struct shape name = {.kind = LIST, .item = &(of), .most = (limit)}
#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define MEMBERS(...)                                                                               \
    (const struct member[])                                                                        \
    {                                                                                              \
        __VA_ARGS__, {0}                                                                           \
    }
#define NEEDED(name, shape) {name, false, &(shape)}
#define OPTIONAL(name, shape) {name, true, &(shape)}

/* ---- scalars -------------------------------------------------------------------------------- */

static const struct shape text = {.kind = TEXT};
static const struct shape text_or_null = {.kind = TEXT, .nullable = true};
static const struct shape model = {.kind = MODEL};
static const struct shape model_or_null = {.kind = MODEL, .nullable = true};
static const struct shape truth = {.kind = TRUTH};
static const struct shape real = {.kind = REAL};
static const struct shape value = {.kind = VALUE};
static const struct shape key = {.kind = KEY};
static const struct shape number = {.kind = NUMBER, .most = MANY};
static const struct shape from_one = {.kind = NUMBER, .least = 1, .most = UINT32_MAX};
static const struct shape small = {.kind = NUMBER, .most = PLAN_TXNS_MAX};
static const struct shape id = {.kind = NUMBER, .most = PLAN_TXNS_MAX - 1};
static const struct shape id_or_null = {
    .kind = NUMBER, .nullable = true, .most = PLAN_TXNS_MAX - 1};
static const struct shape status = {
    .kind = WORD,
    .words = WORDS("proved", "holds", "violated", "unknown", "vacuous", "internal error")};
static const struct shape end = {.kind = WORD,
                                 .words = WORDS("committed", "rolled back", "check failed")};
static const struct shape schema = {.kind = WORD, .words = WORDS("visar/1")};
static const struct shape command = {.kind = WORD, .words = WORDS("verify")};
static const struct shape property_kind = {
    .kind = WORD,
    .words = WORDS("invariant", "final predicate", "assertion", "overflow check", "bounds check",
                   "division check", "shift check")};
static const struct shape observe = {.kind = WORD, .words = WORDS("final", "snapshots")};
static const struct shape granularity = {.kind = WORD, .words = WORDS("row", "field")};
static const struct shape opinion = {.kind = WORD, .words = WORDS("agrees", "undecided", "none")};

/* ---- objects -------------------------------------------------------------------------------- */

static const struct shape location = {
    .kind = OBJECT,
    .nullable = true,
    .members =
        MEMBERS(OPTIONAL("file", text), NEEDED("line", from_one), NEEDED("column", from_one))};

static const struct shape field = {.kind = OBJECT,
                                   .members = MEMBERS(OPTIONAL("name", text), NEEDED("path", text),
                                                      NEEDED("value", value),
                                                      OPTIONAL("assigned", truth))};
LIST_OF(fields, field, MANY);
LIST_OF(indices, number, PLAN_DIMS_MAX);
LIST_OF(ids, id, PLAN_TXNS_MAX);
LIST_OF(sets, ids, MANY);
LIST_OF(values, value, MANY);

#define ROW                                                                                        \
    NEEDED("row", text), NEEDED("table", text), NEEDED("index", indices), NEEDED("fields", fields)

static const struct shape row = {.kind = OBJECT, .members = MEMBERS(ROW)};
static const struct shape write = {.kind = OBJECT,
                                   .members = MEMBERS(ROW, OPTIONAL("location", location))};
static const struct shape read = {
    .kind = OBJECT,
    .members = MEMBERS(ROW, NEEDED("from", id_or_null), OPTIONAL("missed", id_or_null),
                       NEEDED("point", number), OPTIONAL("statement", number),
                       OPTIONAL("carried_over", truth), OPTIONAL("location", location),
                       OPTIONAL("key", key), OPTIONAL("statement_key", key))};
static const struct shape input = {
    .kind = OBJECT,
    .members = MEMBERS(OPTIONAL("name", text), OPTIONAL("type", text), NEEDED("value", value),
                       NEEDED("parameter", truth), OPTIONAL("used", truth), OPTIONAL("key", key),
                       OPTIONAL("fresh", truth))};
LIST_OF(rows, row, MANY);
LIST_OF(reads, read, MANY);
LIST_OF(writes, write, MANY);
LIST_OF(inputs, input, MANY);

static const struct shape transaction = {
    .kind = OBJECT,
    .members = MEMBERS(
        NEEDED("id", id), NEEDED("name", text), NEEDED("function", text), NEEDED("level", model),
        NEEDED("session", id), NEEDED("position", id), OPTIONAL("definition", location),
        OPTIONAL("call", location), NEEDED("end", end), OPTIONAL("end_location", location),
        NEEDED("inputs", inputs), NEEDED("sees", sets), NEEDED("reads", reads),
        NEEDED("writes", writes), NEEDED("locks", rows), NEEDED("returned", values))};
LIST_OF(transactions, transaction, PLAN_TXNS_MAX);

static const struct shape observer = {
    .kind = OBJECT,
    .nullable = true,
    .members = MEMBERS(NEEDED("function", text), OPTIONAL("inputs", inputs),
                       NEEDED("position", small), NEEDED("sees", sets), NEEDED("reads", reads),
                       OPTIONAL("condition", text_or_null), OPTIONAL("values", text_or_null))};

static const struct shape anomaly = {
    .kind = OBJECT,
    .nullable = true,
    .members =
        MEMBERS(NEEDED("name", text), OPTIONAL("text", text), NEEDED("ruled_out_by", model))};

static const struct shape execution = {
    .kind = OBJECT,
    .nullable = true,
    .members = MEMBERS(NEEDED("model", model_or_null), NEEDED("session_order", truth),
                       NEEDED("scenario", text_or_null), OPTIONAL("rows", number),
                       OPTIONAL("shown", number), NEEDED("inputs", inputs), NEEDED("initial", rows),
                       NEEDED("transactions", transactions), NEEDED("arbitration", ids),
                       NEEDED("final", rows), NEEDED("observer", observer),
                       NEEDED("anomaly", anomaly), OPTIONAL("second_opinion", opinion))};

static const struct shape property = {
    .kind = OBJECT,
    .members = MEMBERS(NEEDED("kind", property_kind), NEEDED("name", text),
                       OPTIONAL("function", text_or_null), NEEDED("location", location))};

static const struct shape verdict = {
    .kind = OBJECT,
    .members = MEMBERS(NEEDED("property", property), NEEDED("status", status),
                       OPTIONAL("reason", text_or_null), OPTIONAL("scenario", text_or_null),
                       OPTIONAL("bound", number), OPTIONAL("rows", number),
                       OPTIONAL("from_invariants", truth), OPTIONAL("seconds", real),
                       NEEDED("execution", execution))};
LIST_OF(verdicts, verdict, MANY);

static const struct shape result = {
    .kind = OBJECT,
    .members =
        MEMBERS(NEEDED("model", model), NEEDED("status", status), NEEDED("verdicts", verdicts))};
LIST_OF(results, result, MANY);

static const struct shape report_shape = {
    .kind = OBJECT,
    .members = MEMBERS(NEEDED("schema", schema), NEEDED("command", command), NEEDED("file", text),
                       OPTIONAL("verdict", status), OPTIONAL("session_order", truth),
                       OPTIONAL("observe", observe), NEEDED("granularity", granularity),
                       NEEDED("results", results))};

/* ---- checking ------------------------------------------------------------------------------- */

struct checker {
    struct strbuf path;
    struct strbuf expected; /* not empty: there is something wrong at `path` */
    const json_t *found;    /* or NULL: it is missing */
};

static bool is_word(const char *s, const char *const *words)
{
    for (; s && *words; words++)
        if (!strcmp(s, *words))
            return true;
    return false;
}

static bool is_integer_text(const char *s)
{
    size_t n = s ? strlen(s += *s == '-') : 0;
    return n > 0 && n < 40 && strspn(s, "0123456789") == n;
}

static bool is_key(const char *s)
{
    size_t n = s ? strlen(s) : 0;
    return n > 0 && n <= 16 && strspn(s, "0123456789abcdefABCDEF") == n;
}

static bool fits(const json_t *j, const struct shape *s)
{
    switch (s->kind) {
    case TEXT:
        return json_is_string(j);
    case WORD:
        return is_word(json_string_value(j), s->words);
    case MODEL:
        return json_is_string(j) && model_find_any(json_string_value(j));
    case NUMBER:
        return json_is_integer(j) && json_integer_value(j) >= s->least &&
               json_integer_value(j) <= s->most;
    case REAL:
        return json_is_number(j);
    case TRUTH:
        return json_is_boolean(j);
    case VALUE:
        return json_is_boolean(j) || json_is_integer(j) || is_integer_text(json_string_value(j));
    case KEY:
        return is_key(json_string_value(j));
    case OBJECT:
        return json_is_object(j);
    case LIST:
        return json_is_array(j) && (json_int_t)json_array_size(j) <= s->most;
    }
    return false;
}

static void put_words(const char *const *words, struct strbuf *out)
{
    for (size_t i = 0; words[i]; i++)
        sb_printf(out, "%s\"%s\"", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

static void put_expected(const struct shape *s, struct strbuf *out)
{
    static const char *const names[] = {[TEXT] = "a text",
                                        [MODEL] = "the name of a model",
                                        [REAL] = "a number",
                                        [TRUTH] = "true or false",
                                        [VALUE] = "true, false or an integer",
                                        [KEY] = "64 bits in hexadecimal",
                                        [OBJECT] = "an object"};
    if (s->kind == WORD)
        put_words(s->words, out);
    else if (s->kind == LIST && s->most < MANY)
        sb_printf(out, "a list of at most %lld items", (long long)s->most);
    else if (s->kind == LIST)
        sb_puts(out, "a list");
    else if (s->kind == NUMBER && s->most < UINT32_MAX)
        sb_printf(out, "an integer from %lld to %lld", (long long)s->least, (long long)s->most);
    else if (s->kind == NUMBER)
        sb_printf(out, "an integer from %lld", (long long)s->least);
    else
        sb_puts(out, names[s->kind]);
    if (s->nullable)
        sb_puts(out, ", or null");
}

static void cut(struct strbuf *b, size_t n)
{
    b->len = n;
    if (b->data)
        b->data[n] = 0;
}

static bool check(struct checker *c, const json_t *j, const struct shape *s);

static bool check_members(struct checker *c, const json_t *j, const struct shape *s)
{
    size_t n = c->path.len;
    for (const struct member *m = s->members; m->name; m++) {
        const json_t *child = json_object_get(j, m->name);
        if (!child && m->optional)
            continue;
        sb_printf(&c->path, "%s%s", n ? "." : "", m->name);
        if (!check(c, child, m->shape))
            return false;
        cut(&c->path, n);
    }
    return true;
}

static bool check_items(struct checker *c, const json_t *j, const struct shape *s)
{
    size_t n = c->path.len;
    for (size_t i = 0; i < json_array_size(j); i++) {
        sb_printf(&c->path, "[%zu]", i);
        if (!check(c, json_array_get(j, i), s->item))
            return false;
        cut(&c->path, n);
    }
    return true;
}

static bool check(struct checker *c, const json_t *j, const struct shape *s)
{
    if (s->nullable && json_is_null(j))
        return true;
    if (!fits(j, s)) {
        put_expected(s, &c->expected);
        c->found = j;
        return false;
    }
    return s->kind == OBJECT ? check_members(c, j, s)
           : s->kind == LIST ? check_items(c, j, s)
                             : true;
}

/* What is there instead, on one line, without anything that a terminal would obey. */
static void put_found(const json_t *j, struct strbuf *out)
{
    enum { LONGEST = 60 };
    if (!j) {
        sb_puts(out, "it is missing");
    } else if (json_is_object(j) || json_is_array(j)) {
        sb_printf(out, "found %s of %zu", json_is_object(j) ? "an object" : "a list",
                  json_is_object(j) ? json_object_size(j) : json_array_size(j));
    } else {
        char *s = json_dumps(j, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
        sb_printf(out, "found %.*s%s", LONGEST, s ? s : "", s && strlen(s) > LONGEST ? "…" : "");
        free(s);
    }
}

const char *plan_check_shape(const json_t *report, struct arena *messages)
{
    struct checker c = {0};
    struct strbuf b = {0};
    const char *error = NULL;
    if (!check(&c, report, &report_shape)) {
        sb_printf(&b, "%s%sexpected %s, ", sb_str(&c.path), c.path.len ? ": " : "",
                  sb_str(&c.expected));
        put_found(c.found, &b);
        error = arena_strdup(messages, sb_str(&b));
    }
    sb_free(&c.path);
    sb_free(&c.expected);
    sb_free(&b);
    return error;
}
