/* A violation as a graph in the DOT language.  The cycle is drawn bold; edges of the cases that it
 * rests on are thin and carry the number of their case.  Nodes are named by index, so that only
 * labels hold text from the history, quoted by words_dot. */
#include <inttypes.h>
#include <string.h>

#include "report/story/phrases.h"
#include "report/report.h"
#include "report/page/words.h"

#define CASES_DRAWN 8
#define OPS_DRAWN 10

struct drawing {
    const struct story *s;
    FILE *out;
};

static void put_text(const struct drawing *d, const char *text)
{
    struct strbuf b = {0};
    words_dot(text, strlen(text), &b);
    fputs(sb_str(&b), d->out);
    sb_free(&b);
}

/* \l ends a line that is set flush left. */
static void draw_txn(const struct drawing *d, const struct story_txn *t)
{
    static const char *const status[] = {"", ", aborted", ", outcome unknown"};
    const struct history *h = d->s->h;
    const struct hist_txn *ht = &h->txns.data[t->txn];
    fprintf(d->out, "    t%" PRIu32 " [label=\"", t->txn);
    put_text(d, t->name);
    struct strbuf session = {0};
    words_session(h, ht->session, &session);
    fputs(" (session ", d->out);
    put_text(d, sb_str(&session));
    fprintf(d->out, "%s)\\l", status[ht->status]);
    sb_free(&session);
    for (size_t i = 0; i < t->ops.len && i < OPS_DRAWN; i++) {
        struct strbuf b = {0};
        words_op(h, t->ops.data[i], &b);
        put_text(d, sb_str(&b));
        fputs("\\l", d->out);
        sb_free(&b);
    }
    if (t->ops.len > OPS_DRAWN)
        fprintf(d->out, "… %zu more\\l", t->ops.len - OPS_DRAWN);
    fputs("\"];\n", d->out);
}

static void draw_edge(const struct drawing *d, const struct check_edge *e, uint32_t inside)
{
    static const char *const colors[] = {[CHECK_SO] = "gray40",
                                         [CHECK_RT] = "gray40",
                                         [CHECK_WR] = "blue3",
                                         [CHECK_WW] = "darkorange3",
                                         [CHECK_RW] = "red3"};
    struct strbuf label = {0}, number = {0};
    sb_puts(&label, check_edge_name(e->kind));
    if (e->kind == CHECK_WR || e->kind == CHECK_WW || e->kind == CHECK_RW) {
        sb_putc(&label, ' ');
        words_key(d->s->h, e->key, &label);
    }
    uint32_t about = inside != HIST_NONE ? inside : e->because;
    if (about != HIST_NONE) {
        story_case_number(d->s, about, &number);
        sb_printf(&label, inside != HIST_NONE ? " [case %s]" : " (by case %s)", sb_str(&number));
    }
    fprintf(d->out, "    t%" PRIu32 " -> t%" PRIu32 " [label=\"", e->from, e->to);
    put_text(d, sb_str(&label));
    fprintf(d->out, "\", color=\"%s\", fontcolor=\"%s\", style=\"%s\"];\n", colors[e->kind],
            colors[e->kind], inside == HIST_NONE ? "bold" : "dashed");
    sb_free(&label);
    sb_free(&number);
}

static void draw_cycle(const struct drawing *d, uint32_t cycle, uint32_t inside)
{
    if (cycle == HIST_NONE)
        return;
    const struct check_cycle *c = &d->s->r->cycles.data[cycle];
    for (uint32_t i = 0; i < c->len; i++)
        draw_edge(d, &d->s->r->edges.data[c->start + i], inside);
}

static void draw(const struct drawing *d, const struct check_report *c)
{
    const struct check_result *r = d->s->r;
    fputs("digraph violation {\n    label=\"", d->out);
    put_text(d, anomaly_name(r->anomaly));
    fputs(": ", d->out);
    put_text(d, c->file);
    fprintf(d->out, " does not satisfy %s\";\n", level_short_title(r->level));
    fputs("    labelloc=t;\n    node [shape=box, fontname=\"monospace\"];\n"
          "    edge [fontname=\"monospace\"];\n",
          d->out);
    for (size_t i = 0; i < d->s->txns.len; i++)
        draw_txn(d, &d->s->txns.data[i]);
    if (!r->no_source)
        draw_cycle(d, r->cycle, HIST_NONE);
    for (uint32_t i = 0; i < d->s->shown_cases; i++)
        draw_cycle(d, r->cases.data[i].cycle, i);
    fputs("}\n", d->out);
}

bool report_check_dot(const struct check_report *c, FILE *out)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->answers[i].verdict != CHECK_VIOLATION)
            continue;
        struct story s;
        story_make(&s, c->answers[i].result->history, c->answers[i].result, CASES_DRAWN);
        draw(&(struct drawing){&s, out}, c);
        story_free(&s);
        return true;
    }
    return false;
}
