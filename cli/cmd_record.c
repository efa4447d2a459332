/* visar record: a workload against a real PostgreSQL, and the history that its clients saw.
 *
 * Exit codes: 2 if the server does not answer as PostgreSQL does, 10 if the workload is a program
 * and an invariant is false in the final database state (or an assertion failed in a transaction
 * that committed), 5 if not all transactions could be run, else 0. */
#include <inttypes.h>
#include <string.h>

#include "base/limit.h"
#include "cli/load.h"
#include "report/command/record_report.h"

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
        report_record_json(o, &r, c->out);
    else
        report_record_text(o, &r, c->opt.quiet, c->out);
    report_record_trouble(&r, limit_reached() ? limit_text() : NULL);
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
    int rc = program_open(c, program);
    return rc == EXIT_HOLDS ? program_recorded(c, *program) : rc;
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
    if (rc != EXIT_HOLDS) {
        ast_free(program);
        return rc;
    }
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
