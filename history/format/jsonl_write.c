/* Writing visar's own format, docs/history-format.md; its reader is in jsonl.c.  Transactions
 * stand in the history's order, so that their numbers are their places. */
#include "history/format/format_internal.h"

#include <jansson.h>

#include "history/format/text_out.h"

static void put_string(struct out *o, const char *s, size_t n)
{
    json_t *v = json_stringn(s, n);
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;
    if (text) {
        out_text(o, text);
    } else { /* not UTF-8: only names of files can be that */
        out_char(o, '"');
        for (size_t i = 0; i < n; i++)
            out_char(o, s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\' ? s[i] : '?');
        out_char(o, '"');
    }
    free(text);
    json_decref(v);
}

static void put_key(struct out *o, const struct history *h, uint32_t key)
{
    const struct hist_key_name *k = &h->keys.data[key];
    if (k->text == HIST_NONE)
        out_int(o, k->number);
    else if (hist_key_is_literal(h, key))
        out_text(o, intern_name(&h->key_texts, k->text));
    else
        put_string(o, intern_name(&h->key_texts, k->text), h->key_texts.lengths.data[k->text]);
}

static void put_integer(struct out *o, const struct history *h, int64_t value)
{
    struct fmt_named name = fmt_value_name(h, value);
    if (name.kind == FMT_INTEGER)
        out_int(o, value);
    else if (name.kind == FMT_LITERAL || name.kind == FMT_ROW)
        out_bytes(o, name.s, name.n);
    else
        put_string(o, name.s, name.n);
}

static void put_value(struct out *o, const struct history *h, struct hist_value v)
{
    if (v.null)
        out_text(o, "null");
    else
        put_integer(o, h, v.value);
}

static void put_details(struct out *o, uint8_t flags, uint64_t id)
{
    char separator = '{';
    out_char(o, ',');
    if (id) {
        out_text(o, "{\"id\":");
        out_uint(o, id);
        separator = ',';
    }
    static const struct {
        enum hist_op_flags flag;
        const char *text;
    } names[] = {{HIST_OP_INITIAL, "\"initial\":true"},
                 {HIST_OP_FAILED, "\"failed\":true"},
                 {HIST_OP_SAME_STMT, "\"same-statement\":true"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].flag) {
            out_char(o, separator);
            out_text(o, names[i].text);
            separator = ',';
        }
    out_char(o, '}');
}

/* same: in one statement with a read of several rows before it that returned none. */
static void put_op(struct out *o, const struct history *h, uint32_t index, bool same)
{
    const struct hist_op *op = &h->ops.data[index];
    uint64_t id = h->write_ids ? h->write_ids[index] : 0;
    out_text(o, op->kind == HIST_WRITE    ? "[\"w\","
                : op->kind == HIST_APPEND ? "[\"append\","
                                          : "[\"r\",");
    put_key(o, h, op->key);
    out_char(o, ',');
    if (op->kind == HIST_LIST_READ) {
        out_char(o, '[');
        for (uint32_t i = 0; i < op->list.len; i++) {
            if (i)
                out_char(o, ',');
            put_integer(o, h, h->lists.data[op->list.start + i]);
        }
        out_char(o, ']');
    } else {
        put_value(o, h, hist_op_value(op));
    }
    uint8_t flags = op->flags | (same ? HIST_OP_SAME_STMT : 0);
    if (id || flags & (HIST_OP_INITIAL | HIST_OP_FAILED | HIST_OP_SAME_STMT))
        put_details(o, flags, id);
    out_char(o, ']');
}

/* --- reads of several rows --- */

static void put_text(struct out *o, const struct history *h, uint32_t id)
{
    put_string(o, intern_name(&h->texts, id), h->texts.lengths.data[id]);
}

static void put_constant(struct out *o, const struct history *h, const struct hist_condition *c)
{
    if (c->type == HIST_TEXT)
        put_text(o, h, (uint32_t)c->value);
    else if (c->type == HIST_DECIMAL)
        out_text(o, intern_name(&h->texts, (uint32_t)c->value));
    else if (c->type == HIST_BOOL)
        out_text(o, c->value ? "true" : "false");
    else if (c->type == HIST_OPEN)
        out_text(o, "null");
    else
        out_int(o, c->value);
}

static void put_where(struct out *o, const struct history *h, const struct hist_predicate *q)
{
    static const char *const compare[] = {",\"=\",",  ",\"!=\",", ",\"<\",",
                                          ",\"<=\",", ",\">\",",  ",\">=\","};
    out_char(o, '[');
    for (uint32_t i = 0; i < q->condition_count; i++) {
        const struct hist_condition *c = &h->conditions.data[q->conditions + i];
        out_text(o, i ? ",[" : "[");
        put_text(o, h, c->field);
        out_text(o, compare[c->compare]);
        put_constant(o, h, c);
        out_char(o, ']');
    }
    out_char(o, ']');
}

static void put_aggregate(struct out *o, const struct history *h, const struct hist_predicate *q)
{
    static const char *const names[] = {[HIST_COUNT] = "{\"count\":",
                                        [HIST_SUM] = "{\"sum\":[",
                                        [HIST_MIN] = "{\"min\":[",
                                        [HIST_MAX] = "{\"max\":["};
    out_text(o, names[q->kind]);
    if (q->kind != HIST_COUNT) {
        put_text(o, h, q->field);
        out_char(o, ',');
    }
    if (q->result.null)
        out_text(o, "null");
    else
        out_int(o, q->result.value);
    out_text(o, q->kind == HIST_COUNT ? "}" : "]}");
}

static void put_rows(struct out *o, const struct history *h, const struct hist_predicate *q)
{
    bool first = true;
    out_char(o, '[');
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        const struct hist_op *op = &h->ops.data[i];
        uint64_t id = h->write_ids ? h->write_ids[i] : 0;
        if (q->kind == HIST_RANGE && op->flags & HIST_OP_NULL && !id)
            continue;
        out_text(o, first ? "[" : ",[");
        first = false;
        put_key(o, h, op->key);
        out_char(o, ',');
        put_value(o, h, hist_op_value(op));
        if (id) {
            out_char(o, ',');
            out_uint(o, id);
        }
        out_char(o, ']');
    }
    out_char(o, ']');
}

