/* See record_report.h. */
#include "report/command/record_report.h"

#include <inttypes.h>

#include "report/page/json_text.h"
#include "report/page/messages.h"

static json_t *broken_json(const struct record_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_broken; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "invariant", r->broken[i].name,
                                              "values", r->broken[i].values));
    return list;
}

static json_t *aborts_json(const struct aborts *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n; i++)
        json_array_append_new(list,
                              json_pack("{s:s?, s:s, s:I}", "sqlstate",
                                        *a->by[i].sqlstate ? a->by[i].sqlstate : NULL, "reason",
                                        a->by[i].why, "count", (json_int_t)a->by[i].count));
    return list;
}

void report_record_json(const struct record_options *o, const struct record_result *r, FILE *out)
{
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:o, "
                  "s:I, s:s?, s:b, "
                  "s:s?, s:f}",
                  "schema", REPORT_SCHEMA, "command", "record", "server", r->version, "isolation",
                  record_isolation_names[o->isolation], "workload", o->workload, "output", o->out,
                  "clients", (int)o->clients, "committed", (json_int_t)r->committed, "aborted",
                  (json_int_t)r->aborted, "aborted_because", aborts_json(&r->aborts), "unknown",
                  (json_int_t)r->unknown, "reconnects", (json_int_t)r->reconnects, "torn_audits",
                  (json_int_t)r->torn_audits, "rolled_back", (json_int_t)r->rolled_back, "broken",
                  o->program && r->judged ? broken_json(r) : json_null(), "failed_assertions",
                  (json_int_t)r->failed_assertions, "failed_assertion", r->failed_assertion,
                  "complete", r->complete, "trouble", r->trouble, "seconds", r->seconds);
    report_dump_json(j, out);
}

/* Whatever else is left out, a false invariant is not. */
static void print_violations(const struct record_options *o, const struct record_result *r,
                             FILE *out)
{
    for (size_t i = 0; i < r->n_broken; i++)
        fprintf(out, "VIOLATED: invariant %s is false in the final database state%s%s\n",
                r->broken[i].name, *r->broken[i].values ? ": " : "", r->broken[i].values);
    if (r->failed_assertions)
        fprintf(out, "VIOLATED: an assertion failed in %" PRIu64 " committed transaction%s: %s\n",
                r->failed_assertions, r->failed_assertions == 1 ? "" : "s, among them",
                r->failed_assertion);
    if (o->program && !r->judged)
        fprintf(out, "%s: nothing is known of the invariants\n",
                r->too_many ? "the invariants have too many values of parameters to try them all"
                            : "the final database state could not be read");
}

static void print_counts(const struct record_result *r, FILE *out)
{
    fprintf(out,
            "%" PRIu64 " committed, %" PRIu64 " aborted, %" PRIu64 " of unknown outcome, %.1f s\n",
            r->committed, r->aborted, r->unknown, r->seconds);
    for (size_t i = 0; i < r->aborts.n; i++) {
        const struct abort_count *a = &r->aborts.by[i];
        fprintf(out, "  aborted: %" PRIu64 " %s%s%s%s\n", a->count, a->why,
                *a->sqlstate ? " (" : "", a->sqlstate, *a->sqlstate ? ")" : "");
    }
    if (r->reconnects)
        fprintf(out, "connections lost and opened again: %" PRIu64 "\n", r->reconnects);
    if (r->torn_audits)
        fprintf(out, "audits that did not find all the money: %" PRIu64 "\n", r->torn_audits);
}

void report_record_text(const struct record_options *o, const struct record_result *r, bool quiet,
                        FILE *out)
{
    fprintf(out, "recorded %" PRIu64 " transactions of %u clients on PostgreSQL %s at %s: %s\n",
            r->committed + r->aborted + r->unknown, o->clients, r->version,
            record_isolation_names[o->isolation], o->out);
    if (!quiet)
        print_counts(r, out);
    print_violations(o, r, out);
}

void report_record_trouble(const struct record_result *r, const char *limit)
{
    if (r->trouble)
        message_error("%s", r->trouble);
    if (limit)
        message_error("%s; what was recorded until then is in the file", limit);
}
