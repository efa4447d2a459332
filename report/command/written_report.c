/* See written_report.h. */
#include "report/command/written_report.h"

#include <string.h>

#include "report/page/json_text.h"

static json_t *notes_json(const fmt_notes *notes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < notes->len; i++)
        json_array_append_new(list, json_string(notes->data[i]));
    return list;
}

void report_written_json(const struct written *w, FILE *out)
{
    const struct history *h = w->history;
    if (!strcmp(w->path, "-"))
        return;
    report_dump_json(json_pack("{s:s, s:s, s:s*, s:s, s:o, s:I, s:I, s:I, s:o*}", "schema",
                               REPORT_SCHEMA, "command", w->from ? "convert" : "generate", "from",
                               w->from, "to", w->to, "output", report_text_json(w->path),
                               "sessions", (json_int_t)h->session_count, "transactions",
                               (json_int_t)h->txns.len, "operations", (json_int_t)h->ops.len,
                               "notes", w->from ? notes_json(w->notes) : NULL),
                     out);
}
