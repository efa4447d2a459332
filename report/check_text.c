/* The text report: the verdict first, then why, in an order in which a person can follow it: who is
 * involved and did what, the argument step by step, its name, and what it means for the levels. */
#include <inttypes.h>
#include <string.h>

#include "report/story/operations.h"
#include "report/page/page.h"
#include "report/story/phrases.h"
#include "report/report.h"
#include "report/page/words.h"

#define CASES_SHOWN 12 /* without --verbose */
#define TXNS_SHOWN 16
#define ORDER_SHOWN 12
#define INDENT_MAX 12 /* levels of nested cases that are indented */
#define NAMES_MAX 32  /* columns of names that are aligned */
#define PLACES_MAX 48 /* … of sessions and places in files */
#define COLUMN_MAX 56 /* operations that would start further right go to a line of their own */
#define FILE_MAX 24   /* bytes of a file's name that is said with every transaction */

struct text {
    const struct check_report *c;
    FILE *out;
};

/* ---- small things --------------------------------------------------------------------------- */

static const char *bold(const struct text *t)
{
    return t->c->color ? "\033[1m" : "";
}

static const char *plain(const struct text *t)
{
    return t->c->color ? "\033[0m" : "";
}

static void heading(const struct text *t, const char *words)
{
    fprintf(t->out, "\n%s%s%s\n", bold(t), words, plain(t));
}

/* A sentence in lines that fit, indented by its depth: first letter as it is (it may be a name),
 * full stop at the end.  Further lines stand below the first word after `lead`. */
static void sentence(const struct text *t, uint32_t depth, const char *lead, const struct strbuf *b)
{
    const struct page page = {t->out, t->c->color, PAGE_WIDTH};
    int indent = 2 + 4 * (int)(depth < INDENT_MAX ? depth : INDENT_MAX);
    page_printf(&page, indent, indent + (int)strlen(lead), "%s%s.", lead, sb_str(b));
}

static void file_name(const struct text *t, struct strbuf *out)
{
    if (!strcmp(t->c->file, "-"))
        sb_puts(out, "standard input");
    else
        words_safe(t->c->file, strlen(t->c->file), WORDS_ALL, out);
}

static void print_verdict(const struct text *t, enum check_verdict v, const char *words)
{
    static const char *const names[] = {"OK", "VIOLATION", "UNKNOWN", "BROKEN"};
    static const char *const colors[] = {"\033[1;32m", "\033[1;31m", "\033[1;33m", "\033[1;31m"};
    fprintf(t->out, "%s%s%s: %s\n", t->c->color ? colors[v] : "", names[v], plain(t), words);
}

/* ---- a satisfied level ---------------------------------------------------------------------- */

static void add_event(const struct check_result *r, size_t i, struct strbuf *out)
{
    uint32_t at = r->order.data[i];
    bool events = r->order_kind == CHECK_EVENTS;
    struct strbuf b = {0};
    sb_puts(&b, events ? at % 2 ? "commit " : "begin " : "");
    words_txn(r->history, events ? at / 2 : at, &b);
    sb_puts(out, i ? ", " : "");
    words_whole(&b, out);
    sb_free(&b);
}

static void print_order(const struct text *t, const struct check_result *r)
{
    static const char *const what[] = {"transactions, one after the other", "begins and commits",
                                       "transactions, as versions go"};
    const struct page page = {t->out, t->c->color, PAGE_WIDTH};
    struct strbuf b = {0};
    size_t n = r->order.len;
    if (!n) {
        fputs("  It has no transactions that count.\n", t->out);
        return;
    }
    fprintf(t->out, "  Certified by an order of its %s, checked again:\n", what[r->order_kind]);
    for (size_t i = 0; i < n; i++) {
        if (n > ORDER_SHOWN && i == ORDER_SHOWN / 2) {
            sb_printf(&b, ", …\xc2\xa0%zu\xc2\xa0more\xc2\xa0…", n - ORDER_SHOWN);
            i = n - ORDER_SHOWN / 2;
        }
        add_event(r, i, &b);
    }
    page_text(&page, 2, 2, sb_str(&b));
    sb_free(&b);
}

/* ---- who did what --------------------------------------------------------------------------- */

