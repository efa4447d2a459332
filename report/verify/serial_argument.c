/* Why no serial order explains an execution, as the history engine argues: a cycle of dependencies,
 * a sentence for each, and the cases that it rests on where the order of two versions is open. */
#include "report/verify/serial_argument.h"

#include "report/story/phrases.h"

#define CASES_SHOWN 8

struct argument {
    const struct page *p;
    struct story s;
};

static void put_sentence(const struct argument *a, int indent, const char *lead, struct strbuf *b)
{
    page_printf(a->p, indent, indent + 2, "%s%s.", lead, sb_str(b));
    sb_free(b);
    *b = (struct strbuf){0};
}

static void put_cycle(const struct argument *a, uint32_t cycle, uint32_t inside, int indent)
{
    const struct check_cycle *c = &a->s.r->cycles.data[cycle];
    struct strbuf b = {0};
    for (uint32_t i = 0; i < c->len; i++) {
        phrase_edge(&a->s, &a->s.r->edges.data[c->start + i], inside, &b);
        put_sentence(a, indent, "- ", &b);
    }
    phrase_cycle(&a->s, cycle, &b);
    sb_puts(&b, ", which is impossible");
    put_sentence(a, indent, "", &b);
}

static void put_cases(const struct argument *a, uint32_t first, int indent)
{
    for (uint32_t i = first; i != HIST_NONE && i < a->s.shown_cases; i = a->s.sibling[i]) {
        const struct check_case *c = &a->s.r->cases.data[i];
        struct strbuf b = {0};
        sb_puts(&b, "Suppose ");
        phrase_hypothesis(&a->s, c, &b);
        put_sentence(a, indent, "", &b);
        put_cases(a, a->s.child[i], indent + 2);
        if (c->cycle != HIST_NONE)
            put_cycle(a, c->cycle, i, indent + 2);
        phrase_refutation(&a->s, c, &b);
        phrase_opposite(&a->s, c, &b);
        put_sentence(a, indent + 2, "", &b);
    }
}

static void put_rest(const struct argument *a)
{
    const struct check_result *r = a->s.r;
    struct strbuf b = {0};
    put_cases(a, a->s.first, 4);
    if (r->cases.len > a->s.shown_cases)
        page_printf(a->p, 4, 6, "… %zu more cases are refuted in the same way.",
                    r->cases.len - a->s.shown_cases);
    if (r->no_source) {
        phrase_no_source(&a->s, &b);
        put_sentence(a, 4, "", &b);
    }
    for (size_t i = 0; i < a->s.shown_lemmas; i++)
        put_cycle(a, story_lemma(&a->s, i), HIST_NONE, 4);
    sb_free(&b);
}

void report_serial_argument(const struct page *p, const struct check_result *r)
{
    struct argument a = {.p = p};
    bool cycle = r->cycle != HIST_NONE && !r->no_source && !r->lemmas;
    story_make(&a.s, r->history, r, CASES_SHOWN);
    page_text(p, 2, 2, "Why no order of the transactions, one after the other, gives the same:");
    if (cycle) {
        put_cycle(&a, r->cycle, HIST_NONE, 4);
    } else if (!r->cases.len && !r->lemmas) {
        struct strbuf b = {0};
        phrase_anomaly(&a.s, &b);
        put_sentence(&a, 4, "", &b);
    }
    put_rest(&a);
    story_free(&a.s);
}
