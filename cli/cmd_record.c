/* visar record: a workload against a real PostgreSQL, and the history that its clients saw.
 *
 * Exit codes: 2 if the server does not answer as PostgreSQL does, 10 if the workload is a program
 * and an invariant is false in the final database state (or an assertion failed in a transaction
 * that committed), 5 if not all transactions could be run, else 0. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/limit.h"
#include "cli/load.h"
#include "database/record.h"

enum { CLIENTS_MAX = 1000, KEYS_MAX = 1000000 };

static enum record_isolation isolation(const char *name)
{
    return !strcmp(name, "serializable")      ? RECORD_SERIALIZABLE
           : !strcmp(name, "repeatable-read") ? RECORD_REPEATABLE_READ
                                              : RECORD_READ_COMMITTED;
}

/* NULL, or what is wrong with the command line. */
static const char *bad_options(const struct cli *c)
{
    const struct options *o = &c->opt;
    if (!o->on)
        return "--on URL says which server";
    if (!o->out)
        return "--out FILE says where the history goes";
    if (o->clients < 1 || o->clients > CLIENTS_MAX)
        return "--clients is a number from 1 to 1000";
    if (o->keys < 2 || o->keys > KEYS_MAX)
        return "--keys is a number from 2 to 1000000";
    return o->txns < 1 ? "--txns is at least 1" : NULL;
}

/* ---- what came of it ------------------------------------------------------------------------ */

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

static void print_json(struct cli *c, const struct record_options *o, const struct record_result *r)
{
    json_t *j =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:o, "
                  "s:I, s:s?, s:b, "
                  "s:s?, s:f}",
                  "schema", "visar/1", "command", "record", "server", r->version, "isolation",
                  record_isolation_names[o->isolation], "workload", o->workload, "output", o->out,
                  "clients", (int)o->clients, "committed", (json_int_t)r->committed, "aborted",
                  (json_int_t)r->aborted, "aborted_because", aborts_json(&r->aborts), "unknown",
                  (json_int_t)r->unknown, "reconnects", (json_int_t)r->reconnects, "torn_audits",
                  (json_int_t)r->torn_audits, "rolled_back", (json_int_t)r->rolled_back, "broken",
                  o->program && r->judged ? broken_json(r) : json_null(), "failed_assertions",
                  (json_int_t)r->failed_assertions, "failed_assertion", r->failed_assertion,
                  "complete", r->complete, "trouble", r->trouble, "seconds", r->seconds);
    if (j)
        json_dumpf(j, c->out, JSON_INDENT(2));
    fputc('\n', c->out);
    json_decref(j);
}

/* Whatever else is left out, a false invariant is not. */
static void print_violations(struct cli *c, const struct record_options *o,
                             const struct record_result *r)
{
    for (size_t i = 0; i < r->n_broken; i++)
        fprintf(c->out, "VIOLATED: invariant %s is false in the final database state%s%s\n",
                r->broken[i].name, *r->broken[i].values ? ": " : "", r->broken[i].values);
    if (r->failed_assertions)
        fprintf(c->out,
                "VIOLATED: an assertion failed in %" PRIu64 " committed transaction%s: %s\n",
                r->failed_assertions, r->failed_assertions == 1 ? "" : "s, among them",
                r->failed_assertion);
    if (o->program && !r->judged)
        fputs("the final database state could not be read: nothing is known of the invariants\n",
              c->out);
}

static void print_counts(struct cli *c, const struct record_result *r)
{
    fprintf(c->out,
            "%" PRIu64 " committed, %" PRIu64 " aborted, %" PRIu64 " of unknown outcome, %.1f s\n",
            r->committed, r->aborted, r->unknown, r->seconds);
    for (size_t i = 0; i < r->aborts.n; i++) {
        const struct abort_count *a = &r->aborts.by[i];
        fprintf(c->out, "  aborted: %" PRIu64 " %s%s%s%s\n", a->count, a->why,
                *a->sqlstate ? " (" : "", a->sqlstate, *a->sqlstate ? ")" : "");
    }
    if (r->reconnects)
        fprintf(c->out, "connections lost and opened again: %" PRIu64 "\n", r->reconnects);
    if (r->torn_audits)
        fprintf(c->out, "audits that did not find all the money: %" PRIu64 "\n", r->torn_audits);
}

static void print_text(struct cli *c, const struct record_options *o, const struct record_result *r)
{
    fprintf(c->out, "recorded %" PRIu64 " transactions of %u clients on PostgreSQL %s at %s: %s\n",
            r->committed + r->aborted + r->unknown, o->clients, r->version,
            record_isolation_names[o->isolation], o->out);
    if (!c->opt.quiet)
        print_counts(c, r);
    print_violations(c, o, r);
}

static void show_progress(void *arg, uint64_t done, double seconds)
{
    struct cli *c = arg;
    (void)seconds;
    cli_progress(c, "recording: %" PRIu64 " of %" PRId64 " transactions", done, c->opt.txns);
}

static int record(struct cli *c, const struct record_options *o)
{
    struct record_result r;
    const char *error = record_run(o, &c->arena, &r);
    cli_progress(c, "%s", "");
    if (error && limit_reached())
        return cli_unknown(c, limit_text());
    if (error) {
        diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s", error);
        return cli_bad_input(c);
    }
    if (c->opt.json)
        print_json(c, o, &r);
    else
        print_text(c, o, &r);
    if (r.trouble)
        fprintf(stderr, "visar: %s\n", r.trouble);
    if (limit_reached())
        fprintf(stderr, "visar: %s; what was recorded until then is in the file\n", limit_text());
    return r.strange                           ? EXIT_BAD_INPUT
           : r.n_broken || r.failed_assertions ? EXIT_VIOLATED
           : r.complete                        ? EXIT_HOLDS
                                               : EXIT_UNKNOWN;
}

/* A workload is a name or a C program. */
static int open_workload(struct cli *c, struct ast_program **program)
{
    static const char *const names[] = {"rw", "append", "bank"};
    const char *w = c->opt.workload, *dot = strrchr(w, '.');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(w, names[i]))
            return EXIT_HOLDS;
    if (!dot || strcmp(dot, ".c") != 0)
        return cli_usage(c, "--workload is rw, append, bank or a program FILE.c, not '%s'", w);
    vec_push(&c->files, w);
    return program_open(c, program);
}

int cmd_record(struct cli *c)
{
    struct ast_program *program = NULL;
    const char *bad = bad_options(c);
    if (bad)
        return cli_usage(c, "%s", bad);
    if (c->files.len)
        return cli_usage(c, "record reads no file but the one that --workload names, not '%s'",
                         c->files.data[0]);
    int rc = open_workload(c, &program);
    if (rc != EXIT_HOLDS)
        return rc;
    struct record_options o = {
        .url = c->opt.on,
        .workload = c->opt.workload,
        .program = program,
        .clients = (unsigned)c->opt.clients,
        .txns = (uint64_t)c->opt.txns,
        .keys = (unsigned)c->opt.keys,
        .isolation = isolation(c->opt.isolation),
        .seed = (uint64_t)c->opt.seed,
        .out = c->opt.out,
        .force = c->opt.force,
        .lockstep = c->opt.lockstep,
        .progress = show_progress,
        .arg = c,
    };
    rc = record(c, &o);
    ast_free(program);
    return rc;
}
