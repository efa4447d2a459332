/* Rows with fields, ranges and predicates in visar's own format; see docs/history-format.md.
 *
 *     ["range",10,20,[[12,5],[17,{"a":1}]]]
 *     ["predicate",[["a","<",3],["b","=","x"]],[[17,{"a":1,"b":"x"}]]]
 *     ["predicate",[["a","<",3]],{"count":4}]
 *
 * A row is interned as the text of the object with its fields sorted, so equal rows are equal
 * values. */
#include "history/format/jsonl.h"

/* --- rows ---------------------------------------------------------------------------------- */

const char *jsonl_row(struct jsonl_reader *r, struct hist_value *out)
{
    const char *error = js_row(&r->s, &r->scratch, &r->field);
    if (!error)
        error = fmt_need_text_values(r->c);
    if (!error)
        *out = hist_int(hist_value_text(r->h, r->field.data, r->field.len));
    return error;
}

/* --- conditions ---------------------------------------------------------------------------- */

/* A scalar that stays what it is. */
static const char *constant(struct jsonl_reader *r, const char *field, size_t n,
                            enum hist_compare c)
{
    struct js_scalar v;
    js_space(&r->s);
    const char *error =
        js_scalar(&r->s, "a constant (a number, a string, true or false)", &r->scratch, &v);
    if (error)
        return error;
    if (v.kind == JS_INT || v.kind == JS_BOOL)
        hist_condition_number(r->h, field, n, c, v.kind == JS_BOOL ? HIST_BOOL : HIST_INT,
                              v.number);
    else
        hist_condition_text(r->h, field, n, c, v.kind == JS_TEXT ? HIST_TEXT : HIST_DECIMAL,
                            v.text.s, v.text.n);
    return NULL;
}

/* One end of a range of keys; null: it is open. */
static const char *range_end(struct jsonl_reader *r, enum hist_compare c, enum hist_type *type)
{
    js_space(&r->s);
    *type = HIST_OPEN;
    if (*r->s.p == 'n' && js_word(&r->s, "null")) {
        hist_condition_number(r->h, "key", 3, c, HIST_OPEN, 0);
        return NULL;
    }
    const char *at = r->s.p, *error = constant(r, "key", 3, c);
    if (error)
        return error;
    *type = *at == '"' ? HIST_TEXT : *at == 't' || *at == 'f' ? HIST_BOOL : HIST_INT;
    return *type == HIST_BOOL
               ? scan_expected(&r->s, at, "a number, a string or null as the end of the range")
               : NULL;
}

static const char *condition(struct jsonl_reader *r)
{
    static const char *const compares[] = {"=", "!=", "<", "<=", ">", ">="};
    struct js_text t;
    const char *error, *at;
    unsigned c = 0;
    if ((error = js_char(&r->s, '[')))
        return error;
    js_space(&r->s);
    if ((error = js_string(&r->s, "a field", &r->scratch, &t)))
        return error;
    sb_clear(&r->field);
    sb_add(&r->field, t.s, t.n);
    if ((error = js_char(&r->s, ',')))
        return error;
    js_space(&r->s);
    at = r->s.p;
    if ((error = js_string(&r->s, "a comparison", &r->scratch, &t)))
        return error;
    while (c < 6 && !js_is(&t, compares[c]))
        c++;
    if (c == 6)
        return scan_expected(&r->s, at, "\"=\", \"!=\", \"<\", \"<=\", \">\" or \">=\"");
    if ((error = js_char(&r->s, ',')) ||
        (error = constant(r, sb_str(&r->field), r->field.len, (enum hist_compare)c)))
        return error;
    return js_char(&r->s, ']');
}

/* --- results ------------------------------------------------------------------------------- */