/* In lines that fit, after `column` columns of the first; 0: on lines of their own. */
static void print_ops(const struct text *t, const struct history *h, const struct story_txn *x,
                      int column)
{
    const struct page page = {t->out, t->c->color, PAGE_WIDTH};
    struct strbuf b = {0};
    operations_text(h, x, &b);
    if (!column)
        page_text(&page, 6, 6, sb_str(&b));
    else
        page_continue(&page, column, sb_str(&b));
    sb_free(&b);
}

/* ", h.jsonl:480": where a transaction begins.  Where all of them are in one file, a name that is
 * long or missing is left out. */
static void place_text(const struct text *t, const struct hist_txn *x, struct strbuf *out)
{
    const char *own = hist_session_file(t->c->h, x->session), *file = own ? own : t->c->file;
    const char *slash = strrchr(file, '/');
    bool bytes = t->c->h->bytes;
    file = slash ? slash + 1 : file;
    if (!x->line)
        return;
    sb_puts(out, ", ");
    if (own || (strlen(file) <= FILE_MAX && strcmp(file, "-") != 0)) {
        words_safe(file, strlen(file), WORDS_LONG, out);
        sb_puts(out, bytes ? ": byte " : ":");
    } else
        sb_puts(out, bytes ? "byte " : "line ");
    sb_printf(out, "%" PRIu32, x->line - bytes);
}

/* "(session 3, h.jsonl:480, aborted)" */
static void session_text(const struct text *t, const struct story_txn *x, struct strbuf *out)
{
    static const char *const status[] = {"", ", aborted", ", outcome unknown"};
    const struct hist_txn *ht = &t->c->h->txns.data[x->txn];
    sb_puts(out, "(session ");
    words_session(t->c->h, ht->session, out);
    place_text(t, ht, out);
    sb_printf(out, "%s)", status[ht->status]);
}

/* Both columns are as wide as the texts of the transactions that are shown; very long ones stick
 * out. */
static void widths(const struct text *t, const struct story *s, size_t shown, int *name,
                   int *session)
{
    struct strbuf b = {0};
    *name = *session = 0;
    for (size_t i = 0; i < shown; i++) {
        const char *text = s->txns.data[i].name;
        int n = page_columns(text, strlen(text));
        sb_clear(&b);
        session_text(t, &s->txns.data[i], &b);
        int m = page_columns(sb_str(&b), b.len);
        if (n <= NAMES_MAX && n > *name)
            *name = n;
        if (m <= PLACES_MAX && m > *session)
            *session = m;
    }
    sb_free(&b);
}

static void print_txns(const struct text *t, const struct story *s)
{
    size_t shown = t->c->verbose || s->txns.len < TXNS_SHOWN ? s->txns.len : TXNS_SHOWN;
    int name, session;
    struct strbuf who = {0}, where = {0}, padded = {0};
    widths(t, s, shown, &name, &session);
    heading(t, "Transactions");
    for (size_t i = 0; i < shown; i++) {
        const struct story_txn *x = &s->txns.data[i];
        sb_clear(&who);
        sb_clear(&where);
        sb_clear(&padded);
        page_pad(&who, x->name, name);
        session_text(t, x, &where);
        page_pad(&padded, sb_str(&where), session);
        int column =
            6 + page_columns(sb_str(&who), who.len) + page_columns(sb_str(&padded), padded.len);
        bool beside = column <= COLUMN_MAX;
        fprintf(t->out, "  %s%s%s  %s%s", bold(t), sb_str(&who), plain(t),
                sb_str(beside ? &padded : &where), beside ? "  " : "\n");
        print_ops(t, s->h, x, beside ? column : 0);
    }
    if (shown < s->txns.len)
        fprintf(t->out, "  … %zu more\n", s->txns.len - shown);
    sb_free(&who);
    sb_free(&where);
    sb_free(&padded);
}

/* ---- the argument --------------------------------------------------------------------------- */

