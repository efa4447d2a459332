/* See replay_report.h. */
#include "report/command/replay_report.h"

#include "report/page/json_text.h"

static const char *const outcome_names[] = {"reproduced",     "not evaluated",   "refused",
                                            "not reproduced", "not expressible", "unknown",
                                            "internal error"};

static const char *const order_names[] = {[SCHEDULE_CERTIFICATE] = "certificate",
                                          [SCHEDULE_SEARCHED] = "search",
                                          [SCHEDULE_EXECUTION] = "execution"};
static const char *const order_texts[] = {
    [SCHEDULE_CERTIFICATE] = "that of the history engine's certificate",
    [SCHEDULE_SEARCHED] = "not that of the history engine's certificate, because of row locks",
    [SCHEDULE_EXECUTION] = "the execution's own, and the statements are the program's"};

/* Names come from a file: nothing that a terminal would obey. */
static void put(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

static void put_lines(const struct replay_view *v, FILE *out)
{
    const struct replay *r = v->replay;
    for (size_t i = 0; i < r->statements.len; i++) {
        const struct replay_statement *l = &r->statements.data[i];
        fprintf(out, "  T%u  ", l->txn + 1);
        put(out, l->text);
        fputs(l->failed ? "   <- here\n" : "\n", out);
    }
}

static void put_names(const struct replay_view *v, FILE *out)
{
    for (size_t i = 0; i < v->plan->txns.len; i++) {
        fprintf(out, "  T%zu  ", i + 1);
        put(out, v->plan->txns.data[i].name);
        fprintf(out, ", %s\n", record_isolation_names[v->replay->level[i]]);
    }
}

static void put_verdict(const struct replay_view *v, FILE *out)
{
    const struct replay *r = v->replay;
    switch (r->outcome) {
    case REPLAY_REPRODUCED:
        fprintf(out, "REPRODUCED on PostgreSQL %s at %s: %s ", r->version, r->level_name,
                v->plan->property_kind);
        put(out, v->plan->property);
        fputs(" fails", out);
        if (v->plan->condition) {
            fputs(": ", out);
            put(out, v->plan->condition);
            fputs(" is false", out);
        }
        fputs(" (evaluated on what the server answered)", out);
        break;
    case REPLAY_NOT_EVALUATED:
        fprintf(out,
                "NOT EVALUATED on PostgreSQL %s at %s: every answer is the counterexample's, "
                "but whether %s ",
                r->version, r->level_name, v->plan->property_kind);
        put(out, v->plan->property);
        fputs(" fails on them is not known: ", out);
        put(out, r->not_judged);
        break;
    case REPLAY_REFUSED:
    case REPLAY_NOT_REPRODUCED:
        fprintf(out, "%s PostgreSQL %s at %s: T%u ",
                r->outcome == REPLAY_REFUSED ? "REFUSED by" : "NOT REPRODUCED on", r->version,
                r->level_name, r->txn + 1);
        put(out, v->plan->txns.data[r->txn].name);
        fputs(", ", out);
        put(out, r->statement);
        fprintf(out, "%s%s: ", *r->sqlstate ? ": SQLSTATE " : "", r->sqlstate);
        put(out, r->reason);
        break;
    case REPLAY_NOT_EXPRESSIBLE:
        fprintf(out, "NOT EXPRESSIBLE on PostgreSQL: %s", r->reason);
        break;
    case REPLAY_UNKNOWN:
    case REPLAY_BROKEN:
        fputs(r->outcome == REPLAY_UNKNOWN ? "UNKNOWN: " : "INTERNAL ERROR: ", out);
        put(out, r->reason);
        break;
    }
    fputc('\n', out);
}

void report_replay_text(const struct replay_view *v, FILE *out)
{
    if (!v->quiet && v->replay->statements.len) {
        put_names(v, out);
        fprintf(out, "\n  The order of begins and commits is %s.\n",
                order_texts[v->schedule->order]);
        fputc('\n', out);
        put_lines(v, out);
        fputc('\n', out);
    }
    put_verdict(v, out);
}

void report_replay_json(const struct replay_view *v, FILE *out)
{
    const struct replay *r = v->replay;
    json_t *lines = json_array(), *txns = json_array();
    for (size_t i = 0; i < v->plan->txns.len; i++)
        json_array_append_new(txns, json_pack("{s:i, s:s, s:s}", "id", (int)i, "name",
                                              v->plan->txns.data[i].name, "isolation",
                                              record_isolation_names[r->level[i]]));
    for (size_t i = 0; i < r->statements.len; i++)
        json_array_append_new(lines, json_pack("{s:i, s:s, s:b}", "transaction",
                                               (int)r->statements.data[i].txn, "text",
                                               r->statements.data[i].text, "failed",
                                               r->statements.data[i].failed));
    bool refused = r->outcome == REPLAY_REFUSED || r->outcome == REPLAY_NOT_REPRODUCED;
    json_t *j = json_pack(
        "{s:s, s:s, s:s, s:s?, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:s?, s:s?, s:s?, s:s?, s:b, "
        "s:s?}",
        "schema", REPORT_SCHEMA, "command", "replay", "outcome", outcome_names[r->outcome],
        "server", r->version, "isolation", r->level_name, "property", v->plan->property, "anomaly",
        v->plan->anomaly, "ruled_out_by", v->plan->ruled_out_by, "transactions", txns, "statements",
        lines, "refused_transaction", refused ? json_integer(r->txn) : json_null(),
        "refused_statement", refused ? r->statement : NULL, "sqlstate",
        refused && *r->sqlstate ? r->sqlstate : NULL, "schedule",
        v->schedule->steps.len ? order_names[v->schedule->order] : NULL, "reason",
        r->outcome == REPLAY_NOT_EVALUATED ? r->not_judged
        : r->outcome == REPLAY_REPRODUCED  ? NULL
                                           : r->reason,
        "evaluated", r->outcome == REPLAY_REPRODUCED, "not_evaluated",
        v->judgement == REPLAY_FAILS || v->judgement == REPLAY_HOLDS ? NULL : r->not_judged);
    report_dump_json(j, out);
}

const char *report_replay_doubt(const struct plan *p, const char *difference,
                                enum replay_judgement j, struct arena *a)
{
    bool holds = j == REPLAY_HOLDS;
    return arena_printf(a,
                        "PostgreSQL gave every answer of the counterexample, but %s%s%s: is %s "
                        "still the program that it was made from?",
                        holds ? "with these answers " : "", holds ? p->property : difference,
                        holds ? " holds" : "", p->file);
}
