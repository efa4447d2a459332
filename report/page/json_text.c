#include "report/page/json_text.h"

#include <string.h>

#include "report/page/words.h"

json_t *report_text_json(const char *text)
{
    if (!text)
        return json_null();
    struct strbuf b = {0};
    words_utf8(text, strlen(text), &b);
    json_t *j = json_string(sb_str(&b));
    sb_free(&b);
    return j;
}

void report_dump_json(json_t *j, FILE *out)
{
    if (j)
        json_dumpf(j, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(j);
}
