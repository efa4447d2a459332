/* White-box histories on the command line; see whitebox.h. */
#include "cli/whitebox.h"

#include <string.h>

#include "base/io.h"
#include "base/limit.h"
#include "base/strbuf.h"
#include "history/certify_whitebox.h"
#include "history/derive.h"
#include "history/replay.h"
#include "history/version_order.h"
#include "report/report.h"
#include "report/words.h"

static int bad(struct cli *c, const char *error)
{
    diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s", error);
    return cli_bad_input(c);
}

/* An answer that does not stand when it is checked again is a bug of ours, never a verdict. */
static int broken(struct cli *c, const char *error)
{
    diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "internal error: the answer does not stand: %s",
             error);
    cli_bad_input(c);
    return EXIT_INTERNAL;
}

/* --- verdicts ------------------------------------------------------------------------------- */

/* Names in the sentence come from the history: they are printed as safely as everywhere. */
static void print_sentence(struct cli *c, bool ok, const char *headline, const char *sentence)
{
    struct strbuf b = {0};
    const char *color = !c->color ? "" : ok ? "\033[1;32m" : "\033[1;31m";
    words_safe(headline, strlen(headline), 1000, &b);
    fprintf(c->out, "%s%s%s: %s\n", color, ok ? "OK" : "VIOLATION", c->color ? "\033[0m" : "",
            sb_str(&b));
    if (sentence && !c->opt.quiet) {
        sb_clear(&b);
        words_safe(sentence, strlen(sentence), 4000, &b);
        fprintf(c->out, "\n  %s\n", sb_str(&b));
    }
    sb_free(&b);
}

/* --- version orders -------------------------------------------------------------------------- */

int whitebox_version_order(struct cli *c, struct history *h)
{
    const char *path = c->opt.version_order;
    struct io_bytes bytes = {0};
    const char *error = io_read(path, &c->arena, &bytes);
    if (error)
        error = arena_printf(&c->arena, "%s: %s", path, error);
    else
        error = vo_read(h, path, bytes.data, bytes.size, &c->arena);
    io_bytes_free(&bytes);
    if (limit_reached())
        return cli_unknown(c, limit_text());
    return error ? bad(c, error) : EXIT_HOLDS;
}

int whitebox_complete(struct cli *c, const struct history *h)
{
    const char *error = vo_check(h, &c->arena);
    return error ? bad(c, error) : EXIT_HOLDS;
}

void whitebox_remark(struct cli *c, const struct history *h, enum check_verdict v)
{
    if (!h->version_orders_complete || v != CHECK_VIOLATION || c->opt.json || c->opt.quiet)
        return;
    fputs("\nThe version orders are given and complete, so the verdict is about them: with these "
          "orders nothing\nexplains the history.  Other orders might (docs/check.md).\n",
          c->out);
}

/* --- an expected order ----------------------------------------------------------------------- */

static void note_sessions(struct cli *c, const struct history *h, const struct replay_answer *a)
{
    struct strbuf b = {0};
    if (a->against_session == HIST_NONE || c->opt.no_session_order || c->opt.quiet)
        return;
    hist_txn_text(h, a->against_session, &b);
    fprintf(stderr, "visar: note: the order does not follow the sessions (%s is late)\n",
            sb_str(&b));
    sb_free(&b);
}

int whitebox_replay(struct cli *c, const struct history *h, const char *path)
{
    const char *file = c->opt.order;
    struct io_bytes bytes = {0};
    replay_order order = {0};
    struct replay_answer a = {0};
    const char *error = io_read(file, &c->arena, &bytes);
    if (error)
        error = arena_printf(&c->arena, "%s: %s", file, error);
    else
        error = replay_read(h, file, bytes.data, bytes.size, &c->arena, &order);
    io_bytes_free(&bytes);
    if (!error)
        replay_run(h, &order, &c->arena, &a);
    const char *fault = error || a.stopped ? NULL : certify_replay(h, &order, &a, &c->arena);
    vec_free(&order);
    if (error)
        return bad(c, error);
    if (a.stopped)
        return cli_unknown(c, a.stopped);
    if (fault)
        return broken(c, fault);
    note_sessions(c, h, &a);
    bool ok = !a.disagreement;
    if (c->opt.json)
        report_sentence_json(path, file, a.disagreement, c->out);
    else
        print_sentence(
            c, ok,
            arena_printf(&c->arena, "%s %s %s", file, ok ? "explains" : "does not explain", path),
            a.disagreement);
    return ok ? EXIT_HOLDS : EXIT_VIOLATED;
}

/* --- predicates ------------------------------------------------------------------------------ */

/* No levels: all of them, with session order or without. */
static struct derive_options options_for(const struct check_level *levels, size_t count,
                                         bool sessions)
{
    struct derive_options o = {.all_versions = count == 0, .direct = count == 0};
    o.by_session = count || sessions;
    for (size_t i = 0; i < count; i++) {
        enum model_id m = levels[i].model;
        o.items_only |= levels[i].real_time == CHECK_ITEMS_ONLY;
        o.all_versions |= m == MODEL_RC || m == MODEL_RA || m == MODEL_CC;
        o.by_session &= levels[i].session_order;
        o.direct |= m == MODEL_RC || m == MODEL_RA;
    }
    return o;
}

int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence)
{
    const char *name = check_anomaly_name(CHECK_RESULT_MISMATCH);
    print_sentence(c, false, arena_printf(&c->arena, "%s: %s satisfies no level", name, path),
                   sentence);
    return EXIT_VIOLATED;
}

int whitebox_predicates(struct cli *c, struct history **h, const struct check_level *levels,
                        size_t count, struct whitebox_answer *answer)
{
    *answer = (struct whitebox_answer){.verdict = CHECK_OK};
    struct derive_options o = options_for(levels, count, !c->opt.no_session_order);
    struct derived d;
    if (!derive_needed(*h, &o))
        return EXIT_HOLDS;
    for (size_t i = 0; i < count && o.items_only; i++)
        if (levels[i].real_time != CHECK_ITEMS_ONLY)
            return cli_usage(c, "a history with reads of several rows is checked for pl-2.99 on "
                                "its own, not together with other levels");
    if (c->opt.unique_values)
        return cli_usage(c, "--unique-values is not for histories with predicate reads");
    derive_history(*h, &o, &c->arena, &d);
    if (d.unknown) {
        *answer = (struct whitebox_answer){.verdict = CHECK_UNKNOWN, .sentence = d.unknown};
        return EXIT_HOLDS;
    }
    const char *fault =
        d.violation ? certify_mismatch(*h, &d, &c->arena) : certify_results(*h, &c->arena);
    if (fault) {
        hist_free(d.history);
        return broken(c, fault);
    }
    if (d.violation) {
        *answer = (struct whitebox_answer){
            .verdict = CHECK_VIOLATION, .sentence = d.violation, .mismatch = d};
        return EXIT_HOLDS;
    }
    if (o.items_only)
        answer->original = *h;
    else
        hist_free(*h);
    *h = d.history;
    return EXIT_HOLDS;
}
