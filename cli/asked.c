/* Questions about several models, see asked.h. */
#include "cli/asked.h"

#include <math.h>

#include "base/limit.h"

bool asked_make(struct asked *a, struct verified *v, const struct verify_judge *judge)
{
    bool wanted[MODEL_AFTER_SERVERS];
    struct verify_question q;
    a->v = v;
    if (!program_models(v->c, v->c->opt.model, wanted) || !verified_question(v, &q))
        return false;
    q.judge = judge;
    for (int m = 0; m < MODEL_AFTER_SERVERS; m++)
        if (wanted[m]) {
            q.model = model_get((enum model_id)m);
            a->questions[a->n++] = q;
        }
    return true;
}

static void note_known(struct asked *a, size_t done)
{
    struct strbuf b = {0};
    report_known_models((const struct verify_result *const *)a->results, done, &b);
    verified_known(a->v, sb_str(&b));
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
void asked_run(struct asked *a)
{
    struct batch *batch = a->v->batch;
    for (size_t done = 0; done < a->n;) {
        size_t n = a->n - done < batch_jobs(batch) ? a->n - done : batch_jobs(batch);
        if (a->n == 1)
            cli_progress(a->v->c, "verifying under %s", a->questions[done].model->name);
        else
            cli_progress(a->v->c, "verifying under %s%s, %zu of %zu models done",
                         a->questions[done].model->name, n > 1 ? " and others" : "", done, a->n);
        for (size_t i = done; i < done + n; i++)
            a->questions[i].seconds = share(a->n - done, n);
        batch_run(batch, a->questions + done, n, a->results + done);
        done += n;
        note_known(a, done);
    }
    cli_progress(a->v->c, "%s", "");
    verify_infer(a->results, a->n);
}
