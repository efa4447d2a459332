/* The JSON report of `visar verify`; docs/json.md describes every member.  Everything that the text
 * report tells, and everything that a replay needs. */
#include <inttypes.h>
#include <string.h>

#include "report/story/phrases.h"
#include "report/verify/robust_report.h"
#include "report/page/words.h"

json_t *report_int_json(term_int value)
{
    if (value >= INT64_MIN && value <= INT64_MAX)
        return json_integer((json_int_t)value);
    struct strbuf b = {0};
    term_int_print(value, &b);
    json_t *j = json_string(sb_str(&b));
    sb_free(&b);
    return j;
}

/* "proved", "violated" …: as the other commands spell their verdicts. */
json_t *report_status_json(enum verify_status s)
{
    static const char *const names[] = {
        [VERIFY_PROVED] = "proved",     [VERIFY_HOLDS] = "holds",
        [VERIFY_VIOLATED] = "violated", [VERIFY_UNKNOWN] = "unknown",
        [VERIFY_VACUOUS] = "vacuous",   [VERIFY_INTERNAL_ERROR] = "internal error",
    };
    return json_string(names[s]);
}

static json_t *value_json(const struct ast_type *type, term_int v)
{
    return type && type->is_bool ? json_boolean(v != 0) : report_int_json(v);
}

static json_t *place_json(const struct verify_view *v, struct src_loc loc)
{
    if (loc.file == DIAG_NO_FILE || loc.line == 0)
        return json_null();
    return json_pack("{s:o, s:i, s:i}", "file",
                     report_text_json(diag_file_name(v->files, loc.file)), "line", (int)loc.line,
                     "column", (int)loc.col);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static json_t *index_json(const struct sx_table *t, uint64_t row)
{
    json_t *index = json_array();
    for (uint32_t d = t->n_dims; d-- > 0; row /= t->dims[d])
        json_array_insert_new(index, 0, json_integer((json_int_t)(row % t->dims[d])));
    return index;
}

static json_t *row_json(struct cex *c, const struct exec_row *row, const bool *touched)
{
    const struct sx_table *t = &c->program->tables[row->table];
    json_t *fields = json_array();
    for (uint32_t f = 0; f < t->n_fields; f++) {
        if (!row->known[f])
            continue;
        const char *name = exec_row_text(&c->arena, c->program, row->table, row->row, f);
        json_t *field = json_pack("{s:s, s:s, s:o}", "name", name, "path", t->fields[f].path,
                                  "value", value_json(t->fields[f].type, row->value[f]));
        if (touched)
            json_object_set_new(field, "assigned", json_boolean(touched[f]));
        json_array_append_new(fields, field);
    }
    const char *name = exec_row_text(&c->arena, c->program, row->table, row->row, UINT32_MAX);
    return json_pack("{s:s, s:s, s:o, s:o}", "row", name, "table", t->name, "index",
                     index_json(t, row->row), "fields", fields);
}

static json_t *rows_json(struct cex *c, const struct exec_row *rows, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, row_json(c, &rows[i], NULL));
    return list;
}

/* ---- transactions --------------------------------------------------------------------------- */

/* The interpreter's name of an input or a read: 64 bits, as text. */
static json_t *key_json(uint64_t key)
{
    return json_sprintf("%016" PRIx64, key);
}

static json_t *inputs_json(const struct exec_input *in, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_pack("{s:o, s:s, s:o, s:b, s:b}", "name", report_text_json(in[i].name),
                              "type", in[i].type ? in[i].type->name : "", "value",
                              value_json(in[i].type, in[i].value), "parameter", in[i].param, "used",
                              in[i].used);
        if (!in[i].param)
            json_object_set_new(j, "key", key_json(in[i].key));
        if (in[i].fresh)
            json_object_set_new(j, "fresh", json_true());
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *source_json(uint32_t source)
{
    return source == EXEC_INITIAL ? json_null() : json_integer(source);
}

/* `txn` UINT32_MAX: the observer, who misses nothing.  Where one row may be read twice with two
 * values, it matters which read is which. */
static json_t *reads_json(const struct verify_view *v, struct cex *c, uint32_t txn,
                          const struct exec_read *reads, size_t n)
{
    uint32_t points = txn == UINT32_MAX ? c->x->observer.n_points : c->x->txns[txn].n_points;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        uint32_t missed = txn == UINT32_MAX ? EXEC_INITIAL : cex_missed(c, txn, &reads[i], NULL);
        json_t *r = row_json(c, &reads[i].row, NULL);
        json_object_set_new(r, "from", source_json(reads[i].source));
        json_object_set_new(r, "missed", source_json(missed));
        json_object_set_new(r, "statement", json_integer(reads[i].statement));
        json_object_set_new(r, "point", json_integer(reads[i].point));
        json_object_set_new(r, "carried_over", json_boolean(reads[i].carry));
        json_object_set_new(r, "location", place_json(v, reads[i].loc));
        if (points > 1) {
            json_object_set_new(r, "key", key_json(reads[i].key));
            json_object_set_new(r, "statement_key", key_json(reads[i].statement_key));
        }
        json_array_append_new(list, r);
    }
    return list;
}

