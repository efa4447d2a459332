/* visar convert: a history in another format.  What the new format cannot say is an error if it
 * could change a verdict, and a note otherwise. */
#include <jansson.h>
#include <string.h>

#include "base/limit.h"
#include "cli/table.h"
#include "history/format/formats.h"

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

static void print_notes(const struct cli *c, const fmt_notes *notes)
{
    for (size_t i = 0; i < notes->len && !c->opt.quiet; i++)
        fprintf(stderr, "visar: note: %s\n", notes->data[i]);
}

/* The history itself may be on standard output: then there is no room for a summary. */
static void print_summary(const struct cli *c, const struct fmt_result *r, const struct format *to,
                          const fmt_notes *notes)
{
    if (!c->opt.json || !strcmp(c->opt.out, "-"))
        return;
    json_t *lost = json_array();
    for (size_t i = 0; i < notes->len; i++)
        json_array_append_new(lost, json_string(notes->data[i]));
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "schema", "visar/1",
                          "command", "convert", "from", r->format->name, "to", to->name, "output",
                          c->opt.out, "sessions", (json_int_t)r->history->session_count,
                          "transactions", (json_int_t)r->history->txns.len, "operations",
                          (json_int_t)r->history->ops.len, "notes", lost);
    if (j)
        json_dumpf(j, c->out, JSON_INDENT(2));
    fputc('\n', c->out);
    json_decref(j);
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
    if (error) {
        rc = refuse(c, error);
    } else {
        print_notes(c, &r.notes);
        print_summary(c, &r, to, &r.notes);
    }
    vec_free(&r.notes);
    hist_free(r.history);
    return rc;
}
