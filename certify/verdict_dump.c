/* Verdicts as text, for golden tests, `--dump result` and debugging; see verdict.h. */
#include "base/strbuf.h"
#include "certify/verdict.h"

const char *check_edge_name(enum check_edge_kind k)
{
    static const char *const names[] = {"so", "rt", "wr", "ww", "rw"};
    return names[k];
}

static void put_txn(const struct history *h, uint32_t txn, FILE *out)
{
    struct strbuf b = {0};
    hist_txn_text(h, txn, &b);
    fputs(sb_str(&b), out);
    sb_free(&b);
}

static void put_op(const struct history *h, uint32_t op, FILE *out)
{
    if (op == HIST_NONE) {
        fputs("initial", out);
        return;
    }
    struct strbuf b = {0};
    hist_txn_text(h, hist_op_txn(h, op), &b);
    sb_putc(&b, ' ');
    hist_op_text(h, op, &b);
    fputs(sb_str(&b), out);
    sb_free(&b);
}

static void put_edge(const struct history *h, const struct check_edge *e, FILE *out)
{
    fputs("    ", out);
    put_txn(h, e->from, out);
    fprintf(out, " %s ", check_edge_name(e->kind));
    put_txn(h, e->to, out);
    if (e->kind >= CHECK_WR) {
        fputs(": ", out);
        if (e->kind == CHECK_RW) {
            put_op(h, e->via, out);
            fputs("; ", out);
        }
        put_op(h, e->from_op, out);
        fputs("; ", out);
        put_op(h, e->to_op, out);
        if (e->because != HIST_NONE)
            fprintf(out, " (case %u)", e->because + 1);
    }
    fputc('\n', out);
}

static void put_cycle(const struct history *h, const struct check_result *r, uint32_t c, FILE *out)
{
    const struct check_cycle *cycle = &r->cycles.data[c];
    for (uint32_t i = 0; i < cycle->len; i++)
        put_edge(h, &r->edges.data[cycle->start + i], out);
}

static void put_case(const struct history *h, const struct check_result *r, uint32_t i, FILE *out)
{
    const struct check_case *c = &r->cases.data[i];
    fprintf(out, "  case %u", i + 1);
    if (c->parent != HIST_NONE)
        fprintf(out, " in %u", c->parent + 1);
    fputs(": suppose ", out);
    put_op(h, c->first, out);
    fputs(c->kind == CHECK_ORDER ? " is older than " : " saw ", out);
    put_op(h, c->second, out);
    fputc('\n', out);
    if (c->cycle != HIST_NONE)
        put_cycle(h, r, c->cycle, out);
}

static void put_violation(const struct history *h, const struct check_result *r, FILE *out)
{
    fprintf(out, "  %s\n", anomaly_name(r->anomaly));
    for (size_t i = 0; i < r->ops.len; i++) {
        fputs("    ", out);
        put_op(h, r->ops.data[i], out);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < r->cases.len; i++)
        put_case(h, r, i, out);
    for (uint32_t i = 0; i < r->lemmas; i++) {
        fputs("  not all of\n", out);
        put_cycle(h, r, (uint32_t)r->cycles.len - r->lemmas + i, out);
    }
    if (r->cycle != HIST_NONE && !r->no_source && !r->lemmas) {
        fputs("  cycle\n", out);
        put_cycle(h, r, r->cycle, out);
    }
}

void check_result_dump(const struct history *h, const struct check_result *r, FILE *out)
{
    static const char *const verdicts[] = {"OK", "VIOLATION", "UNKNOWN", "BROKEN"};
    fprintf(out, "%s: %s%s%s\n", level_title(r->level), verdicts[r->verdict],
            *r->reason ? ": " : "", r->reason);
    if (r->verdict == CHECK_VIOLATION || r->verdict == CHECK_BROKEN)
        put_violation(h, r, out);
    for (size_t i = 0; i < r->order.len && r->verdict == CHECK_OK; i++) {
        bool events = r->order_kind == CHECK_EVENTS;
        fputs(i ? " " : "  ", out);
        if (events)
            fputs(r->order.data[i] & 1 ? "commit " : "begin ", out);
        put_txn(h, events ? r->order.data[i] / 2 : r->order.data[i], out);
    }
    if (r->order.len && r->verdict == CHECK_OK)
        fputc('\n', out);
}