/* Gives the operation that follows. */
static uint32_t put_predicate(struct out *o, const struct history *h,
                              const struct hist_predicate *q)
{
    const struct hist_condition *c = h->conditions.data + q->conditions;
    uint8_t flags = q->same_stmt ? HIST_OP_SAME_STMT : 0;
    flags |= q->failed ? HIST_OP_FAILED : 0;
    if (q->kind == HIST_RANGE) {
        out_text(o, "[\"range\",");
        put_constant(o, h, &c[0]);
        out_char(o, ',');
        put_constant(o, h, &c[1]);
    } else {
        out_text(o, "[\"predicate\",");
        put_where(o, h, q);
    }
    out_char(o, ',');
    if (q->kind >= HIST_COUNT)
        put_aggregate(o, h, q);
    else
        put_rows(o, h, q);
    if (flags)
        put_details(o, flags, 0);
    out_char(o, ']');
    return q->first_op + q->rows;
}

/* [t, o] as the written file counts operations; op may be the place of a predicate read. */
static void put_place(struct out *o, const struct history *h, uint32_t txn, uint32_t op,
                      uint32_t predicate)
{
    uint32_t n = op - h->txns.data[txn].first_op;
    for (uint32_t q = hist_first_predicate(h, txn);
         q < h->predicates.len && h->predicates.data[q].txn == txn && q < predicate &&
         h->predicates.data[q].first_op <= op;
         q++)
        n += 1 - h->predicates.data[q].rows;
    out_char(o, '[');
    out_uint(o, txn);
    out_char(o, ',');
    out_uint(o, n);
    out_char(o, ']');
}

static void put_sets(struct out *o, const struct history *h)
{
    for (uint32_t i = 0; i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        if (!q->has_set)
            continue;
        out_text(o, "{\"version-set\":");
        put_place(o, h, q->txn, q->first_op, i);
        out_text(o, ",\"sees\":[");
        for (uint32_t j = 0; j < q->set_count; j++) {
            uint32_t op = h->set_ops.data[q->set + j];
            if (j)
                out_char(o, ',');
            put_place(o, h, hist_op_txn(h, op), op, HIST_NONE);
        }
        out_text(o, "]}\n");
    }
}

static void put_time(struct out *o, const char *field, int64_t time)
{
    if (time == HIST_NO_TIME)
        return;
    out_text(o, field);
    out_int(o, time);
}

