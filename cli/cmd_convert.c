/* visar convert: a history in another format.  What the new format cannot say is an error if it
 * could change a verdict, and a note otherwise. */
#include <string.h>

#include "base/limit.h"
#include "cli/table.h"
#include "history/format/formats.h"
#include "report/command/written_report.h"
#include "report/page/messages.h"

static const struct format *target(struct cli *c)
{
    const struct format *f = fmt_find(c->opt.to);
    if (f && f->write)
        return f;
    if (f)
        cli_usage(c, "the format %s is only read, not written", f->name);
    else
        cli_unknown_name(c, KIND_WRITER, c->opt.to);
    return NULL;
}

static int refuse(struct cli *c, const char *error)
{
    if (limit_reached())
        return cli_unknown(c, limit_text());
    diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s", error);
    return cli_bad_input(c);
}

static void report(const struct cli *c, const struct fmt_result *r, const struct format *to)
{
    for (size_t i = 0; i < r->notes.len && !c->opt.quiet; i++)
        message_note("%s", r->notes.data[i]);
    struct written w = {.history = r->history,
                        .from = r->format->name,
                        .to = to->name,
                        .path = c->opt.out,
                        .notes = &r->notes};
    if (c->opt.json)
        report_written_json(&w, c->out);
}

int cmd_convert(struct cli *c)
{
    const char *path = cli_one_file(c, "history");
    const struct format *to = path ? target(c) : NULL;
    if (!to)
        return EXIT_USAGE;
    struct fmt_result r;
    cli_progress(c, "reading %s", path);
    const char *error = fmt_read(path, c->opt.format, &c->arena, &r);
    if (error)
        return refuse(c, error);
    if (strcmp(c->opt.out, "-") != 0)
        cli_progress(c, "writing %s", c->opt.out);
    else
        cli_progress(c, "%s", "");
    error = fmt_write(r.history, to, c->opt.out, &c->arena, &r.notes);
    cli_progress(c, "%s", "");
    int rc = EXIT_HOLDS;
    if (error)
        rc = refuse(c, error);
    else
        report(c, &r, to);
    vec_free(&r.notes);
    hist_free(r.history);
    return rc;
}
