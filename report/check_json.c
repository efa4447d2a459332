/* The JSON report, schema "visar/1"; docs/json.md describes every field.  Fields are only ever
 * added.  Transactions and operations are named by their indices in the history, which every
 * object that stands for one repeats as `id`. */
#include <inttypes.h>
#include <string.h>

#include "certify/ruled_out.h"
#include "history/predicate.h"
#include "report/story/phrases.h"
#include "report/report.h"
#include "report/page/json_text.h"
#include "report/page/words.h"

/* ---- values --------------------------------------------------------------------------------- */

static json_t *text(const char *s, size_t n)
{
    struct strbuf b = {0};
    words_utf8(s, n, &b);
    json_t *j = json_stringn(sb_str(&b), b.len);
    sb_free(&b);
    return j;
}

static json_t *text_and_free(struct strbuf *b)
{
    json_t *j = text(sb_str(b), b->len);
    sb_free(b);
    return j;
}

static json_t *id_or_null(uint32_t id)
{
    return id == HIST_NONE ? json_null() : json_integer(id);
}

static json_t *value_json(const struct history *h, struct hist_value v)
{
    if (v.null)
        return json_null();
    if (!h->value_names.names.len)
        return json_integer(v.value);
    struct strbuf b = {0};
    hist_value_to_text(h, v, &b);
    return text_and_free(&b);
}

static json_t *key_json(const struct history *h, uint32_t key)
{
    if (h->keys.data[key].text == HIST_NONE)
        return json_integer(h->keys.data[key].number);
    struct strbuf b = {0};
    hist_key_text(h, key, &b);
    return text_and_free(&b);
}

static json_t *op_json(const struct history *h, uint32_t op)
{
    static const char *const kinds[] = {"read", "write", "append", "list-read"};
    const struct hist_op *o = &h->ops.data[op];
    json_t *value = NULL;
    if (o->kind == HIST_LIST_READ) {
        value = json_array();
        for (uint32_t i = 0; i < o->list.len; i++)
            json_array_append_new(value, value_json(h, hist_int(h->lists.data[o->list.start + i])));
    } else if (o->flags & HIST_OP_ANY)
        value = json_null();
    else
        value = value_json(h, hist_op_value(o));
    uint32_t first = h->txns.data[hist_op_txn(h, op)].first_op;
    json_t *x = json_pack("{s:I, s:I, s:s, s:o, s:o}", "id", (json_int_t)op, "position",
                          (json_int_t)(op - first), "kind", kinds[o->kind], "key",
                          key_json(h, o->key), "value", value);
    if (o->flags & HIST_OP_ANY) {
        struct strbuf b = {0};
        pred_result_text(h, pred_of_row(h, op), &b);
        json_object_set_new(x, "row_of", text_and_free(&b));
    }
    return x;
}

/* ---- transactions, edges, cases ------------------------------------------------------------- */

static json_t *session_json(const struct history *h, uint32_t session)
{
    uint32_t name = h->session_names.data[session];
    if (name == HIST_NONE)
        return json_null();
    const char *s = intern_name(&h->texts, name);
    return text(s, strlen(s));
}

static void add_times(const struct history *h, uint32_t txn, json_t *j)
{
    struct hist_times t = hist_txn_time(h, txn);
    const struct {
        const char *name;
        int64_t time;
    } ends[] = {{"begin", t.begin_asked},
                {"begin_answered", t.begin_answered},
                {"commit_asked", t.commit_asked},
                {"commit", t.commit_answered}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i].time != HIST_NO_TIME)
            json_object_set_new(j, ends[i].name, json_integer(ends[i].time));
}

/* Where it begins: in which file, and where in it. */
static void add_place(const struct history *h, uint32_t txn, const char *file, json_t *j)
{
    const struct hist_txn *t = &h->txns.data[txn];
    const char *own = hist_session_file(h, t->session);
    file = own ? own : file;
    json_object_set_new(j, "file", text(file, strlen(file)));
    if (t->line && h->bytes)
        json_object_set_new(j, "byte", json_integer((json_int_t)t->line - 1));
    else if (t->line)
        json_object_set_new(j, "line", json_integer(t->line));
}

static json_t *txn_json(const struct history *h, const struct story_txn *t, const char *file)
{
    static const char *const status[] = {"committed", "aborted", "unknown"};
    const struct hist_txn *ht = &h->txns.data[t->txn];
    struct strbuf name = {0};
    hist_txn_text(h, t->txn, &name);
    json_t *ops = json_array();
    for (size_t i = 0; i < t->ops.len; i++)
        json_array_append_new(ops, op_json(h, t->ops.data[i]));
    json_t *j = json_pack(
        "{s:I, s:o, s:I, s:o, s:I, s:s, s:I, s:o}", "id", (json_int_t)t->txn, "name",
        text_and_free(&name), "session", (json_int_t)hist_session_number(h, ht->session),
        "session_name", session_json(h, ht->session), "index", (json_int_t)ht->index, "status",
        status[ht->status], "operation_count", (json_int_t)ht->op_count, "operations", ops);
    add_times(h, t->txn, j);
    add_place(h, t->txn, file, j);
    return j;
}

