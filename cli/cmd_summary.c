/* visar summary: what each transaction reads and writes, and under which condition. */
#include <string.h>

#include "base/limit.h"
#include "cli/load.h"
#include "report/command/summary_report.h"

static int summarise(struct cli *c, struct ast_program *ast)
{
    struct verify_options v = program_options(c);
    struct sx_options options = {.granularity = v.granularity,
                                 .check_overflow = v.check_overflow,
                                 .unwind = v.unwind,
                                 .folds = ast->any ? SX_FOLDS_TERMS : SX_FOLDS_UNROLLED};
    struct sx_program sx;
    double start = stats_wall_seconds();
    cli_progress(c, "executing the transactions of %s", ast->file);
    bool done = sx_run(ast, &options, &c->diags, &sx);
    cli_progress(c, "%s", "");
    if (!done) {
        sx_free(&sx);
        return limit_reached() ? cli_unknown(c, limit_text()) : cli_bad_input(c);
    }
    c->stats.symexec_seconds += stats_wall_seconds() - start;
    c->stats.terms += sx.store.terms.len;
    struct page page = {c->out, c->color, c->columns ? c->columns : PAGE_ENDLESS};
    if (c->opt.json)
        report_summary_json(&sx, &c->diags, c->out);
    else
        report_summary_text(&sx, &c->diags, &page);
    sx_free(&sx);
    return EXIT_HOLDS;
}

int cmd_summary(struct cli *c)
{
    bool tree = c->opt.dump && !strcmp(c->opt.dump, "ast");
    struct ast_program *ast;
    int rc = program_open(c, &ast);
    if (rc != EXIT_HOLDS)
        return rc;
    if (tree)
        ast_print(ast, c->out);
    else
        rc = summarise(c, ast);
    ast_free(ast);
    return rc;
}
