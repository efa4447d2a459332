/* visar models: the model table, weakest first, and what real databases call each model. */
#include "cli/cli.h"
#include "report/command/models_report.h"

int cmd_models(struct cli *c)
{
    if (c->files.len)
        return cli_usage(c, "unexpected operand '%s'", c->files.data[0]);
    if (c->opt.json)
        report_models_json(c->out);
    else
        report_models_text(c->opt.quiet, c->color, c->out);
    return EXIT_HOLDS;
}