static json_t *case_number(const struct story *s, uint32_t index)
{
    if (index == HIST_NONE)
        return json_null();
    struct strbuf b = {0};
    story_case_number(s, index, &b);
    return text_and_free(&b);
}

static json_t *edge_json(const struct story *s, const struct check_edge *e, uint32_t inside)
{
    bool has_key = e->kind == CHECK_WR || e->kind == CHECK_WW || e->kind == CHECK_RW;
    struct strbuf b = {0};
    phrase_edge(s, e, inside, &b);
    json_t *j = json_pack("{s:s, s:I, s:I, s:o}", "kind", check_edge_name(e->kind), "from",
                          (json_int_t)e->from, "to", (json_int_t)e->to, "text", text_and_free(&b));
    if (!has_key)
        return j;
    json_object_set_new(j, "key", key_json(s->h, e->key));
    json_object_set_new(j, "from_operation", id_or_null(e->from_op));
    json_object_set_new(j, "to_operation", id_or_null(e->to_op));
    if (e->kind == CHECK_RW)
        json_object_set_new(j, "version", id_or_null(e->via));
    json_object_set_new(j, "case", case_number(s, e->because));
    return j;
}

static json_t *cycle_json(const struct story *s, uint32_t cycle, uint32_t inside)
{
    if (cycle == HIST_NONE)
        return json_null();
    const struct check_cycle *c = &s->r->cycles.data[cycle];
    json_t *edges = json_array();
    for (uint32_t i = 0; i < c->len; i++)
        json_array_append_new(edges, edge_json(s, &s->r->edges.data[c->start + i], inside));
    return edges;
}

static json_t *cases_json(const struct story *s, uint32_t first)
{
    static const char *const kinds[] = {"order", "source"};
    json_t *list = json_array();
    for (uint32_t i = first; i != HIST_NONE; i = s->sibling[i]) {
        const struct check_case *c = &s->r->cases.data[i];
        struct strbuf b = {0};
        phrase_hypothesis(s, c, &b);
        json_array_append_new(
            list, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "number", case_number(s, i),
                            "kind", kinds[c->kind], "first", id_or_null(c->first), "second",
                            id_or_null(c->second), "text", text_and_free(&b), "cycle",
                            cycle_json(s, c->cycle, i), "cases", cases_json(s, s->child[i])));
    }
    return list;
}

/* ---- answers -------------------------------------------------------------------------------- */

/* Does the cycle contradict the level, given the cases? */
static bool is_whole(const struct check_result *r)
{
    return !r->no_source && !r->lemmas;
}

static json_t *lemmas_json(const struct story *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->shown_lemmas; i++)
        json_array_append_new(list, cycle_json(s, story_lemma(s, i), HIST_NONE));
    return list;
}

static void add_violation(const struct check_result *r, const char *file, json_t *j)
{
    struct story s;
    story_make(&s, r->history, r, STORY_ALL_CASES);
    json_t *txns = json_array(), *ops = json_array(), *ruled = json_array();
    json_t *levels = json_array();
    for (size_t i = 0; i < s.txns.len; i++)
        json_array_append_new(txns, txn_json(r->history, &s.txns.data[i], file));
    for (size_t i = 0; i < r->ops.len; i++)
        json_array_append_new(ops, json_integer(r->ops.data[i]));
    struct ruled_out o = ruled_out_by(r->history, r);
    for (int m = 0; m < MODEL_COUNT; m++)
        if (o.models >> m & 1)
            json_array_append_new(ruled, json_string(model_get((enum model_id)m)->name));
    json_object_set_new(j, "anomaly",
                        json_pack("{s:s, s:s, s:s, s:s}", "name", anomaly_name(r->anomaly), "words",
                                  anomaly_words(r->anomaly), "adya", anomaly_adya(r->anomaly),
                                  "text", anomaly_text(r->anomaly)));
    const char *name;
    for (size_t i = 0; (name = ruled_out_extra(&o, i)); i++)
        json_array_append_new(levels, json_string(name));
    json_object_set_new(j, "rules_out",
                        json_pack("{s:o, s:o, s:b, s:b}", "models", ruled, "levels", levels,
                                  "needs_session_order", (int)o.needs_sessions, "needs_real_time",
                                  (int)o.needs_real_time));
    if (r->cycle == HIST_NONE && !r->cases.len) {
        struct strbuf b = {0};
        phrase_anomaly(&s, &b);
        json_object_set_new(j, "text", text_and_free(&b));
    }
    json_object_set_new(j, "transactions", txns);
    json_object_set_new(j, "operations", ops);
    json_object_set_new(j, "cycle", cycle_json(&s, is_whole(r) ? r->cycle : HIST_NONE, HIST_NONE));
    json_object_set_new(j, "cases", cases_json(&s, s.first));
    json_object_set_new(j, "no_source", json_boolean(r->no_source));
    json_object_set_new(j, "lemmas", lemmas_json(&s));
    story_free(&s);
}

