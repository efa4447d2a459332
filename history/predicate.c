/* Evaluating predicates; see predicate.h.
 *
 * Values that are objects are interned texts, as all values that are not integers; they are parsed
 * once, into one flat array of cells, because a predicate is evaluated on every version of every
 * row. */
#include "history/predicate.h"

#include <inttypes.h>

#include "base/json.h"

enum { FIELD_KEY, FIELD_VALUE };

/* --- rows ---------------------------------------------------------------------------------- */

static void add_text(struct pred *p, uint32_t field, enum hist_type type, const char *text,
                     size_t n)
{
    struct pred_cell c = {.field = field, .type = type};
    c.text = arena_strndup(&p->arena, text, n);
    c.len = n;
    vec_push(&p->cells, c);
    p->decimals |= type == HIST_DECIMAL;
}

static void add_number(struct pred *p, uint32_t field, enum hist_type type, int64_t v)
{
    vec_push(&p->cells, ((struct pred_cell){.field = field, .type = type, .number = v}));
}

static void add_scalar(struct pred *p, uint32_t field, const struct js_scalar *v)
{
    if (v->kind == JS_INT || v->kind == JS_BOOL)
        add_number(p, field, v->kind == JS_INT ? HIST_INT : HIST_BOOL, v->number);
    else
        add_text(p, field, v->kind == JS_TEXT ? HIST_TEXT : HIST_DECIMAL, v->text.s, v->text.n);
}

/* An object as the readers write it.  Whatever else looks like one has no fields. */
static void add_row(struct pred *p, const char *name, size_t n)
{
    struct scan s = {.p = name + 1, .end = name + n, .start = name, .path = "", .shown = name};
    struct strbuf scratch = {0};
    struct arena messages = {0};
    s.messages = &messages;
    bool first = true;
    const char *error = NULL;
    while (!error && js_more(&s, '}', &first, &error)) {
        struct js_text field;
        struct js_scalar v;
        if ((error = js_string(&s, "a field", &scratch, &field)))
            break;
        uint32_t id = intern_add(&p->fields, field.s, field.n);
        if (!(error = js_char(&s, ':')) && !(error = js_scalar(&s, "a value", &scratch, &v)))
            add_scalar(p, id, &v);
    }
    sb_free(&scratch);
    arena_free(&messages);
}

/* Names are objects, texts in quotes, keywords, true, false, or numbers. */
static void add_named(struct pred *p, const char *name, size_t n)
{
    if (n && name[0] == '{') {
        add_row(p, name, n);
        return;
    }
    if (n >= 2 && name[0] == '"') {
        add_text(p, FIELD_VALUE, HIST_TEXT, name + 1, n - 2);
        return;
    }
    bool yes = !strcmp(name, "true");
    struct decimal d;
    if (yes || !strcmp(name, "false"))
        add_number(p, FIELD_VALUE, HIST_BOOL, yes);
    else if (!n || decimal_length(name, n) != n || !decimal_read(name, n, &d))
        add_text(p, FIELD_VALUE, HIST_TEXT, name, n);
    else if (d.is_integer)
        add_number(p, FIELD_VALUE, HIST_INT, d.integer);
    else
        add_text(p, FIELD_VALUE, HIST_DECIMAL, d.text, d.len);
}

/* Keys that are literals are numbers that are no integers, booleans, or composite. */
static bool has_decimal_keys(const struct history *h)
{
    for (uint32_t k = 0; k < h->keys.len; k++) {
        if (!hist_key_is_literal(h, k))
            continue;
        uint32_t text = h->keys.data[k].text;
        size_t n = h->key_texts.lengths.data[text] - 1; /* without the mark of a literal */
        if (decimal_length(intern_name(&h->key_texts, text), n) == n)
            return true;
    }
    return false;
}