static json_t *writes_json(const struct verify_view *v, struct cex *c, const struct exec_txn *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->n_writes; i++) {
        json_t *w = row_json(c, &t->writes[i].row, t->writes[i].touched);
        json_object_set_new(w, "location", place_json(v, t->writes[i].loc));
        json_array_append_new(list, w);
    }
    return list;
}

/* One list of transactions for each visible set. */
static json_t *sees_json(const struct execution *x, const bool *visible, uint32_t n_points)
{
    json_t *points = json_array();
    for (uint32_t p = 0; p < n_points; p++) {
        json_t *set = json_array();
        for (uint32_t i = 0; i < x->n_txns; i++)
            if (visible[p * x->n_txns + x->ar[i]])
                json_array_append_new(set, json_integer(x->ar[i]));
        json_array_append_new(points, set);
    }
    return points;
}

static json_t *txn_json(const struct verify_view *v, struct cex *c, uint32_t i)
{
    static const char *const ends[] = {"committed", "rolled back", "check failed"};
    const struct exec_txn *t = &c->x->txns[i];
    json_t *returned = json_array();
    for (uint32_t k = 0; k < t->n_returned && t->returned; k++)
        json_array_append_new(returned, report_int_json(t->returned[k]));
    return json_pack(
        "{s:i, s:s, s:s, s:o, s:s, s:i, s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id",
        (int)i, "name", c->names[i], "function", t->func->name, "definition",
        place_json(v, t->func->loc), "level", t->level ? t->level->name : "", "session",
        (int)t->session, "position", (int)exec_position(c->x, i), "call",
        place_json(v, t->call_loc), "end", ends[t->end], "end_location", place_json(v, t->end_loc),
        "inputs", inputs_json(t->inputs, t->n_inputs), "sees",
        sees_json(c->x, t->visible, t->n_points), "reads",
        reads_json(v, c, i, t->reads, t->n_reads), "writes", writes_json(v, c, t), "locks",
        rows_json(c, t->locks, t->n_locks), "returned", returned);
}

/* ---- executions ----------------------------------------------------------------------------- */

static json_t *observer_json(const struct verify_view *v, struct cex *c)
{
    const struct exec_observer *o = &c->x->observer;
    if (!o->present)
        return json_null();
    size_t n;
    struct exec_row *rows = cex_observed(c, &n);
    struct cex_condition condition = {0};
    if (!o->func)
        return json_null(); /* the final state itself */
    cex_condition(c, o->func, rows, n, &condition);
    return json_pack("{s:s, s:o, s:i, s:o, s:o, s:o, s:o}", "function", o->func->name, "inputs",
                     inputs_json(o->inputs, o->n_inputs), "position", (int)o->position, "sees",
                     sees_json(c->x, o->visible, o->n_points), "reads",
                     reads_json(v, c, UINT32_MAX, o->reads, o->n_reads), "condition",
                     report_text_json(condition.text), "values",
                     report_text_json(condition.values));
}

/* Transactions of the history are named as in `transactions`, or after the observer. */
static json_t *txn_name_json(const struct story *s, uint32_t txn)
{
    const char *name = story_name(s, txn), *end = strstr(name, EXEC_WITHOUT_EFFECT);
    return json_stringn(name, end ? (size_t)(end - name) : strlen(name));
}