/* An order of events is spelled out: ["begin", 3], ["commit", 3]. */
static json_t *order_json(const struct check_result *r)
{
    static const char *const kinds[] = {"serial", "events", "arbitration"};
    json_t *order = json_array();
    for (size_t i = 0; i < r->order.len; i++) {
        uint32_t at = r->order.data[i];
        json_array_append_new(
            order, r->order_kind == CHECK_EVENTS
                       ? json_pack("[s, I]", at % 2 ? "commit" : "begin", (json_int_t)(at / 2))
                       : json_integer(at));
    }
    return json_pack("{s:s, s:o}", "kind", kinds[r->order_kind], "order", order);
}

static const char *const verdict_names[] = {"ok", "violation", "unknown", "broken"};

static json_t *answer_json(const struct check_report *c, size_t i)
{
    static const char *const real_time[] = {"none", "commits", "strict", "items-only"};
    const struct check_answer *a = &c->answers[i];
    json_t *j = json_pack("{s:s, s:s, s:s, s:b, s:s, s:s}", "level", a->name, "title",
                          level_title(a->level), "model", model_get(a->level.model)->name,
                          "session_order", (int)a->level.session_order, "real_time",
                          real_time[a->level.real_time], "verdict", verdict_names[a->verdict]);
    json_object_set_new(j, "seconds", json_real(a->seconds));
    if (a->by != i) {
        json_object_set_new(j, "settled_by", json_string(c->answers[a->by].name));
        return j;
    }
    if (a->verdict == CHECK_OK && a->result->level.model != a->level.model)
        json_object_set_new(j, "holds_at", json_string(model_get(a->result->level.model)->name));
    if (a->verdict == CHECK_VIOLATION)
        add_violation(a->result, c->file, j);
    else if (a->verdict != CHECK_OK)
        json_object_set_new(j, "reason", text(a->result->reason, strlen(a->result->reason)));
    else if (c->verbose)
        json_object_set_new(j, "certificate", order_json(a->result));
    return j;
}

static void add_stat(void *arg, const char *name, double value, int is_seconds)
{
    json_object_set_new(arg, name, is_seconds ? json_real(value) : json_integer((json_int_t)value));
}

void report_check_json(const struct check_report *c, FILE *out)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(levels, answer_json(c, i));
    json_t *j = json_pack("{s:s, s:s, s:o, s:s, s:I, s:I, s:I, s:s, s:o}", "schema", REPORT_SCHEMA,
                          "command", "check", "file", report_text_json(c->file), "format",
                          c->format, "sessions", (json_int_t)c->h->session_count, "transactions",
                          (json_int_t)c->h->txns.len, "operations", (json_int_t)c->h->ops.len,
                          "verdict", verdict_names[report_verdict(c)], "levels", levels);
    if (c->strongest) {
        json_t *best = json_array();
        for (size_t i = 0; i < c->count; i++)
            if (report_is_strongest(c, i))
                json_array_append_new(best, json_string(c->answers[i].name));
        json_object_set_new(j, "strongest", best);
    }
    if (c->verbose && c->stats) {
        json_t *stats = json_object();
        stats_each(c->stats, add_stat, stats);
        json_object_set_new(j, "stats", stats);
    }
    report_dump_json(j, out);
}

void report_certificate_json(const struct certificate_verdict *v, FILE *out)
{
    const char *confirms = v->rejected || !v->claim         ? NULL
                           : !strcmp(v->claim, "satisfies") ? "ok"
                                                            : "violation";
    report_dump_json(json_pack("{s:s, s:s, s:o, s:o, s:s, s:s?, s:s, s:s?, s:o}", "schema",
                               REPORT_SCHEMA, "command", "check", "file", report_text_json(v->file),
                               "certificate", report_text_json(v->certificate), "level", v->level,
                               "claim", v->claim, "verdict", v->rejected ? "rejected" : "ok",
                               "confirms", confirms, "reason", report_text_json(v->rejected)),
                     out);
}

void report_order_json(const char *file, const char *order, const char *sentence, FILE *out)
{
    json_t *j = json_pack("{s:s, s:s, s:o, s:s}", "schema", REPORT_SCHEMA, "command", "check",
                          "file", report_text_json(file), "verdict", sentence ? "violation" : "ok");
    if (order)
        json_object_set_new(j, "order", report_text_json(order));
    if (sentence)
        json_object_set_new(j, "text", report_text_json(sentence));
    report_dump_json(j, out);
}
