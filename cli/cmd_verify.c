/* visar verify: does a program keep its properties under one or more models?
 *
 * Parse, ask one question for each model (in parallel, if there are several), hand every execution
 * to the history engine for a cross-check, report.  Exit codes: 6 if anything is internally
 * inconsistent, 10 if something is violated, 5 if something is unknown or vacuous, else 0. */
#include <math.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "cli/write_reproducer.h"
#include "cli/verified.h"
#include "report/page/messages.h"

struct run {
    struct cli *c;
    struct verified v;
    struct verify_question questions[MODEL_COUNT];
    struct verify_result *results[MODEL_COUNT];
    size_t n;
};

static bool make_questions(struct run *r)
{
    bool wanted[MODEL_COUNT];
    struct verify_question q;
    if (!program_models(r->c, r->c->opt.model, wanted) || !verified_question(&r->v, &q))
        return false;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (wanted[m]) {
            q.model = model_get((enum model_id)m);
            r->questions[r->n++] = q;
        }
    return true;
}

static void note_known(struct run *r, size_t done)
{
    struct strbuf b = {0};
    report_known_models((const struct verify_result *const *)r->results, done, &b);
    verified_known(&r->v, sb_str(&b));
    sb_free(&b);
}

/* Of the time limit, for each of n questions when `left` are to be asked: what the others do not
 * need is for those that come later, the last ones have all.  0: no limit. */
static double share(size_t left, size_t n)
{
    double seconds = limit_remaining();
    return left <= n || !isfinite(seconds) ? 0 : fmax(seconds * (double)n / (double)left, 0.2);
}

/* As many models at a time as there are processors, so that what is known grows. */
static void ask(struct run *r)
{
    for (size_t done = 0; done < r->n;) {
        size_t n = r->n - done < batch_jobs(r->v.batch) ? r->n - done : batch_jobs(r->v.batch);
        if (r->n == 1)
            cli_progress(r->c, "verifying under %s", r->questions[done].model->name);
        else
            cli_progress(r->c, "verifying under %s%s, %zu of %zu models done",
                         r->questions[done].model->name, n > 1 ? " and others" : "", done, r->n);
        for (size_t i = done; i < done + n; i++)
            r->questions[i].seconds = share(r->n - done, n);
        batch_run(r->v.batch, r->questions + done, n, r->results + done);
        done += n;
        note_known(r, done);
    }
    cli_progress(r->c, "%s", "");
    verify_infer(r->results, r->n);
}

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
    for (size_t i = r->n; i-- > 0;) {
        const struct verify_verdict *d = report_violation(r->results[i]);
        *of = r->results[i];
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
    v.results = (const struct verify_result *const *)r->results;
    v.n_results = r->n;
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
    for (size_t i = 0; i < r->n; i++) {
        if (r->results[i]->error)
            return verified_refuse(&r->v, r->results[i]);
        verified_ask(&r->v, r->results[i]);
    }
    int rc = verified_agree(&r->v);
    if (rc == EXIT_HOLDS && (r->c->opt.save_history || r->c->opt.reproducer))
        rc = save(r);
    return rc == EXIT_HOLDS ? report(r) : rc;
}

static int run(struct run *r)
{
    int rc = verified_open(&r->v, r->c);
    if (rc != EXIT_HOLDS)
        return rc;
    if (!make_questions(r))
        return EXIT_USAGE;
    ask(r);
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
