/* visar models: the model table, weakest first, and what real databases call each model. */
#include "cli/cli.h"
#include "report/command/models_report.h"

int cmd_models(struct cli *c)
{
    if (c->files.len)
        return cli_usage(c, "unexpected operand '%s'", c->files.data[0]);
    struct page page = {c->out, c->color, c->columns ? c->columns : PAGE_ENDLESS};
    if (c->opt.json)
        report_models_json(c->out);
    else
        report_models_text(&page, c->opt.quiet);
    return EXIT_HOLDS;
}