/* [key, value] or [key, value, write id]. */
static const char *one_row(struct jsonl_reader *r)
{
    uint32_t key = 0;
    uint64_t id = 0;
    struct hist_value v = {0};
    const char *error;
    if ((error = js_char(&r->s, '[')) || (error = jsonl_key(r, &key)) ||
        (error = js_char(&r->s, ',')) || (error = jsonl_value(r, &v)))
        return error;
    js_space(&r->s);
    if (*r->s.p == ',') {
        r->s.p++;
        js_space(&r->s);
        const char *at = r->s.p;
        if ((error = js_uint(&r->s, "a write id", &id)))
            return error;
        if (!id)
            return scan_error(&r->s, at, "expected a write id above 0");
    }
    hist_returned_row(r->h, key, v, id);
    return js_char(&r->s, ']');
}

static const char *returned_rows(struct jsonl_reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error))
        error = one_row(r);
    return error;
}

static const char *number_or_null(struct jsonl_reader *r, struct hist_value *v)
{
    int64_t n = 0;
    js_space(&r->s);
    *v = hist_null();
    if (js_word(&r->s, "null"))
        return NULL;
    const char *error = js_int(&r->s, "the aggregate (an integer or null)", &n);
    *v = hist_int(n);
    return error;
}

/* {"count":3} or {"sum":["field",12]}. */
static const char *aggregate(struct jsonl_reader *r, enum hist_predicate_kind *kind)
{
    static const char *const names[] = {"count", "sum", "min", "max"};
    struct js_text t;
    struct hist_value v;
    unsigned k = 0;
    const char *error = js_char(&r->s, '{');
    if (error)
        return error;
    js_space(&r->s);
    const char *at = r->s.p;
    if ((error = js_string(&r->s, "an aggregate", &r->scratch, &t)))
        return error;
    while (k < 4 && !js_is(&t, names[k]))
        k++;
    if (k == 4)
        return scan_expected(&r->s, at, "\"count\", \"sum\", \"min\" or \"max\"");
    *kind = (enum hist_predicate_kind)(HIST_COUNT + k);
    if ((error = js_char(&r->s, ':')))
        return error;
    sb_clear(&r->field);
    if (k) {
        if ((error = js_char(&r->s, '[')))
            return error;
        js_space(&r->s);
        if ((error = js_string(&r->s, "a field", &r->scratch, &t)))
            return error;
        sb_add(&r->field, t.s, t.n);
        if ((error = js_char(&r->s, ',')))
            return error;
    }
    if ((error = number_or_null(r, &v)) || (k && (error = js_char(&r->s, ']'))))
        return error;
    hist_aggregate(r->h, sb_str(&r->field), r->field.len, v);
    return js_char(&r->s, '}');
}

/* --- operations ---------------------------------------------------------------------------- */

const char *jsonl_range(struct jsonl_reader *r)
{
    const char *error = js_char(&r->s, ',');
    if (error)
        return error;
    hist_predicate_read(r->h, HIST_RANGE);
    enum hist_type low, high;
    js_space(&r->s);
    const char *at = r->s.p;
    if ((error = range_end(r, HIST_GE, &low)) || (error = js_char(&r->s, ',')) ||
        (error = range_end(r, HIST_LE, &high)))
        return error;
    if (low != high && low != HIST_OPEN && high != HIST_OPEN)
        return scan_error(&r->s, at, "expected two numbers or two strings as ends of the range");
    if ((error = js_char(&r->s, ',')))
        return error;
    js_space(&r->s);
    return returned_rows(r);
}

const char *jsonl_predicate(struct jsonl_reader *r)
{
    bool first = true;
    const char *error = js_char(&r->s, ',');
    if (error)
        return error;
    hist_predicate_read(r->h, HIST_ROWS);
    error = js_char(&r->s, '[');
    while (!error && js_more(&r->s, ']', &first, &error))
        error = condition(r);
    if (error || (error = js_char(&r->s, ',')))
        return error;
    js_space(&r->s);
    if (*r->s.p != '{')
        return returned_rows(r);
    enum hist_predicate_kind kind = HIST_ROWS;
    error = aggregate(r, &kind);
    if (!error && r->h->predicates.len)
        vec_last(&r->h->predicates).kind = kind;
    return error;
}
