/* White-box histories on the command line; see whitebox.h. */
#include "cli/whitebox.h"

#include <string.h>

#include "base/io.h"
#include "base/limit.h"
#include "base/strbuf.h"
#include "check/check.h"
#include "history/version_order.h"
#include "report/page/messages.h"
#include "report/report.h"

static int bad(struct cli *c, const char *error)
{
    diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s", error);
    return cli_bad_input(c);
}

int whitebox_broken(struct cli *c, const char *fault)
{
    diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "internal error: the answer does not stand: %s",
             fault);
    cli_bad_input(c);
    return EXIT_INTERNAL;
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

void whitebox_remark(struct cli *c, const struct history *h)
{
    if (!h->version_orders_complete || c->opt.json || c->opt.quiet)
        return;
    report_version_orders_remark(c->out);
}

/* --- an expected order ----------------------------------------------------------------------- */

static void note_sessions(struct cli *c, const struct history *h, uint32_t late)
{
    struct strbuf b = {0};
    if (late == HIST_NONE || c->opt.no_session_order || c->opt.quiet)
        return;
    hist_txn_text(h, late, &b);
    message_note("the order does not follow the sessions (%s is late)", sb_str(&b));
    sb_free(&b);
}

int whitebox_replay(struct cli *c, const struct history *h, const char *path)
{
    const char *file = c->opt.order;
    struct io_bytes bytes = {0};
    struct check_order_answer a = {0};
    const char *error = io_read(file, &c->arena, &bytes);
    if (error)
        return bad(c, arena_printf(&c->arena, "%s: %s", file, error));
    check_expected_order(h, file, bytes.data, bytes.size, &c->arena, &a);
    io_bytes_free(&bytes);
    if (a.unreadable)
        return bad(c, a.unreadable);
    if (a.stopped)
        return cli_unknown(c, a.stopped);
    if (a.fault)
        return whitebox_broken(c, a.fault);
    if (a.note && !c->opt.quiet)
        message_note("%s", a.note);
    note_sessions(c, h, a.late_in_session);
    if (c->opt.json)
        report_order_json(path, file, a.disagreement, c->out);
    else
        report_order_text(path, file, a.disagreement, c->opt.quiet, c->color, c->out);
    return a.disagreement ? EXIT_VIOLATED : EXIT_HOLDS;
}

/* --- predicates ------------------------------------------------------------------------------ */

int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence)
{
    report_mismatch_text(path, sentence, c->opt.quiet, c->color, c->out);
    return EXIT_VIOLATED;
}
