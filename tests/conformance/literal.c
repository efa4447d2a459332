#include "tests/conformance/literal.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct literals *memory;
    const char *at;
    bool failed;
};

static void *sized(void *p, size_t bytes)
{
    void *q = realloc(p, bytes);
    if (!q)
        abort();
    return q;
}

static struct literal *keep(struct literals *m, struct literal *items)
{
    m->chunk = sized(m->chunk, (m->chunks + 1) * sizeof(m->chunk[0]));
    m->chunk[m->chunks++] = items;
    return items;
}

void literals_clear(struct literals *m)
{
    for (size_t i = 0; i < m->chunks; i++)
        free(m->chunk[i]);
    free(m->chunk);
    *m = (struct literals){0};
}

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, const char *word)
{
    skip_blanks(r);
    size_t n = strlen(word);
    if (strncmp(r->at, word, n))
        return false;
    r->at += n;
    return true;
}

static struct literal read_literal(struct reader *r);

static struct literal read_sequence(struct reader *r, const char *close)
{
    struct literal list = {.kind = LITERAL_SEQUENCE}, *items = NULL;
    size_t capacity = 0;
    while (!r->failed && !take(r, close)) {
        if (list.count == capacity) {
            capacity = capacity ? 2 * capacity : 4;
            items = sized(items, capacity * sizeof(*items));
        }
        items[list.count++] = read_literal(r);
        if (take(r, ",") || take(r, ":"))
            continue;
        skip_blanks(r);
        if (*r->at != *close)
            r->failed = true;
    }
    if (items)
        list.item = keep(r->memory, items);
    return list;
}

static struct literal read_string(struct reader *r, char quote)
{
    const char *end = strchr(r->at, quote);
    struct literal text = {.kind = LITERAL_STRING, .text = r->at};
    if (!end) {
        r->failed = true;
        return text;
    }
    text.count = (size_t)(end - r->at);
    r->at = end + 1;
    return text;
}

static struct literal read_number(struct reader *r)
{
    char *end;
    struct literal n = {.kind = LITERAL_NUMBER, .number = strtol(r->at, &end, 10)};
    if (end == r->at)
        r->failed = true;
    r->at = end;
    return n;
}

static struct literal read_literal(struct reader *r)
{
    if (take(r, "("))
        return read_sequence(r, ")");
    if (take(r, "["))
        return read_sequence(r, "]");
    if (take(r, "{"))
        return read_sequence(r, "}");
    if (take(r, "'"))
        return read_string(r, '\'');
    if (take(r, "None"))
        return (struct literal){.kind = LITERAL_NONE};
    if (take(r, "True"))
        return (struct literal){.kind = LITERAL_NUMBER, .number = 1};
    if (take(r, "False"))
        return (struct literal){.kind = LITERAL_NUMBER};
    return read_number(r);
}

const struct literal *literal_read(struct literals *memory, const char *line)
{
    struct reader r = {.memory = memory, .at = line};
    struct literal *top = keep(memory, sized(NULL, sizeof(*top)));
    *top = read_literal(&r);
    skip_blanks(&r);
    return r.failed || *r.at ? NULL : top;
}
