/* Questions at the levels of databases: one for all transactions, or pg-rc and pg-rr mixed; and the
 * proof rule there. */
#include <stdlib.h>
#include <string.h>

#include "tests/verify/oracle_test.h"

static const struct model *model_of(enum orc_server level)
{
    return model_find_any(orc_server_name(level));
}

static void compare(struct test *t, const char *level, struct orc_run run, struct verify_question q)
{
    q.pool = t->pool;
    struct orc_outcome truth = orc_prog_axioms(&t->prog, &run);
    struct verify_result *r = verify_run(t->by_row, &q);
    t->tally->asked[SERVER]++;
    t->tally->violated[SERVER] += truth.invariant_violated || truth.assert_failed;
    test_agree(t, SERVER, level, &truth, r);
    verify_result_free(r);
    free(truth.finals);
}

/* Without session order, on snapshots, both or neither; the text says which. */
static void choose_options(struct test *t, struct orc_run *run, struct verify_question *q,
                           char *text)
{
    bool snapshots = orc_percent(&t->rng, 20);
    run->rules.session = !orc_percent(&t->rng, 20);
    run->observe_snapshots = snapshots && !strcmp(t->word, "INVARIANT");
    q->no_session_order = !run->rules.session;
    q->observe = snapshots ? VERIFY_OBSERVE_SNAPSHOTS : VERIFY_OBSERVE_FINAL;
    strcat(text, run->rules.session ? "" : " no-session-order");
    strcat(text, snapshots ? " snapshots" : "");
}

static void ask_at(struct test *t, enum orc_server level)
{
    char text[80];
    struct orc_run run = orc_run_server(level, true);
    struct verify_question q = {
        .model = model_of(level), .bounded = true, .keep_raw = !orc_percent(&t->rng, 4)};
    snprintf(text, sizeof text, "%s", orc_server_name(level));
    choose_options(t, &run, &q, text);
    compare(t, text, run, q);
}

static void ask_both(struct test *t)
{
    const struct model *levels[ORC_TXNS];
    char text[120] = "";
    struct orc_run run = orc_run_server(ORC_PG_RC, true);
    for (int i = 0; i < t->prog.n_txns; i++) {
        int first = orc_callee(&t->prog, i);
        run.server[i] = first < i                  ? run.server[first]
                        : orc_percent(&t->rng, 50) ? ORC_PG_RC
                                                   : ORC_PG_RR;
        levels[test_callee(&t->prog, i)] = model_of(run.server[i]);
        strcat(strcat(text, i ? "," : ""), orc_server_name(run.server[i]));
    }
    struct verify_question q = {
        .model = model_of(ORC_PG_RC), .levels = levels, .bounded = true, .keep_raw = true};
    choose_options(t, &run, &q, text);
    compare(t, text, run, q);
}

/* What is proved holds for the scenario and for any three instances. */
static void ask_proof(struct test *t, enum orc_server level)
{
    struct orc_run run = orc_run_server(level, true);
    struct verify_question q = {.model = model_of(level), .prove_only = true, .pool = t->pool};
    struct verify_result *r = verify_run(t->by_row, &q);
    const struct verify_verdict *inv = test_worst(r, VERIFY_INVARIANT);
    const struct verify_verdict *as = test_worst(r, VERIFY_ASSERT);
    bool proved = inv && inv->status == VERIFY_PROVED;
    bool assert_proved = as && as->status == VERIFY_PROVED;
    t->tally->asked[SERVER_PROOF]++;
    t->tally->proved += proved + assert_proved;
    if (proved || assert_proved) {
        struct orc_outcome truth = orc_prog_axioms(&t->prog, &run);
        struct orc_any any = orc_prog_any(&t->prog, &run, 3);
        if (proved && (truth.invariant_violated || any.outcome.invariant_violated))
            test_complain(t, SERVER_PROOF, orc_server_name(level), "invariant", true, VERIFY_PROVED,
                          NULL);
        if (assert_proved && (truth.assert_failed || any.outcome.assert_failed))
            test_complain(t, SERVER_PROOF, orc_server_name(level), "assertion", true, VERIFY_PROVED,
                          NULL);
        free(truth.finals);
    }
    verify_result_free(r);
}

void ask_server(struct test *t)
{
    /* SERIALIZABLE is the easiest, and the same for all. */
    static const enum orc_server turns[] = {ORC_PG_RC, ORC_PG_RR, ORC_MY_RR, ORC_PG_RC,
                                            ORC_MY_RC, ORC_MY_RR, ORC_PG_RR, ORC_PG_SER,
                                            ORC_PG_RC, ORC_PG_RR, ORC_MY_RR, ORC_MY_SER};
    enum { TURNS = sizeof turns / sizeof *turns };
    /* Groups of eight programs have the same shapes: each shape gets every turn. */
    enum orc_server level = turns[(t->seed + t->seed / 8) % TURNS];
    enum orc_server second = turns[(t->seed + t->seed / 8 + 1) % TURNS];
    if (t->prog.reads_elsewhere && level == ORC_MY_RC)
        level = ORC_PG_RC;
    if (t->prog.reads_elsewhere && second == ORC_MY_RC)
        second = ORC_PG_RC;
    ask_at(t, level);
    if (t->seed / 8 % 2)
        ask_both(t);
    else
        ask_at(t, second);
    if (!strcmp(t->word, "INVARIANT") && !t->prog.results && t->seed / 16 % 4 == 0)
        ask_proof(t, level);
}