static void print_edges(const struct text *t, const struct story *s, uint32_t cycle,
                        uint32_t inside, uint32_t depth, bool numbered)
{
    const struct check_cycle *c = &s->r->cycles.data[cycle];
    for (uint32_t i = 0; i < c->len; i++) {
        struct strbuf b = {0};
        phrase_edge(s, &s->r->edges.data[c->start + i], inside, &b);
        char lead[16] = "- ";
        if (numbered)
            snprintf(lead, sizeof lead, "%" PRIu32 ". ", i + 1);
        sentence(t, depth, lead, &b);
        sb_free(&b);
    }
}

static void print_cycle(const struct text *t, const struct story *s, uint32_t cycle,
                        uint32_t inside, uint32_t depth)
{
    struct strbuf b = {0};
    print_edges(t, s, cycle, inside, depth, inside == HIST_NONE);
    phrase_cycle(s, cycle, &b);
    sb_puts(&b, inside == HIST_NONE ? ", which is impossible" : ": impossible");
    sentence(t, depth, "", &b);
    sb_free(&b);
}

static void print_cases(const struct text *t, const struct story *s, uint32_t first,
                        uint32_t depth);

static void print_case(const struct text *t, const struct story *s, uint32_t index, uint32_t depth)
{
    const struct check_case *c = &s->r->cases.data[index];
    struct strbuf b = {0}, lead = {0};
    story_case_number(s, index, &lead);
    sb_puts(&lead, ") ");
    sb_puts(&b, "Suppose ");
    phrase_hypothesis(s, c, &b);
    sentence(t, depth, sb_str(&lead), &b);
    sb_free(&lead);
    print_cases(t, s, s->child[index], depth + 1);
    if (c->cycle != HIST_NONE)
        print_cycle(t, s, c->cycle, index, depth + 1);
    sb_clear(&b);
    phrase_refutation(s, c, &b);
    phrase_opposite(s, c, &b);
    sentence(t, depth + 1, "", &b);
    sb_free(&b);
}

static void print_cases(const struct text *t, const struct story *s, uint32_t first, uint32_t depth)
{
    for (uint32_t i = first; i != HIST_NONE && i < s->shown_cases; i = s->sibling[i])
        print_case(t, s, i, depth);
}

static void print_case_tree(const struct text *t, const struct story *s)
{
    size_t hidden = s->r->cases.len - s->shown_cases;
    print_cases(t, s, s->first, 0);
    if (hidden)
        fprintf(t->out, "  … %zu more case%s, refuted in the same way; --verbose shows them\n",
                hidden, hidden == 1 ? "" : "s");
}

/* The solver's own argument, where cases would be too many. */
static void print_lemmas(const struct text *t, const struct story *s)
{
    size_t n = s->r->lemmas;
    if (n == 1)
        fputs("  This cycle is impossible under the level, so the versions that it takes for "
              "granted\n"
              "  cannot be what was seen; and no others give what was read.\n",
              t->out);
    else
        fprintf(
            t->out,
            "  Each of these %zu cycles is impossible under the level, so the order of versions\n"
            "  and the sources of reads that it takes for granted cannot all be right.  No\n"
            "  combination of them avoids every cycle.\n",
            n);
    for (size_t i = 0; i < s->shown_lemmas; i++) {
        if (n > 1)
            fprintf(t->out, "  Cycle %zu\n", i + 1);
        print_edges(t, s, story_lemma(s, i), HIST_NONE, 1, false);
    }
    if (s->shown_lemmas < n)
        fprintf(t->out, "  … %zu more; --verbose shows them\n", n - s->shown_lemmas);
}

static void print_no_source(const struct text *t, const struct story *s)
{
    struct strbuf b = {0};
    phrase_no_source(s, &b);
    sentence(t, 0, "", &b);
    sb_free(&b);
}

static void print_anomaly(const struct text *t, const struct story *s)
{
    struct strbuf b = {0};
    phrase_anomaly(s, &b);
    sentence(t, 0, "", &b);
    sb_free(&b);
}

/* The cycle first, since it is the point, and then the cases that it rests on; unless it is the
 * cases that are the point. */
static void print_argument(const struct text *t, const struct story *s)
{
    const struct check_result *r = s->r;
    bool cycle = r->cycle != HIST_NONE && !r->no_source && !r->lemmas;
    heading(t, "Why");
    if (cycle)
        print_cycle(t, s, r->cycle, HIST_NONE, 0);
    else if (!r->cases.len && !r->lemmas)
        print_anomaly(t, s);
    if (r->cases.len) {
        if (cycle)
            heading(t, "Cases");
        print_case_tree(t, s);
    }
    if (r->no_source)
        print_no_source(t, s);
    if (r->lemmas)
        print_lemmas(t, s);
}

