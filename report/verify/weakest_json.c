/* The JSON report of `visar weakest`; docs/json.md describes every member. */
#include "report/verify/databases.h"

#include "base/limit.h"

static json_t *violations_json(const struct weakest_view *w, const struct verify_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; r && i < r->n_verdicts; i++)
        if (r->verdicts[i].status != VERIFY_PROVED && r->verdicts[i].status != VERIFY_HOLDS)
            json_array_append_new(list, report_verdict_json(&w->base, r, &r->verdicts[i]));
    return list;
}

static json_t *line_json(const struct weakest_view *w, const struct weakest_line *l)
{
    const struct model *by = report_told_by(w, l);
    json_t *j = json_pack("{s:s, s:o, s:b, s:b, s:s?, s:b}", "model", l->model->name, "status",
                          report_status_json(l->status), "minimal", l->minimal, "ruled_out",
                          l->ruled_out, "by", by ? by->name : NULL, "run", l->result != NULL);
    if (l->ruled_out || l->status == VERIFY_UNKNOWN || l->status == VERIFY_VACUOUS)
        json_object_set_new(j, "verdicts", violations_json(w, l->result));
    if (l->status == VERIFY_UNKNOWN && !l->result)
        json_object_set_new(j, "reason",
                            json_string(limit_reached() ? limit_text_of("not tried")
                                                        : "not tried: a limit was reached"));
    return j;
}

static json_t *levels_json(const struct weakest_view *w)
{
    if (!w->per_transaction || !w->levels)
        return json_null();
    json_t *levels = json_array();
    for (size_t i = 0; i < w->n_txns; i++) {
        json_t *steps = json_array();
        for (size_t k = 0; k < w->n_steps; k++)
            if (w->steps[k].txn == w->txns[i])
                json_array_append_new(
                    steps, json_pack("{s:s, s:o, s:o}", "to", w->steps[k].to->name, "status",
                                     report_status_json(w->steps[k].status), "verdicts",
                                     violations_json(w, w->steps[k].result)));
        json_array_append_new(levels, json_pack("{s:s, s:s, s:o}", "transaction", w->txns[i]->name,
                                                "level", w->levels[i]->name, "not_lower", steps));
    }
    return json_pack("{s:o, s:o}", "status", report_status_json(w->mixed->overall), "levels",
                     levels);
}

static json_t *databases_json(const struct weakest_view *w)
{
    static const char *const enough[] = {"yes", "no", "unknown", "unknown", "unknown", "unknown"};
    static const char *const because[] = {NULL, NULL, "unsettled", "locks", "statements", "less"};
    json_t *list = json_array();
    for (size_t i = 0; i < model_profile_count; i++) {
        const struct model_profile *p = &model_profiles[i];
        enum database_answer a = report_database(w, p);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:s?, s:b, s:s}", "database", p->database,
                            "level", p->level, "model", model_get(p->model)->name, "enough",
                            enough[a], "because", because[a], "exact", p->exact, "note", p->note));
    }
    return list;
}

static json_t *servers_json(const struct weakest_view *w)
{
    json_t *list = json_array();
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++) {
        const struct server_line *l = &w->server[i];
        if (l->model)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:o, s:s?, s:o}", "model", l->model->name, "level",
                                l->model->server_level, "status", report_status_json(l->status),
                                "same_as", l->same ? l->same->name : NULL, "verdicts",
                                violations_json(w, w->database ? l->result : NULL)));
    }
    return list;
}

/* --database: its levels alone. */
static void database_json(const struct weakest_view *w, FILE *out)
{
    json_t *enough = json_array();
    for (size_t i = 0; i < MODEL_SERVER_COUNT; i++)
        if (w->server[i].model &&
            (w->server[i].status == VERIFY_PROVED || w->server[i].status == VERIFY_HOLDS))
            json_array_append_new(enough, json_string(w->server[i].model->name));
    report_dump_json(
        json_pack("{s:s, s:s, s:o, s:s, s:o, s:b, s:s, s:o}", "schema", REPORT_SCHEMA, "command",
                  "weakest", "file", report_text_json(w->base.file), "database", w->database,
                  "enough", enough, "session_order", !w->base.no_session_order, "observe",
                  w->base.snapshots ? "snapshots" : "final", "server_levels", servers_json(w)),
        out);
}

void report_weakest_json(const struct weakest_view *w, FILE *out)
{
    if (w->database) {
        database_json(w, out);
        return;
    }
    json_t *models = json_array(), *weakest = json_array();
    for (int m = 0; m < MODEL_COUNT; m++) {
        json_array_append_new(models, line_json(w, &w->line[m]));
        if (w->line[m].minimal)
            json_array_append_new(weakest, json_string(w->line[m].model->name));
    }
    report_dump_json(
        json_pack("{s:s, s:s, s:o, s:o, s:b, s:b, s:b, s:s, s:s, s:o, s:o, s:o, s:o, s:i}",
                  "schema", REPORT_SCHEMA, "command", "weakest", "file",
                  report_text_json(w->base.file), "weakest", weakest, "settled", w->settled,
                  "from_invariants", report_weakest_anywhere(w), "session_order",
                  !w->base.no_session_order, "observe", w->base.snapshots ? "snapshots" : "final",
                  "granularity", w->base.fields ? "field" : "row", "models", models,
                  "per_transaction", levels_json(w), "databases", databases_json(w),
                  "server_levels", servers_json(w), "runs", (int)w->runs),
        out);
}
