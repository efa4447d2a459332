/* Answers of `visar check` that are one sentence: on a certificate, on an expected order, on
 * results that no versions give. */
#include <string.h>

#include "base/strbuf.h"
#include "report/page/messages.h"
#include "report/page/page.h"
#include "report/page/words.h"
#include "report/report.h"

static void put_word(const struct page *p, bool good, const char *word)
{
    fprintf(p->out, "%s%s%s: ", page_ink(p, good ? PAGE_GOOD : PAGE_BAD), word,
            page_ink(p, PAGE_PLAIN));
}

void report_certificate_text(const struct certificate_verdict *v, bool color, FILE *out)
{
    struct page page = {out, color, PAGE_WIDTH};
    put_word(&page, !v->rejected, v->rejected ? "REJECTED" : "OK");
    if (!v->claim) {
        fprintf(out, "%s %s\n", v->certificate, v->rejected);
        return;
    }
    fprintf(out, "%s %s that %s %s %s", v->certificate,
            v->rejected && !v->proves ? "does not prove" : "proves",
            strcmp(v->file, "-") ? v->file : "standard input", v->claim, v->level);
    if (v->rejected)
        fprintf(out, "%s%s\n", v->proves ? ", " : ": ", v->rejected);
    else
        fprintf(out, ": the verdict %s is confirmed\n",
                !strcmp(v->claim, "satisfies") ? "OK" : "VIOLATION");
}

/* Names in the sentence come from the history: they are printed as safely as everywhere. */
static void put_sentence(bool ok, const struct strbuf *headline, const char *sentence, bool quiet,
                         bool color, FILE *out)
{
    struct page page = {out, color, PAGE_WIDTH};
    struct strbuf b = {0};
    words_safe(headline->data, headline->len, 1000, &b);
    put_word(&page, ok, ok ? "OK" : "VIOLATION");
    fprintf(out, "%s\n", sb_str(&b));
    if (sentence && !quiet) {
        sb_clear(&b);
        words_safe(sentence, strlen(sentence), 4000, &b);
        fputc('\n', out);
        page_text(&page, 2, 2, sb_str(&b));
    }
    sb_free(&b);
}

void report_order_text(const char *file, const char *order, const char *sentence, bool quiet,
                       bool color, FILE *out)
{
    struct strbuf headline = {0};
    sb_printf(&headline, "%s %s %s", order, sentence ? "does not explain" : "explains", file);
    put_sentence(!sentence, &headline, sentence, quiet, color, out);
    sb_free(&headline);
}

void report_mismatch_text(const char *file, const char *sentence, bool quiet, bool color, FILE *out)
{
    struct strbuf headline = {0};
    sb_printf(&headline, "%s: %s satisfies no level", anomaly_name(ANOMALY_RESULT_MISMATCH), file);
    put_sentence(false, &headline, sentence, quiet, color, out);
    sb_free(&headline);
}

void report_version_orders_remark(FILE *out)
{
    fputs("\nThe version orders are given and complete, so a violation is about them: with these "
          "orders nothing\nexplains the history.  Other orders might (docs/check.md).\n",
          out);
}

void report_broken(const struct check_report *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->answers[i].verdict == CHECK_BROKEN)
            message_internal_error("%s: %s: %s", c->file, level_short_title(c->answers[i].level),
                                   c->answers[i].result->reason);
}