static void print_meaning(const struct text *t, const struct check_result *r)
{
    struct strbuf b = {0};
    report_ruled_out_text(r->history, r, &b);
    const char *name = anomaly_name(r->anomaly);
    const struct page page = {t->out, t->c->color, PAGE_WIDTH};
    fputc('\n', t->out);
    page_printf(&page, 0, 0, "%s%s%s: %s.", bold(t), name, plain(t), anomaly_text(r->anomaly));
    page_printf(&page, 0, 11, "Rules out: %s.", sb_str(&b));
    sb_free(&b);
}

static void print_violation(const struct text *t, const struct check_result *r)
{
    struct story s;
    story_make(&s, r->history, r, t->c->verbose ? STORY_ALL_CASES : CASES_SHOWN);
    print_txns(t, &s);
    print_argument(t, &s);
    print_meaning(t, r);
    story_free(&s);
}

/* ---- one level after the other -------------------------------------------------------------- */

static void print_level(const struct text *t, size_t i)
{
    const struct check_answer *a = &t->c->answers[i], *by = &t->c->answers[a->by];
    const char *title = level_short_title(a->level);
    struct strbuf file = {0}, line = {0};
    file_name(t, &file);
    if (a->verdict == CHECK_OK)
        sb_printf(&line, "%s satisfies %s", sb_str(&file), title);
    else if (a->verdict == CHECK_VIOLATION)
        sb_printf(&line, "%s: %s does not satisfy %s", anomaly_name(by->result->anomaly),
                  sb_str(&file), title);
    else
        sb_printf(&line, "%s for %s: %s", title, sb_str(&file), a->result->reason);
    if (a->verdict == CHECK_OK && by->result->level.model != a->level.model)
        sb_printf(&line, ", for it satisfies %s", level_short_title(by->result->level));
    if (a->verdict == CHECK_VIOLATION && a->by != i)
        sb_printf(&line, ", for it does not satisfy %s", level_short_title(by->level));
    print_verdict(t, a->verdict, sb_str(&line));
    if (a->verdict == CHECK_OK && a->by == i && !t->c->quiet)
        print_order(t, a->result);
    if (a->verdict == CHECK_VIOLATION && a->by == i && !t->c->quiet)
        print_violation(t, a->result);
    sb_free(&file);
    sb_free(&line);
}

/* ---- the strongest levels ------------------------------------------------------------------- */

static size_t count_levels(const struct check_report *c,
                           bool (*want)(const struct check_report *, size_t))
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += want(c, i);
    return count;
}

/* "SI", "PC and PSI" */
static void title_list(const struct check_report *c,
                       bool (*want)(const struct check_report *, size_t), const char *last,
                       struct strbuf *out)
{
    size_t left = count_levels(c, want);
    for (size_t i = 0; i < c->count; i++) {
        if (!want(c, i))
            continue;
        sb_puts(out, level_short_title(c->answers[i].level));
        left--;
        sb_puts(out, left > 1 ? ", " : left == 1 ? last : "");
    }
}

/* "RCS" after the words for one level; after those for several "neither RCS nor RA" or "none of
 * RCS, CC and SER" */
static void violated_list(const struct check_report *c, const char *one, const char *several,
                          struct strbuf *out)
{
    size_t count = count_levels(c, report_is_weakest_violated);
    sb_puts(out, count == 1 ? one : several);
    sb_puts(out, count == 1 ? "" : count == 2 ? "neither " : "none of ");
    title_list(c, report_is_weakest_violated, count == 2 ? " nor " : " and ", out);
}

static bool is_open(const struct check_report *c, size_t i)
{
    return c->answers[i].verdict == CHECK_UNKNOWN || c->answers[i].verdict == CHECK_BROKEN;
}

