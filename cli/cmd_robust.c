/* visar robust: is every execution that a model allows equivalent to a serial one?
 *
 * As `verify`, with one property that every program has.  Exit codes: 6 if anything is internally
 * inconsistent, 10 if some model allows an execution that is not serializable, 5 if something is
 * unknown or vacuous, else 0. */
#include <string.h>

#include "base/limit.h"
#include "cli/asked.h"
#include "cli/serial_judge.h"
#include "report/page/messages.h"
#include "report/verify/robust_report.h"

struct run {
    struct cli *c;
    struct verified v;
    struct serial_judge judge;
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

/* The execution of the strongest model that has one. */
static int save(struct run *r)
{
    const struct verify_verdict *d = NULL;
    for (size_t i = r->asked.n; i-- > 0 && !d;)
        d = report_violation(r->asked.results[i]);
    if (!d) {
        message_error("every execution is serializable as far as is known, so there is nothing to "
                      "save");
        return EXIT_HOLDS;
    }
    const char *error = cross_check_save(&r->v.opinions, d->execution, r->c->opt.save_history);
    if (!error)
        return EXIT_HOLDS;
    message_error("%s: %s", r->c->opt.save_history, error);
    return EXIT_BAD_INPUT;
}

static int report(struct run *r)
{
    struct verify_view v = verified_view(&r->v);
    v.results = (const struct verify_result *const *)r->asked.results;
    v.n_results = r->asked.n;
    limit_speak();
    if (!r->c->opt.dump) {
        if (r->c->opt.json)
            report_robust_json(&v, r->c->out);
        else
            report_robust_text(&v, r->c->out);
        verified_warn(&r->v);
    }
    return cli_said(r->c, exit_code(report_verify_overall(&v)));
}

/* ---- several models ------------------------------------------------------------------------- */

/* An execution of a model is one of every weaker model: does `weak` say that there is none? */
static bool denies(const struct verify_verdict *strong, const struct verify_verdict *weak)
{
    if (strong->status != VERIFY_VIOLATED || !strong->execution)
        return false;
    if (weak->status == VERIFY_PROVED)
        return !strong->scenario;
    if (weak->status != VERIFY_HOLDS || !weak->scenario != !strong->scenario)
        return false;
    if (weak->scenario)
        return weak->scenario->func == strong->scenario->func && weak->rows >= strong->rows;
    return weak->bound >= strong->execution->n_txns && weak->rows >= strong->rows;
}

static bool contradict(const struct verify_result *strong, const struct verify_result *weak)
{
    if (strong == weak || !model_weaker_or_equal(weak->model->id, strong->model->id))
        return false;
    for (size_t i = 0; i < strong->n_verdicts; i++)
        for (size_t k = 0; k < weak->n_verdicts; k++)
            if (denies(&strong->verdicts[i], &weak->verdicts[k]))
                return true;
    return false;
}

static int models_agree(const struct run *r)
{
    for (size_t i = 0; i < r->asked.n; i++)
        for (size_t k = 0; k < r->asked.n; k++)
            if (contradict(r->asked.results[i], r->asked.results[k])) {
                message_internal_error("robust under %s, but not under %s, which is stronger",
                                       r->asked.results[k]->model->name,
                                       r->asked.results[i]->model->name);
                return EXIT_INTERNAL;
            }
    return EXIT_HOLDS;
}

static int conclude(struct run *r)
{
    for (size_t i = 0; i < r->asked.n; i++) {
        if (r->asked.results[i]->error)
            return verified_refuse(&r->v, r->asked.results[i]);
        verified_ask(&r->v, r->asked.results[i]);
        verified_ask_serial(&r->v, r->asked.results[i]);
    }
    int rc = verified_agree(&r->v);
    rc = rc == EXIT_HOLDS ? models_agree(r) : rc;
    if (rc == EXIT_HOLDS && r->c->opt.save_history)
        rc = save(r);
    return rc == EXIT_HOLDS ? report(r) : rc;
}

static int run(struct run *r)
{
    int rc = verified_open(&r->v, r->c, program_names_server(r->c));
    if (rc != EXIT_HOLDS)
        return rc;
    if (!asked_make(&r->asked, &r->v, &r->judge.judge))
        return EXIT_USAGE;
    asked_run(&r->asked);
    return conclude(r);
}

int cmd_robust(struct cli *c)
{
    struct run r = {.c = c};
    if (c->opt.save_history && !strcmp(c->opt.save_history, "-"))
        return cli_usage(c, "standard output has the verdict: give --save-history a file");
    if (program_dumps(c))
        return cmd_summary(c);
    serial_judge_init(&r.judge);
    int rc = run(&r);
    verified_close(&r.v);
    serial_judge_free(&r.judge);
    return rc;
}