static json_t *edge_json(const struct story *s, const struct check_edge *e)
{
    struct strbuf text = {0}, key = {0};
    phrase_edge(s, e, HIST_NONE, &text);
    if (e->kind == CHECK_WR || e->kind == CHECK_WW || e->kind == CHECK_RW)
        words_key(s->h, e->key, &key);
    json_t *j = json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", check_edge_name(e->kind), "from",
                          txn_name_json(s, e->from), "to", txn_name_json(s, e->to), "row",
                          key.len ? report_text_json(sb_str(&key)) : json_null(), "text",
                          report_text_json(sb_str(&text)));
    sb_free(&text);
    sb_free(&key);
    return j;
}

static json_t *cycle_json(const struct history *h, const struct check_result *r)
{
    json_t *edges = json_array();
    if (r->cycle == HIST_NONE)
        return edges;
    struct story s;
    story_make(&s, h, r, STORY_ALL_CASES);
    const struct check_cycle *c = &r->cycles.data[r->cycle];
    for (uint32_t i = 0; i < c->len; i++)
        json_array_append_new(edges, edge_json(&s, &r->edges.data[c->start + i]));
    story_free(&s);
    return edges;
}

static json_t *anomaly_json(const struct verify_opinion *o)
{
    if (!o || !o->refusal)
        return json_null();
    enum anomaly a = o->refusal->anomaly;
    return json_pack("{s:s, s:s, s:s, s:o}", "name", anomaly_name(a), "text", anomaly_text(a),
                     "ruled_out_by", o->refused_by->name, "cycle",
                     cycle_json(o->history, o->refusal));
}

/* `robust`: the whole argument, if it has no cases; else its cycle rests on more. */
static json_t *not_serial_json(const struct check_result *r)
{
    return json_pack("{s:s, s:o, s:i}", "anomaly", anomaly_name(r->anomaly), "cycle",
                     cycle_json(r->history, r), "cases", (int)r->cases.len);
}

static json_t *execution_json(const struct verify_view *v, const struct execution *x)
{
    struct cex c;
    cex_init(&c, v->ast, v->files, x->program, x);
    json_t *txns = json_array(), *ar = json_array();
    for (uint32_t i = 0; i < x->n_txns; i++) {
        json_array_append_new(txns, txn_json(v, &c, i));
        json_array_append_new(ar, json_integer(x->ar[i]));
    }
    const struct verify_opinion *o = report_opinion(v, x);
    json_t *j = json_pack(
        "{s:s?, s:b, s:s?, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "model",
        x->model ? x->model->name : NULL, "session_order", x->session_order, "scenario",
        x->scenario ? x->scenario->func->name : NULL, "rows", (json_int_t)x->program->options.rows,
        "inputs", inputs_json(x->inputs, x->n_inputs), "initial",
        rows_json(&c, x->initial, x->n_initial), "transactions", txns, "arbitration", ar, "final",
        rows_json(&c, x->final, x->n_final), "observer", observer_json(v, &c), "anomaly",
        anomaly_json(o), "second_opinion",
        !o || !o->asked ? "none"
        : o->undecided  ? "undecided"
                        : "agrees");
    if (x->program->options.shown)
        json_object_set_new(j, "shown", json_integer((json_int_t)x->program->options.shown));
    if (o && o->not_serial)
        json_object_set_new(j, "not_serial", not_serial_json(o->not_serial));
    cex_free(&c);
    return j;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static json_t *property_json(const struct verify_view *v, const struct verify_property *p)
{
    return json_pack("{s:s, s:o, s:s?, s:o}", "kind", verify_property_kind_name(p->kind), "name",
                     report_text_json(p->name), "function", p->func ? p->func->name : NULL,
                     "location", place_json(v, p->loc));
}

static json_t *gap_json(const struct verify_view *v, const struct verify_gap *g)
{
    if (!g)
        return json_null();
    struct cex c;
    cex_init(&c, v->ast, v->files, g->program, NULL);
    json_t *j = json_pack("{s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:o}", "predicate", g->predicate,
                          "loop", g->loop, "transaction", g->txn ? g->txn->name : NULL, "call",
                          g->call, "inputs", inputs_json(g->inputs, g->n_inputs), "snapshot",
                          rows_json(&c, g->snapshot, g->n_snapshot), "before",
                          rows_json(&c, g->before, g->n_before), "after",
                          rows_json(&c, g->after, g->n_after));
    cex_free(&c);
    return j;
}

static const char *rely_fact(const struct verify_rely *r)
{
    static const char *const facts[] = {
        [VERIFY_NEVER_CHANGES] = "never changes",
        [VERIFY_ONLY_GROWS] = "only grows",
        [VERIFY_ONLY_FALLS] = "only falls",
        [VERIFY_STAYS_SET] = "stays set",
    };
    static const char *const relative[] = {
        [VERIFY_NEVER_CHANGES] = "changes only with",
        [VERIFY_ONLY_GROWS] = "falls only with",
        [VERIFY_ONLY_FALLS] = "grows only with",
        [VERIFY_STAYS_SET] = "changes once set only with",
    };
    return r->kind == VERIFY_CHANGES_WITH ? relative[r->kept] : facts[r->kind];
}

static json_t *relies_json(const struct verify_result *r, const struct verify_verdict *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->n_relies; i++) {
        const struct verify_rely *x = &d->relies[i];
        const struct sx_table *t = &r->program->tables[x->table];
        bool with = x->kind == VERIFY_CHANGES_WITH;
        bool column = with && x->column != VERIFY_BY_INDEX;
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:b}", "table", t->name, "path",
                            t->fields[x->field].path, "fact", rely_fact(x), "with",
                            with ? r->program->tables[x->with].name : NULL, "column",
                            column ? t->fields[x->column].path : NULL, "after", x->after));
    }
    return list;
}

