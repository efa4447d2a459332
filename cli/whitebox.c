/* White-box histories on the command line; see whitebox.h. */
#include "cli/whitebox.h"

#include <string.h>

#include "base/io.h"
#include "base/limit.h"
#include "base/strbuf.h"
#include "check/predicate/missing_rows.h"
#include "certify/certify_missing_rows.h"
#include "certify/certify_whitebox.h"
#include "history/lower/lower.h"
#include "check/order/expected_order.h"
#include "history/version_order.h"
#include "report/page.h"
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
        struct page page = {c->out, c->color};
        fputc('\n', c->out);
        page_text(&page, 2, 2, sb_str(&b));
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

int whitebox_complete(struct cli *c, const struct history *h, const char *path)
{
    const char *error = vo_check(h, &c->arena);
    if (error)
        error = arena_printf(&c->arena, "%s: %s",
                             c->opt.version_order ? c->opt.version_order : path, error);
    return error ? bad(c, error) : EXIT_HOLDS;
}

void whitebox_remark(struct cli *c, const struct history *h)
{
    if (!h->version_orders_complete || c->opt.json || c->opt.quiet)
        return;
    fputs("\nThe version orders are given and complete, so a violation is about them: with these "
          "orders nothing\nexplains the history.  Other orders might (docs/check.md).\n",
          c->out);
}

/* --- an expected order ----------------------------------------------------------------------- */

static void note_sessions(struct cli *c, const struct history *h, const struct expected_answer *a)
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
    expected_order order = {0};
    struct expected_answer a = {0};
    const char *note = NULL;
    const char *error = io_read(file, &c->arena, &bytes);
    if (error)
        error = arena_printf(&c->arena, "%s: %s", file, error);
    else
        error = expected_order_read(h, file, bytes.data, bytes.size, &c->arena, &order, &note);
    io_bytes_free(&bytes);
    if (!error)
        expected_order_run(h, &order, &c->arena, &a);
    const char *fault = error || a.stopped ? NULL : certify_replay(h, &order, &a, &c->arena);
    vec_free(&order);
    if (error)
        return bad(c, error);
    if (a.stopped)
        return cli_unknown(c, a.stopped);
    if (fault)
        return broken(c, fault);
    if (note && !c->opt.quiet)
        fprintf(stderr, "visar: note: %s\n", note);
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

int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence)
{
    const char *name = anomaly_name(ANOMALY_RESULT_MISMATCH);
    print_sentence(c, false, arena_printf(&c->arena, "%s: %s satisfies no level", name, path),
                   sentence);
    return EXIT_VIOLATED;
}

/* The last of the levels that is, or is not, repeatable read; or NULL. */
static const struct level *last_level(const struct level *levels, size_t count, bool items_only)
{
    while (count-- > 0)
        if ((levels[count].real_time == LEVEL_ITEMS_ONLY) == items_only)
            return &levels[count];
    return NULL;
}

static void show_progress(void *arg, struct level level, unsigned round)
{
    if (round > 1)
        cli_progress(arg, "checking %s, round %u", level_short_title(level), round);
    else
        cli_progress(arg, "checking %s", level_short_title(level));
}

/* The history as a view sees it.  An answer beforehand goes into *answer, for all levels: a result
 * that no versions give, or that is not that of its version set, violates every one of them. */
static int derive_as(struct cli *c, const struct history *h, const struct lower_options *o,
                     struct whitebox_answer *answer, struct lowered *d)
{
    lower_history(h, o, &c->arena, d);
    if (d->unknown) {
        answer->verdict = CHECK_UNKNOWN;
        answer->sentence = d->unknown;
        return EXIT_HOLDS;
    }
    const char *fault =
        d->violation ? certify_mismatch(h, d, &c->arena) : certify_results(h, &c->arena);
    if (fault)
        return broken(c, fault);
    if (d->violation) {
        answer->verdict = CHECK_VIOLATION;
        answer->sentence = d->violation;
        answer->mismatch = d;
    }
    return EXIT_HOLDS;
}

