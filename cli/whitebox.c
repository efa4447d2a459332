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
    if (error && c->opt.version_order)
        error = arena_printf(&c->arena, "%s: %s", c->opt.version_order, error);
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

static enum whitebox_view view_of(struct check_level level)
{
    return level.model == MODEL_RC || level.model == MODEL_RA ? VIEW_DIRECT
           : level.model == MODEL_CC                          ? VIEW_CAUSAL
                                                              : VIEW_STRONG;
}

static struct derive_options options_for(enum whitebox_view view, bool by_session)
{
    return (struct derive_options){.all_versions = view != VIEW_STRONG,
                                   .by_session = by_session,
                                   .direct = view == VIEW_DIRECT};
}

/* Will another view than that of the last level be wanted?  Only version sets make a difference. */
static bool views_differ(const struct history *h, const struct check_level *levels, size_t count)
{
    bool differ = false, sets = false;
    for (size_t i = 0; i < count; i++)
        differ |= view_of(levels[i]) != view_of(levels[count - 1]);
    for (size_t i = 0; i < h->predicates.len; i++)
        sets |= h->predicates.data[i].has_set;
    return differ && sets;
}

int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence)
{
    const char *name = check_anomaly_name(CHECK_RESULT_MISMATCH);
    print_sentence(c, false, arena_printf(&c->arena, "%s: %s satisfies no level", name, path),
                   sentence);
    return EXIT_VIOLATED;
}

static bool is_items_only(const struct check_level *levels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (levels[i].real_time == CHECK_ITEMS_ONLY)
            return true;
    return false;
}

int whitebox_predicates(struct cli *c, struct history **h, const struct check_level *levels,
                        size_t count, struct whitebox_answer *answer)
{
    *answer = (struct whitebox_answer){
        .verdict = CHECK_OK, .first = view_of(levels[count - 1]), .by_session = true};
    for (size_t i = 0; i < count; i++)
        answer->by_session &= levels[i].session_order;
    struct derive_options o = options_for(answer->first, answer->by_session);
    o.items_only = is_items_only(levels, count);
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
        answer->verdict = CHECK_UNKNOWN;
        answer->sentence = d.unknown;
        return EXIT_HOLDS;
    }
    const char *fault =
        d.violation ? certify_mismatch(*h, &d, &c->arena) : certify_results(*h, &c->arena);
    if (fault) {
        hist_free(d.history);
        return broken(c, fault);
    }
    if (d.violation) {
        answer->verdict = CHECK_VIOLATION;
        answer->sentence = d.violation;
        answer->mismatch = d;
        return EXIT_HOLDS;
    }
    if (o.items_only || views_differ(*h, levels, count))
        answer->original = *h;
    else
        hist_free(*h);
    *h = d.history;
    return EXIT_HOLDS;
}

const struct history *whitebox_seen(struct cli *c, struct whitebox_answer *answer,
                                    const struct history *h, struct check_level level,
                                    const char **unknown)
{
    enum whitebox_view view = view_of(level);
    if (!answer->original || view == answer->first)
        return h;
    if (!answer->seen[view]) {
        struct derive_options o = options_for(view, answer->by_session);
        struct derived d;
        derive_history(answer->original, &o, &c->arena, &d);
        answer->seen[view] = d.history;
        *unknown = d.unknown;
    }
    return answer->seen[view];
}

void whitebox_free(struct whitebox_answer *answer)
{
    hist_free(answer->original);
    for (int i = 0; i < VIEW_COUNT; i++)
        hist_free(answer->seen[i]);
}
