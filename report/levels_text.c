/* What the answers for several levels come to. */
#include "certify/ruled_out.h"
#include "report/report.h"

static struct lattice lattice_of(const struct check_report *c)
{
    struct lattice l = {.count = c->count, .several_rows = c->several_rows};
    for (size_t i = 0; i < c->count; i++)
        l.levels[i] = c->answers[i].level;
    return l;
}

static uint32_t with_verdict(const struct check_report *c, enum check_verdict v)
{
    uint32_t set = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->answers[i].verdict == v)
            set |= 1u << i;
    return set;
}

bool report_is_strongest(const struct check_report *c, size_t answer)
{
    struct lattice l = lattice_of(c);
    return lattice_strongest(&l, with_verdict(c, CHECK_OK)) >> answer & 1;
}

bool report_is_weakest_violated(const struct check_report *c, size_t answer)
{
    struct lattice l = lattice_of(c);
    return lattice_weakest(&l, with_verdict(c, CHECK_VIOLATION)) >> answer & 1;
}

enum check_verdict report_verdict(const struct check_report *c)
{
    bool seen[CHECK_BROKEN + 1] = {0};
    for (size_t i = 0; i < c->count; i++)
        seen[c->answers[i].verdict] = true;
    if (seen[CHECK_BROKEN])
        return CHECK_BROKEN;
    if (c->strongest && seen[CHECK_UNKNOWN])
        return CHECK_UNKNOWN;
    if (seen[CHECK_VIOLATION] && !(c->strongest && seen[CHECK_OK]))
        return CHECK_VIOLATION;
    return seen[CHECK_UNKNOWN] ? CHECK_UNKNOWN : CHECK_OK;
}

void report_ruled_out_text(const struct history *h, const struct check_result *r,
                           struct strbuf *out)
{
    struct ruled_out o = ruled_out_by(h, r);
    const char *comma = "", *name;
    bool all = o.models == (1u << MODEL_COUNT) - 1;
    if (all)
        sb_puts(out, "every level");
    for (int m = 0; m < MODEL_COUNT && !all; m++)
        if (o.models >> m & 1) {
            sb_printf(out, "%s%s", comma, model_get((enum model_id)m)->name);
            comma = ", ";
        }
    if (o.models && o.needs_sessions)
        sb_puts(out, " (where session order counts)");
    else if (o.models && r->level.session_order)
        sb_puts(out, " (with or without session order)");
    if (o.models && !all)
        comma = "; and ";
    for (size_t i = 0; !all && (name = ruled_out_extra(&o, i)); i++) {
        sb_printf(out, "%s%s", comma, name);
        comma = ", ";
    }
}