void pred_init(struct pred *p, const struct history *h)
{
    *p = (struct pred){.h = h, .decimals = has_decimal_keys(h)};
    intern_add(&p->fields, "key", 3);
    intern_add(&p->fields, "value", 5);
    size_t names = h->value_names.names.len;
    if (names)
        p->row_start = mem_alloc(mem_mul(names + 1, sizeof *p->row_start));
    for (size_t i = 0; i < names; i++) {
        p->row_start[i] = (uint32_t)p->cells.len;
        add_named(p, intern_name(&h->value_names, (uint32_t)i), h->value_names.lengths.data[i]);
    }
    if (names)
        p->row_start[names] = (uint32_t)p->cells.len;
    p->condition_field = mem_alloc(mem_mul(h->conditions.len + 1, sizeof *p->condition_field));
    for (size_t i = 0; i < h->conditions.len; i++) {
        uint32_t f = h->conditions.data[i].field;
        p->decimals |= h->conditions.data[i].type == HIST_DECIMAL;
        p->condition_field[i] =
            intern_add(&p->fields, intern_name(&h->texts, f), h->texts.lengths.data[f]);
    }
    p->text_field = mem_calloc(h->texts.names.len + 1, sizeof *p->text_field);
    for (size_t i = 0; i < h->predicates.len; i++) {
        uint32_t f = h->predicates.data[i].field;
        if (f != HIST_NONE)
            p->text_field[f] =
                intern_add(&p->fields, intern_name(&h->texts, f), h->texts.lengths.data[f]);
    }
}

void pred_free(struct pred *p)
{
    intern_free(&p->fields);
    mem_free(p->condition_field);
    mem_free(p->text_field);
    mem_free(p->row_start);
    vec_free(&p->cells);
    arena_free(&p->arena);
}

/* --- matching ------------------------------------------------------------------------------ */