/* Of the levels that are not repeatable read, into answer->items. */
static int derive_plain(struct cli *c, const struct history *h, struct level level,
                        const struct certificate_items *named, struct whitebox_answer *answer)
{
    bool all = !(named && named->named) && !missing_rows_many(h);
    enum lower_view view = lower_view_of(level.model);
    if (!all && !named)
        view = missing_rows_first_view(h, level);
    else if (named && named->exact && view == LOWER_CAUSAL && level.session_order)
        view = LOWER_EXACT;
    struct lower_options o = lower_view_options(view, level.session_order);
    lower_rows none = {0};
    if (!all)
        o.only = named ? &named->rows : &none;
    answer->search.all = all;
    int rc = lower_needed(h, &o) ? derive_as(c, h, &o, answer, &answer->items) : EXIT_HOLDS;
    if (rc == EXIT_HOLDS && answer->verdict == CHECK_OK && answer->items.history)
        missing_rows_lend(&answer->search, view, level.session_order, &answer->items);
    return rc;
}

static int lower_repeatable(struct cli *c, const struct history *h, struct level level,
                            struct whitebox_answer *answer)
{
    struct lower_options o = lower_view_options(LOWER_ITEMS, level.session_order);
    int rc = derive_as(c, h, &o, answer, &answer->repeatable);
    if (rc == EXIT_HOLDS && answer->verdict == CHECK_OK)
        missing_rows_lend(&answer->search, LOWER_ITEMS, level.session_order, &answer->repeatable);
    return rc;
}

static bool any_needed(const struct history *h, const struct level *plain,
                       const struct level *items)
{
    return (plain && lower_needed(h, &(struct lower_options){0})) ||
           (items && lower_needed(h, &(struct lower_options){.items_only = true}));
}

int whitebox_predicates(struct cli *c, struct history **h, const struct level *levels, size_t count,
                        const struct certificate_items *named, struct whitebox_answer *answer)
{
    const struct level *plain = last_level(levels, count, false);
    const struct level *items = last_level(levels, count, true);
    *answer = (struct whitebox_answer){.verdict = CHECK_OK};
    if (!any_needed(*h, plain, items))
        return EXIT_HOLDS;
    if (c->opt.unique_values)
        return cli_cannot_answer(c, EXIT_USAGE,
                                 "--unique-values is not for histories with predicate reads");
    missing_rows_start(&answer->search, *h, check_history, &c->arena);
    int rc = plain ? derive_plain(c, *h, *plain, named, answer) : EXIT_HOLDS;
    if (rc == EXIT_HOLDS && answer->verdict == CHECK_OK && items)
        rc = lower_repeatable(c, *h, *items, answer);
    if (rc != EXIT_HOLDS || answer->verdict != CHECK_OK)
        return rc;
    answer->original = *h;
    struct lowered *shown = answer->items.history ? &answer->items : &answer->repeatable;
    *h = answer->given = shown->history;
    answer->search.progress = show_progress;
    answer->search.arg = c;
    return EXIT_HOLDS;
}

void whitebox_check(struct whitebox_answer *answer, const struct history *h,
                    const struct check_options *o, struct check_result *to)
{
    if (answer->original)
        missing_rows_check(&answer->search, o, to);
    else
        check_history(h, o, to);
}

const char *whitebox_certify_missing_rows(struct cli *c, const struct whitebox_answer *answer,
                                          const struct certificate *proof)
{
    struct missing_rows a;
    if (answer->search.all)
        return NULL; /* they are all there */
    missing_rows_init(&a, answer->original);
    const char *error = certify_missing_rows(&answer->items, proof, &a, &c->arena);
    if (!error && a.too_large)
        error = "there are too many predicate reads of too many rows";
    if (!error && a.wrong.len) {
        struct strbuf key = {0}, txn = {0};
        hist_key_text(a.h, a.wrong.data[0].to, &key);
        hist_txn_text(a.h, a.h->predicates.data[a.wrong.data[0].from].txn, &txn);
        error = arena_printf(&c->arena, "it shows %s the row %s, which it did not return",
                             sb_str(&txn), sb_str(&key));
        sb_free(&key);
        sb_free(&txn);
    }
    missing_rows_free(&a);
    return error;
}

void whitebox_free(struct whitebox_answer *answer)
{
    struct lowered *all[] = {&answer->items, &answer->repeatable};
    hist_free(answer->original);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->history != answer->given)
            hist_free(all[i]->history);
        mem_free(all[i]->spans);
    }
    missing_rows_end(&answer->search);
}