json_t *report_verdict_json(const struct verify_view *v, const struct verify_result *r,
                            const struct verify_verdict *d)
{
    json_t *used = json_array();
    for (size_t i = 0; i < d->n_used; i++)
        json_array_append_new(used, json_string(r->properties[d->used[i]].name));
    json_t *needs = json_array();
    for (size_t i = 0; i < d->n_needs; i++)
        json_array_append_new(needs, json_string(r->properties[d->needs[i]].name));
    json_t *found = json_array();
    for (size_t i = 0; i < d->n_found; i++)
        json_array_append_new(found, report_text_json(d->found[i]));
    json_t *status = report_status_json(d->status);
    json_t *j =
        json_pack("{s:o, s:o, s:s?, s:s?, s:i, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:f}", "property",
                  property_json(v, &r->properties[d->property]), "status", status, "reason",
                  d->reason, "scenario", d->scenario ? d->scenario->func->name : NULL, "bound",
                  (int)d->bound, "rows", (json_int_t)d->rows, "from_invariants", d->from_invariants,
                  "used", used, "relies", relies_json(r, d), "found", found, "gap",
                  gap_json(v, d->gap), "needs", needs, "seconds", d->seconds);
    json_object_set_new(j, "execution",
                        d->execution ? execution_json(v, d->execution) : json_null());
    return j;
}

static json_t *result_json(const struct verify_view *v, const struct verify_result *r)
{
    json_t *verdicts = json_array();
    for (size_t i = 0; i < r->n_verdicts; i++)
        json_array_append_new(verdicts, report_verdict_json(v, r, &r->verdicts[i]));
    return json_pack("{s:s, s:o, s:b, s:o}", "model", r->model->name, "status",
                     report_status_json(r->overall), "locks_matter", report_locks_matter(r),
                     "verdicts", verdicts);
}

static void add_stat(void *arg, const char *name, double value, int is_seconds)
{
    json_object_set_new(arg, name, is_seconds ? json_real(value) : json_integer((json_int_t)value));
}

static void report_json(const struct verify_view *v, const char *command, FILE *out)
{
    json_t *results = json_array();
    for (size_t i = 0; i < v->n_results; i++)
        json_array_append_new(results, result_json(v, v->results[i]));
    json_t *j = json_pack("{s:s, s:s, s:o, s:o, s:b, s:s, s:s, s:o}", "schema", REPORT_SCHEMA,
                          "command", command, "file", report_text_json(v->file), "verdict",
                          report_status_json(report_verify_overall(v)), "session_order",
                          !v->no_session_order, "observe", v->snapshots ? "snapshots" : "final",
                          "granularity", v->fields ? "field" : "row", "results", results);
    if (v->verbose && v->stats) {
        json_t *stats = json_object();
        stats_each(v->stats, add_stat, stats);
        json_object_set_new(j, "stats", stats);
    }
    report_dump_json(j, out);
}

void report_verify_json(const struct verify_view *v, FILE *out)
{
    report_json(v, "verify", out);
}

void report_robust_json(const struct verify_view *v, FILE *out)
{
    report_json(v, "robust", out);
}
