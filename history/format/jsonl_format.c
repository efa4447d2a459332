/* Visar's own format as a row of the table of formats.  It is apart from the reader (jsonl.c), so
 * that a program can have that without the writer and without the other formats. */
#include <string.h>

#include "history/format/format_internal.h"
#include "history/format/jsonl.h"

static enum fmt_match detect_jsonl(const struct fmt_input *in)
{
    if (in->folder)
        return FMT_NO;
    const char *p = in->files.data[0].data;
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    const char *eol = strchrnul(p, '\n');
    return *p == '{' && memmem(p, (size_t)(eol - p), "\"visar-history\"", 15) ? FMT_SURE : FMT_NO;
}

const struct format fmt_jsonl = {
    .name = "jsonl",
    .title = "visar's own JSON Lines, which can say everything",
    .detect = detect_jsonl,
    .read = jsonl_read,
    .write = fmt_write_jsonl,
    .keeps = ~0u,
};