static void strongest_line(const struct text *t, struct strbuf *line)
{
    const struct check_report *c = t->c;
    struct strbuf file = {0};
    file_name(t, &file);
    bool violated = count_levels(c, report_is_weakest_violated) > 0;
    sb_puts(line, sb_str(&file));
    if (count_levels(c, report_is_strongest)) {
        sb_puts(line, " satisfies ");
        title_list(c, report_is_strongest, " and ", line);
        if (violated)
            violated_list(c, ", but not ", ", but ", line);
    } else if (violated)
        violated_list(c, " does not satisfy ", " satisfies ", line);
    if (count_levels(c, is_open)) {
        sb_puts(line, "; not known: ");
        title_list(c, is_open, " and ", line);
    }
    sb_free(&file);
}

static int title_width(const struct check_report *c)
{
    int width = 0;
    for (size_t i = 0; i < c->count; i++) {
        int n = (int)strlen(level_short_title(c->answers[i].level));
        width = n > width ? n : width;
    }
    return width;
}

/* The level under whose name ("Why not RA") the reason of answer `by` is printed, or HIST_NONE. */
static size_t heading_of(const struct check_report *c, size_t by)
{
    for (size_t i = 0; i < c->count; i++)
        if (report_is_weakest_violated(c, i) && c->answers[i].by == by)
            return i;
    return HIST_NONE;
}

/* The answer whose reason the row of violated level i names: its own, or that of another level, if
 * it is printed.  What rules out a weaker level rules out this one. */
static size_t reason_of(const struct check_report *c, size_t i)
{
    size_t by = c->answers[i].by;
    if (by == i || heading_of(c, by) != HIST_NONE)
        return by;
    for (size_t j = 0; j < c->count; j++)
        if (report_is_weakest_violated(c, j) &&
            level_weaker_or_equal(c->answers[j].level, c->answers[i].level))
            return c->answers[j].by;
    return by;
}

static void print_violated_row(const struct text *t, size_t i)
{
    const struct check_report *c = t->c;
    size_t by = reason_of(c, i), heading = heading_of(c, by);
    const struct check_result *result = c->answers[by].result;
    fprintf(t->out, "%-10s %s", "violation", anomaly_name(result->anomaly));
    if (heading != HIST_NONE && heading != i)
        fprintf(t->out, ", same %s as for %s", result->cycle != HIST_NONE ? "cycle" : "reason",
                level_short_title(c->answers[heading].level));
}

static void print_row(const struct text *t, size_t i, int width)
{
    const struct check_answer *a = &t->c->answers[i], *by = &t->c->answers[a->by];
    fprintf(t->out, "  %-*s  ", width, level_short_title(a->level));
    if (a->verdict == CHECK_VIOLATION)
        print_violated_row(t, i);
    else if (is_open(t->c, i))
        fprintf(t->out, "%-10s %s", a->verdict == CHECK_BROKEN ? "broken" : "unknown",
                by->result->reason);
    else
        fputs("ok", t->out);
    if (a->verdict != CHECK_VIOLATION && a->by != i)
        fprintf(t->out, ", as is %s", level_short_title(by->level));
    fputc('\n', t->out);
}

/* Each violation once, however many levels it rules out. */
static void print_why_not(const struct text *t)
{
    const struct check_report *c = t->c;
    for (size_t i = 0; i < c->count; i++) {
        size_t by = c->answers[i].by;
        if (!report_is_weakest_violated(c, i) || heading_of(c, by) != i)
            continue;
        fprintf(t->out, "\n%sWhy not %s: %s%s\n", bold(t), level_short_title(c->answers[i].level),
                anomaly_name(c->answers[by].result->anomaly), plain(t));
        print_violation(t, c->answers[by].result);
    }
}

static void print_strongest(const struct text *t)
{
    struct strbuf line = {0};
    strongest_line(t, &line);
    print_verdict(t, report_verdict(t->c), sb_str(&line));
    sb_free(&line);
    if (t->c->quiet)
        return;
    fputc('\n', t->out);
    int width = title_width(t->c);
    for (size_t i = 0; i < t->c->count; i++)
        print_row(t, i, width);
    print_why_not(t);
}

void report_check_text(const struct check_report *c, FILE *out)
{
    struct text t = {c, out};
    if (c->strongest) {
        print_strongest(&t);
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (i && !c->quiet)
            fputc('\n', out);
        print_level(&t, i);
    }
}