static bool holds(int order, enum hist_compare c)
{
    switch (c) {
    case HIST_EQ:
        return order == 0;
    case HIST_NE:
        return order != 0;
    case HIST_LT:
        return order < 0;
    case HIST_LE:
        return order <= 0;
    case HIST_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* Where neither the cell nor the constant is a decimal, which is nearly always. */
static bool integer_holds(const struct hist_condition *c, enum hist_type type, int64_t v)
{
    return c->type == type && holds(v < c->value ? -1 : v > c->value, c->compare);
}

static bool text_holds(const struct history *h, const struct hist_condition *c, const char *s,
                       size_t n)
{
    if (c->type != HIST_TEXT)
        return false;
    const char *t = intern_name(&h->texts, (uint32_t)c->value);
    size_t m = h->texts.lengths.data[c->value];
    int d = memcmp(s, t, n < m ? n : m);
    return holds(d ? d : n < m ? -1 : n > m, c->compare);
}

/* The number is text, if there is one, else v. */
static bool decimal_holds(const struct history *h, const struct hist_condition *c, const char *text,
                          size_t n, int64_t v)
{
    char left[24], right[24];
    const char *constant = right;
    size_t m;
    if (c->type != HIST_INT && c->type != HIST_DECIMAL)
        return false;
    if (!text) {
        n = (size_t)snprintf(left, sizeof left, "%" PRId64, v);
        text = left;
    }
    if (c->type == HIST_DECIMAL) {
        constant = intern_name(&h->texts, (uint32_t)c->value);
        m = h->texts.lengths.data[c->value];
    } else {
        m = (size_t)snprintf(right, sizeof right, "%" PRId64, c->value);
    }
    return holds(decimal_compare(text, n, constant, m), c->compare);
}

static bool number_holds(const struct history *h, const struct hist_condition *c, int64_t v)
{
    return c->type == HIST_DECIMAL ? decimal_holds(h, c, NULL, 0, v)
                                   : integer_holds(c, HIST_INT, v);
}

/* A composite key is no number and no text; a key that is a decimal, true or false is what it is.
 */
static bool literal_key_holds(const struct history *h, const struct hist_condition *c,
                              const char *text, size_t n)
{
    if (decimal_length(text, n) == n)
        return decimal_holds(h, c, text, n, 0);
    return *text != '[' && integer_holds(c, HIST_BOOL, *text == 't');
}

static bool key_holds(const struct history *h, const struct hist_condition *c, uint32_t key)
{
    if (c->type == HIST_OPEN)
        return true;
    const struct hist_key_name *k = &h->keys.data[key];
    if (k->text == HIST_NONE)
        return number_holds(h, c, k->number);
    const char *text = intern_name(&h->key_texts, k->text);
    size_t n = h->key_texts.lengths.data[k->text];
    return hist_key_is_literal(h, key) ? literal_key_holds(h, c, text, n - 1)
                                       : text_holds(h, c, text, n);
}

static bool cell_holds(const struct history *h, const struct hist_condition *c,
                       const struct pred_cell *cell)
{
    switch ((enum hist_type)cell->type) {
    case HIST_INT:
        return number_holds(h, c, cell->number);
    case HIST_TEXT:
        return text_holds(h, c, cell->text, cell->len);
    case HIST_DECIMAL:
        return decimal_holds(h, c, cell->text, cell->len, 0);
    default:
        return integer_holds(c, HIST_BOOL, cell->number);
    }
}

static const struct pred_cell *find_cell(const struct pred *p, int64_t value, uint32_t field)
{
    if (!p->row_start || value < 0 || (uint64_t)value >= p->h->value_names.names.len)
        return NULL;
    for (uint32_t i = p->row_start[value]; i < p->row_start[value + 1]; i++)
        if (p->cells.data[i].field == field)
            return &p->cells.data[i];
    return NULL;
}

/* The integer in a field of a row; false: there is none. */
static bool row_number(const struct pred *p, uint32_t field, uint32_t key, struct hist_value v,
                       int64_t *out)
{
    const struct history *h = p->h;
    if (field == FIELD_KEY) {
        *out = h->keys.data[key].number;
        return h->keys.data[key].text == HIST_NONE;
    }
    if (!p->row_start) {
        *out = v.value;
        return field == FIELD_VALUE;
    }
    const struct pred_cell *cell = find_cell(p, v.value, field);
    *out = cell ? cell->number : 0;
    return cell && cell->type == HIST_INT;
}

static bool condition_holds(const struct pred *p, uint32_t i, uint32_t key, struct hist_value v)
{
    const struct history *h = p->h;
    const struct hist_condition *c = &h->conditions.data[i];
    uint32_t field = p->condition_field[i];
    if (field == FIELD_KEY)
        return key_holds(h, c, key);
    if (!p->row_start)
        return field == FIELD_VALUE && number_holds(h, c, v.value);
    const struct pred_cell *cell = find_cell(p, v.value, field);
    return cell && cell_holds(h, c, cell);
}

uint32_t pred_inexact_aggregate(const struct pred *p)
{
    const struct history *h = p->h;
    for (uint32_t i = 0; i < h->predicates.len; i++) {
        uint32_t field = h->predicates.data[i].field;
        if (field != HIST_NONE && p->text_field[field] == FIELD_KEY && has_decimal_keys(h))
            return i;
        for (size_t k = 0; field != HIST_NONE && k < p->cells.len; k++)
            if (p->cells.data[k].type == HIST_DECIMAL &&
                p->cells.data[k].field == p->text_field[field])
                return i;
    }
    return HIST_NONE;
}

bool pred_matches(const struct pred *p, const struct hist_predicate *q, uint32_t key,
                  struct hist_value v)
{
    bool all = !v.null;
    for (uint32_t i = 0; i < q->condition_count && all; i++)
        all = condition_holds(p, q->conditions + i, key, v);
    return all;
}

/* --- many rows ----------------------------------------------------------------------------- */

static const struct pred_column *column(struct pred_table *t, uint32_t field)
{
    for (size_t i = 0; i < t->columns.len; i++)
        if (t->columns.data[i].field == field)
            return &t->columns.data[i];
    struct pred_column *c = vec_add(&t->columns);
    c->field = field;
    c->number = mem_alloc(mem_mul(t->len + 1, sizeof *c->number));
    c->has = mem_alloc(t->len + 1);
    for (size_t i = 0; i < t->len; i++)
        c->has[i] = row_number(t->p, field, t->key[i], t->value[i], &c->number[i]);
    return c;
}

/* One loop per comparison, so that the compiler can take many rows at a time. */
static void filter(const struct pred_column *c, enum hist_compare compare, int64_t v, size_t n,
                   uint8_t *match)
{
#define FILTER(op)                                                                                 \
    for (size_t i = 0; i < n; i++)                                                                 \
        match[i] &= c->has[i] & (c->number[i] op v);                                               \
    break
    switch (compare) {
    case HIST_EQ:
        FILTER(==);
    case HIST_NE:
        FILTER(!=);
    case HIST_LT:
        FILTER(<);
    case HIST_LE:
        FILTER(<=);
    case HIST_GT:
        FILTER(>);
    case HIST_GE:
        FILTER(>=);
    }
#undef FILTER
}

void pred_table_match(struct pred_table *t, const struct hist_predicate *q, uint8_t *match)
{
    for (size_t i = 0; i < t->len; i++)
        match[i] = !t->value[i].null;
    for (uint32_t c = q->conditions; c < q->conditions + q->condition_count; c++) {
        const struct hist_condition *cond = &t->p->h->conditions.data[c];
        if (cond->type == HIST_INT && !t->p->decimals) {
            filter(column(t, t->p->condition_field[c]), (enum hist_compare)cond->compare,
                   cond->value, t->len, match);
            continue;
        }
        for (size_t i = 0; i < t->len; i++)
            match[i] = match[i] && condition_holds(t->p, c, t->key[i], t->value[i]);
    }
}

void pred_table_free(struct pred_table *t)
{
    for (size_t i = 0; i < t->columns.len; i++) {
        mem_free(t->columns.data[i].number);
        mem_free(t->columns.data[i].has);
    }
    vec_free(&t->columns);
}

/* --- aggregates ---------------------------------------------------------------------------- */

/* The integer in the aggregate's field; false: there is none. */
static bool field_number(const struct pred *p, const struct hist_predicate *q, uint32_t key,
                         struct hist_value v, int64_t *out)
{
    return q->field != HIST_NONE && row_number(p, p->text_field[q->field], key, v, out);
}

void pred_add(const struct pred *p, const struct hist_predicate *q, uint32_t key,
              struct hist_value v, struct pred_sum *s)
{
    int64_t n;
    s->count++;
    if (!field_number(p, q, key, v, &n))
        return;
    s->sum += n;
    s->least = !s->numbers || n < s->least ? n : s->least;
    s->greatest = !s->numbers || n > s->greatest ? n : s->greatest;
    s->numbers++;
}

bool pred_agrees(const struct hist_predicate *q, const struct pred_sum *s)
{
    struct hist_value r = q->result;
    switch (q->kind) {
    case HIST_COUNT:
        return !r.null && r.value >= 0 && (uint64_t)r.value == s->count;
    case HIST_SUM:
        return r.null ? !s->numbers : s->numbers && (__int128)r.value == s->sum;
    case HIST_MIN:
        return r.null ? !s->numbers : s->numbers && r.value == s->least;
    case HIST_MAX:
        return r.null ? !s->numbers : s->numbers && r.value == s->greatest;
    default:
        return true;
    }
}

void pred_sum_text(const struct hist_predicate *q, const struct pred_sum *s, struct strbuf *out)
{
    if (q->kind == HIST_COUNT)
        sb_printf(out, "%" PRIu64, s->count);
    else if (!s->numbers)
        sb_puts(out, "null");
    else if (q->kind != HIST_SUM)
        sb_printf(out, "%" PRId64, q->kind == HIST_MIN ? s->least : s->greatest);
    else if (s->sum >= INT64_MIN && s->sum <= INT64_MAX)
        sb_printf(out, "%" PRId64, (int64_t)s->sum);
    else
        sb_puts(out, "more than 64 bits hold");
}

/* --- texts --------------------------------------------------------------------------------- */

static void constant_text(const struct history *h, const struct hist_condition *c,
                          struct strbuf *out)
{
    if (c->type == HIST_TEXT)
        sb_printf(out, "'%s'", intern_name(&h->texts, (uint32_t)c->value));
    else if (c->type == HIST_DECIMAL)
        sb_puts(out, intern_name(&h->texts, (uint32_t)c->value));
    else if (c->type == HIST_BOOL)
        sb_puts(out, c->value ? "true" : "false");
    else if (c->type != HIST_OPEN)
        sb_printf(out, "%" PRId64, c->value);
}

void pred_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out)
{
    static const char *const compare[] = {"=", "!=", "<", "<=", ">", ">="};
    const struct hist_condition *c = h->conditions.data + q->conditions;
    if (q->kind == HIST_RANGE) {
        constant_text(h, &c[0], out);
        sb_puts(out, c[0].type == HIST_OPEN ? "… " : c[1].type == HIST_OPEN ? " …" : " … ");
        constant_text(h, &c[1], out);
        return;
    }
    for (uint32_t i = 0; i < q->condition_count; i++) {
        sb_printf(out, "%s%s %s ", i ? " and " : "", intern_name(&h->texts, c[i].field),
                  compare[c[i].compare]);
        constant_text(h, &c[i], out);
    }
    if (!q->condition_count)
        sb_puts(out, PRED_ALL);
}

void pred_identity(const struct history *h, const struct hist_predicate *q, struct strbuf *out)
{
    const struct hist_condition *c = h->conditions.data + q->conditions;
    sb_puts(out, q->kind == HIST_RANGE ? "range" : "rows");
    for (uint32_t i = 0; i < q->condition_count; i++)
        sb_printf(out, ";%" PRIu32 ",%u,%d,%" PRId64, c[i].field, c[i].compare, c[i].type,
                  c[i].value);
}

void pred_aggregate_identity(const struct history *h, const struct hist_predicate *q,
                             struct strbuf *out)
{
    sb_printf(out, "%d,%" PRIu32 ";", (int)q->kind, q->field);
    pred_identity(h, q, out);
}

void pred_kind_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out)
{
    static const char *const kinds[] = {"rows", "range", "count", "sum", "min", "max"};
    sb_puts(out, kinds[q->kind]);
    if (q->field != HIST_NONE)
        sb_printf(out, "(%s)", intern_name(&h->texts, q->field));
}

void pred_read_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out)
{
    bool all = !q->condition_count;
    if (all && q->kind == HIST_ROWS) {
        sb_puts(out, "all rows");
        return;
    }
    pred_kind_text(h, q, out);
    sb_puts(out, all ? " of all rows" : q->kind == HIST_RANGE ? " " : " where ");
    if (!all)
        pred_text(h, q, out);
}

void pred_result_text(const struct history *h, const struct hist_predicate *q, struct strbuf *out)
{
    pred_read_text(h, q, out);
    if (q->result.null)
        sb_puts(out, ", which gave null");
    else
        sb_printf(out, ", which gave %" PRId64, q->result.value);
}

const struct hist_predicate *pred_of_row(const struct history *h, uint32_t op)
{
    for (uint32_t i = hist_first_predicate(h, hist_op_txn(h, op)); i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        if (q->any && op >= q->first_op && op < q->first_op + q->rows)
            return q;
    }
    return NULL;
}
