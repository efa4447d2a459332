/* visar generate: a random history at a level, with or without an anomaly. */
#include <inttypes.h>
#include <string.h>

#include "base/limit.h"
#include "base/strbuf.h"
#include "cli/table.h"
#include "history/format/formats.h"
#include "history/generate/generate.h"
#include "report/command/written_report.h"
#include "report/page/messages.h"

/* A count from the command line; what does not fit is left for the generator to refuse. */
static uint32_t count(int64_t n)
{
    return n < 0 ? 0 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static bool read_options(struct cli *c, struct gen_options *o)
{
    const struct model *m = model_find(c->opt.level);
    if (!m && strchr(c->opt.level, ',')) {
        cli_usage(c, "generate takes one level, not several: '%s'", c->opt.level);
        return false;
    }
    if (!m) {
        cli_unknown_name(c, KIND_MODEL, c->opt.level);
        return false;
    }
    if (c->opt.anomaly && !gen_anomaly_find(c->opt.anomaly)) {
        cli_unknown_name(c, KIND_ANOMALY, c->opt.anomaly);
        return false;
    }
    *o = (struct gen_options){
        .level = m->id,
        .sessions = count(c->opt.sessions),
        .operations = count(c->opt.operations),
        .keys = count(c->opt.keys),
        .transactions = count(c->opt.transactions),
        .reads = c->opt.reads,
        .rmw = c->opt.rmw,
        .lists = !strcmp(c->opt.kind, "append"),
        .anomaly = c->opt.anomaly,
        .seed = (uint64_t)c->opt.seed,
        .distribution = !strcmp(c->opt.distribution, "zipf")      ? GEN_ZIPF
                        : !strcmp(c->opt.distribution, "hotspot") ? GEN_HOTSPOT
                                                                  : GEN_UNIFORM,
    };
    return true;
}

static int refuse(struct cli *c, const char *error)
{
    if (limit_reached())
        return cli_unknown(c, limit_text());
    diag_add(&c->diags, DIAG_ERROR, SRC_LOC_NONE, "%s", error);
    return cli_bad_input(c);
}

int cmd_generate(struct cli *c)
{
    struct gen_options o;
    if (c->files.len)
        return cli_usage(c, "generate reads nothing, not even '%s'", c->files.data[0]);
    if (!read_options(c, &o))
        return EXIT_USAGE;
    const struct format *to = fmt_find(c->opt.to);
    if (!to || !to->write)
        return cli_usage(c, "'%s' is not a format that can be written", c->opt.to);
    struct history *h;
    cli_progress(c, "generating %" PRIu32 " transactions", o.transactions);
    const char *error = gen_history(&o, &c->arena, &h);
    cli_progress(c, "%s", "");
    if (error && !limit_reached())
        return cli_usage(c, "%s", error);
    fmt_notes notes = {0};
    if (!error && strcmp(c->opt.out, "-") != 0)
        cli_progress(c, "writing %s", c->opt.out);
    if (!error)
        error = fmt_write(h, to, c->opt.out, &c->arena, &notes);
    cli_progress(c, "%s", "");
    struct written w = {.history = h, .to = c->opt.to, .path = c->opt.out};
    if (!error && c->opt.json)
        report_written_json(&w, c->out);
    for (size_t i = 0; i < notes.len && c->opt.verbose; i++)
        message_note("%s", notes.data[i]);
    vec_free(&notes);
    hist_free(h);
    return error ? refuse(c, error) : EXIT_HOLDS;
}
