/* Robustness: the oracle tries every execution and every serial order of each. */
#include <stdlib.h>
#include <string.h>

#include "tests/verify/oracle_test.h"

static bool agrees(const struct verify_verdict *d, bool exists, bool not_serial)
{
    switch (d->status) {
    case VERIFY_VIOLATED:
        return not_serial;
    case VERIFY_PROVED:
        return !not_serial;
    case VERIFY_HOLDS:
        return exists && !not_serial;
    case VERIFY_VACUOUS:
        return !exists;
    default:
        return false;
    }
}

static void judge(struct test *t, const char *level, const char *what,
                  const struct orc_outcome *truth, const struct verify_result *r)
{
    const struct verify_verdict *d = test_worst(r, VERIFY_SERIALIZABLE);
    t->tally->asked[ROBUST]++;
    t->tally->violated[ROBUST] += truth->not_serial;
    if (!d)
        test_complain(t, ROBUST, level, what, truth->not_serial, VERIFY_UNKNOWN, r->error);
    else if (!agrees(d, truth->exists, truth->not_serial))
        test_complain(t, ROBUST, level, what, truth->not_serial, d->status, d->reason);
}

/* The scenario; at times with other options. */
static void ask_scenario(struct test *t, enum orc_level level)
{
    struct orc_run run = orc_run_uniform(level, true);
    struct verify_question q = {.model = test_model(level),
                                .judge = t->judge,
                                .keep_raw = !orc_percent(&t->rng, 10),
                                .pool = t->pool};
    run.serial = true;
    run.rules.session = !orc_percent(&t->rng, 25);
    run.by_field = orc_percent(&t->rng, 25);
    q.no_session_order = !run.rules.session;
    struct orc_outcome truth = orc_prog_axioms(&t->prog, &run);
    struct verify_result *r = verify_run(run.by_field ? t->by_field : t->by_row, &q);
    judge(t, orc_level_name(level), "scenario", &truth, r);
    verify_result_free(r);
    free(truth.finals);
}

static struct orc_any any_of(const struct test *t, enum orc_level level, int n)
{
    struct orc_run run = orc_run_uniform(level, true);
    run.serial = true;
    return orc_prog_any(&t->prog, &run, n);
}

/* What is proved for any number of transactions holds for more than the oracle can try: the
 * argument looks at four of a longer cycle. */
static void try_more(struct test *t, enum orc_level level)
{
    struct verify_question q = {.model = test_model(level),
                                .judge = t->judge,
                                .bounded = true,
                                .keep_raw = true,
                                .txns = 5,
                                .pool = t->pool};
    struct verify_result *r = verify_run(t->by_row, &q);
    const struct verify_verdict *d = test_worst(r, VERIFY_SERIALIZABLE);
    if (!d || (d->status != VERIFY_HOLDS && d->status != VERIFY_VACUOUS))
        test_complain(t, ROBUST, orc_level_name(level), "static argument", false,
                      d ? d->status : VERIFY_UNKNOWN, "five instances");
    verify_result_free(r);
}

/* Any instances, and whether what the static argument proves is true of them. */
static void ask_any_instances(struct test *t, enum orc_level level, int n)
{
    struct verify_question q = {.model = test_model(level),
                                .judge = t->judge,
                                .bounded = true,
                                .keep_raw = true,
                                .txns = (unsigned)n,
                                .pool = t->pool};
    struct orc_any truth = any_of(t, level, n);
    struct verify_result *r = verify_run(t->by_row, &q);
    judge(t, orc_level_name(level), "any instances", &truth.outcome, r);
    verify_result_free(r);
    q.bounded = false;
    q.prove_only = true;
    r = verify_run(t->by_row, &q);
    const struct verify_verdict *d = test_worst(r, VERIFY_SERIALIZABLE);
    bool proved = d && d->status == VERIFY_PROVED;
    t->tally->robust_proved += proved && level != ORC_SER;
    if (proved && truth.outcome.not_serial)
        test_complain(t, ROBUST, orc_level_name(level), "static argument", true, d->status, NULL);
    if (proved && level != ORC_SER)
        try_more(t, level);
    verify_result_free(r);
}

void ask_robust(struct test *t)
{
    for (int level = 0; level < ORC_LEVELS; level++)
        if ((t->seed + (uint64_t)level) % 3 == 0)
            ask_scenario(t, (enum orc_level)level);
    if (t->prog.results || t->seed % 4)
        return;
    for (int level = 0; level < ORC_LEVELS; level++)
        if ((t->seed / 4 + (uint64_t)level) % 3 == 0)
            ask_any_instances(t, (enum orc_level)level, t->prog.n_txns < 4 ? 3 : 2);
}
