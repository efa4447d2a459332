/* See no_answer.h. */
#include "report/command/no_answer.h"

#include <string.h>

#include "base/strbuf.h"
#include "report/page/json_text.h"
#include "report/page/page.h"
#include "report/page/words.h"

static void set(json_t *j, const char *name, const char *value)
{
    if (j && value) /* not if it is no UTF-8 */
        json_object_set_new(j, name, json_string(value));
}

static void unknown_json(const struct no_answer *a, FILE *out)
{
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s?}", "schema", REPORT_SCHEMA, "command",
                          a->command, "verdict", "unknown", "reason", a->reason, "known", a->known);
    set(j, "limit", a->limit);
    set(j, "phase", a->phase);
    set(j, "file", a->file);
    report_dump_json(j, out);
}

void report_unknown(const struct no_answer *a, FILE *out)
{
    if (a->json) {
        unknown_json(a, out);
    } else {
        fprintf(out, "UNKNOWN: %s%s%s\n", a->one_of_several ? a->file : "",
                a->one_of_several ? ": " : "", a->reason);
        if (a->known && !a->quiet)
            fprintf(out, "known so far: %s\n", a->known);
    }
    fflush(out);
}

void report_error(const struct no_answer *a, FILE *out)
{
    struct page page = {out, a->color, PAGE_WIDTH};
    struct strbuf raw = {0}, text = {0};
    if (a->json) {
        report_dump_json(json_pack("{s:s, s:s, s:o, s:s, s:o}", "schema", REPORT_SCHEMA, "command",
                                   a->command, "file", report_text_json(a->file), "verdict",
                                   "error", "reason", report_text_json(a->reason)),
                         out);
        return;
    }
    if (strncmp(a->reason, a->file, strlen(a->file)) != 0)
        sb_printf(&raw, "%s: ", a->file);
    sb_puts(&raw, a->reason);
    words_safe(raw.data, raw.len, 4000, &text);
    fprintf(out, "%sERROR%s: %s\n", page_ink(&page, PAGE_BAD), page_ink(&page, PAGE_PLAIN),
            sb_str(&text));
    sb_free(&raw);
    sb_free(&text);
}
