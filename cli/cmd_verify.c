/* visar verify: does a program keep its properties under one or more models?
 *
 * Parse, ask one question for each model (in parallel, if there are several), hand every execution
 * to the history engine for a cross-check, report.  Exit codes: 6 if anything is internally
 * inconsistent, 10 if something is violated, 5 if something is unknown or vacuous, else 0. */
#include <string.h>

#include "base/limit.h"
#include "cli/asked.h"
#include "cli/write_reproducer.h"
#include "report/page/messages.h"

struct run {
    struct cli *c;
    struct verified v;
    struct asked asked;
};

static int exit_code(enum verify_status s)
{
    switch (s) {
    case VERIFY_PROVED:
    case VERIFY_HOLDS:
        return EXIT_HOLDS;
    case VERIFY_VIOLATED:
        return EXIT_VIOLATED;
    case VERIFY_UNKNOWN:
    case VERIFY_VACUOUS:
        return EXIT_UNKNOWN;
    case VERIFY_INTERNAL_ERROR:
        break;
    }
    return EXIT_INTERNAL;
}

/* The counterexample of the strongest violated model. */
static const struct verify_verdict *to_save(const struct run *r, const struct verify_result **of)
{
    for (size_t i = r->asked.n; i-- > 0;) {
        const struct verify_verdict *d = report_violation(r->asked.results[i]);
        *of = r->asked.results[i];
        if (d)
            return d;
    }
    return NULL;
}

static int save(struct run *r)
{
    const struct verify_result *of = NULL;
    const struct verify_verdict *d = to_save(r, &of);
    if (!d) {
        message_error("nothing is violated, so there is nothing to save");
        return EXIT_HOLDS;
    }
    const char *path = r->c->opt.save_history;
    const char *error = path ? cross_check_save(&r->v.opinions, d->execution, path) : NULL;
    if (error) {
        message_error("%s: %s", path, error);
        return EXIT_BAD_INPUT;
    }
    return r->c->opt.reproducer ? reproducer_save(r->c, r->v.ast, of, d) : EXIT_HOLDS;
}

static int report(struct run *r)
{
    struct cli *c = r->c;
    struct verify_view v = verified_view(&r->v);
    v.results = (const struct verify_result *const *)r->asked.results;
    v.n_results = r->asked.n;
    limit_speak();
    if (!c->opt.dump) {
        if (c->opt.json)
            report_verify_json(&v, c->out);
        else
            report_verify_text(&v, c->out);
        verified_warn(&r->v);
    } else if (report_verify_overall(&v) == VERIFY_PROVED && !c->opt.quiet) {
        message_note("the proof rule settles everything, without a formula for executions; "
                     "--bounded leaves it out");
    }
    return cli_said(c, exit_code(report_verify_overall(&v)));
}

static int conclude(struct run *r)
{
    for (size_t i = 0; i < r->asked.n; i++) {
        if (r->asked.results[i]->error)
            return verified_refuse(&r->v, r->asked.results[i]);
        verified_ask(&r->v, r->asked.results[i]);
    }
    int rc = verified_agree(&r->v);
    if (rc == EXIT_HOLDS && (r->c->opt.save_history || r->c->opt.reproducer))
        rc = save(r);
    return rc == EXIT_HOLDS ? report(r) : rc;
}

static int run(struct run *r)
{
    int rc = verified_open(&r->v, r->c, program_names_server(r->c));
    if (rc != EXIT_HOLDS)
        return rc;
    if (!asked_make(&r->asked, &r->v, NULL))
        return EXIT_USAGE;
    asked_run(&r->asked);
    return conclude(r);
}

static bool is_standard_output(const char *path)
{
    return path && !strcmp(path, "-");
}

int cmd_verify(struct cli *c)
{
    struct run r = {.c = c};
    if (is_standard_output(c->opt.save_history) || is_standard_output(c->opt.reproducer))
        return cli_usage(c, "standard output has the verdict: give --save-history and --reproducer "
                            "a file");
    if (program_dumps(c))
        return cmd_summary(c);
    int rc = run(&r);
    verified_close(&r.v);
    return rc;
}