static void put_txn(struct out *o, const struct history *h, uint32_t txn)
{
    const struct hist_txn *t = &h->txns.data[txn];
    out_text(o, "{\"session\":");
    out_uint(o, t->session);
    if (t->status != HIST_COMMITTED)
        out_text(o,
                 t->status == HIST_ABORTED ? ",\"status\":\"aborted\"" : ",\"status\":\"unknown\"");
    struct hist_times times = hist_txn_time(h, txn);
    put_time(o, ",\"begin\":", times.begin_asked);
    put_time(o, ",\"begin-answered\":", times.begin_answered);
    put_time(o, ",\"commit-asked\":", times.commit_asked);
    put_time(o, ",\"commit\":", times.commit_answered);
    if (h->labels && h->labels[txn] != HIST_NO_LABEL) {
        out_text(o, ",\"id\":");
        out_uint(o, h->labels[txn]);
    }
    if (h->names && h->names[txn] != HIST_NONE) {
        out_text(o, ",\"name\":");
        put_string(o, intern_name(&h->texts, h->names[txn]), h->texts.lengths.data[h->names[txn]]);
    }
    out_text(o, ",\"ops\":[");
    bool first = true, same = false;
    uint32_t end = t->first_op + t->op_count, q = hist_first_predicate(h, txn);
    for (uint32_t i = t->first_op; i <= end;) {
        bool rows = q < h->predicates.len && h->predicates.data[q].txn == txn &&
                    h->predicates.data[q].first_op == i;
        if (!rows && i == end)
            break;
        if (!first)
            out_char(o, ',');
        first = false;
        if (rows) {
            same = !h->predicates.data[q].rows && h->predicates.data[q].next_same;
            i = put_predicate(o, h, &h->predicates.data[q++]);
        } else {
            put_op(o, h, i++, same);
            same = false;
        }
    }
    out_text(o, "]}\n");
}

static void put_sessions(struct out *o, const struct history *h)
{
    bool named = false;
    for (uint32_t s = 0; s < h->session_count; s++)
        named |= h->session_names.data[s] != HIST_NONE;
    out_text(o, ",\"sessions\":");
    if (!named) {
        out_uint(o, h->session_count);
        return;
    }
    out_char(o, '[');
    for (uint32_t s = 0; s < h->session_count; s++) {
        uint32_t name = h->session_names.data[s];
        if (s)
            out_char(o, ',');
        if (name == HIST_NONE)
            out_text(o, "null");
        else
            put_string(o, intern_name(&h->texts, name), h->texts.lengths.data[name]);
    }
    out_char(o, ']');
}

static void put_header(struct out *o, const struct history *h)
{
    out_text(o, "{\"visar-history\":1,\"default\":");
    put_value(o, h, h->initial_default);
    put_sessions(o, h);
    if (h->version_orders_complete)
        out_text(o, ",\"versions-complete\":true");
    out_text(o, "}\n");
    for (size_t i = 0; i < h->initials.len; i++) {
        out_text(o, "{\"initial\":[[");
        put_key(o, h, h->initials.data[i].key);
        out_char(o, ',');
        put_value(o, h, h->initials.data[i].value);
        out_text(o, "]]}\n");
    }
}

static void put_versions(struct out *o, const struct history *h)
{
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *v = &h->version_orders.data[i];
        out_text(o, "{\"versions\":");
        put_key(o, h, v->key);
        out_text(o, ",\"order\":[");
        for (uint32_t j = 0; j < v->len; j++) {
            uint32_t op = h->version_ops.data[v->start + j], txn = hist_op_txn(h, op);
            if (j)
                out_char(o, ',');
            put_place(o, h, txn, op, HIST_NONE);
        }
        out_text(o, "]}\n");
    }
}

static void put_execution(struct out *o, const struct history *h)
{
    for (size_t i = 0; i < h->arbitration.len; i++) {
        out_text(o, i ? "," : "{\"arbitration\":[");
        out_uint(o, h->arbitration.data[i]);
    }
    if (h->arbitration.len)
        out_text(o, "]}\n");
    for (size_t i = 0; i < h->visibility.len; i++) {
        out_text(o, i ? ",[" : "{\"visibility\":[[");
        out_uint(o, h->visibility.data[i].from);
        out_char(o, ',');
        out_uint(o, h->visibility.data[i].to);
        out_char(o, ']');
    }
    if (h->visibility.len)
        out_text(o, "]}\n");
}

void fmt_write_jsonl(const struct history *h, FILE *file)
{
    struct out *o = mem_alloc(sizeof *o);
    o->file = file;
    o->len = 0;
    put_header(o, h);
    for (uint32_t i = 0; i < h->txns.len; i++)
        put_txn(o, h, i);
    put_versions(o, h);
    put_sets(o, h);
    put_execution(o, h);
    out_flush(o);
    mem_free(o);
}
