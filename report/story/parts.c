#include "report/story/parts.h"

#include "report/page/looks.h"
#include "report/page/words.h"

const struct hist_op *part_op(const struct story *s, uint32_t op)
{
    return &s->h->ops.data[op];
}

const char *part_owner(const struct story *s, uint32_t op)
{
    return story_name(s, hist_op_txn(s->h, op));
}

/* A number alone would look like a value. */
void part_key(const struct story *s, uint32_t key, struct strbuf *out)
{
    key = look_row(s->h, key);
    if (s->h->keys.data[key].text == HIST_NONE)
        sb_puts(out, "key ");
    words_key(s->h, key, out);
}

bool part_is_row(const struct story *s, uint32_t op)
{
    return part_op(s, op)->flags & HIST_OP_ANY;
}

void part_row(const struct story *s, uint32_t op, uint32_t seen, struct strbuf *out)
{
    words_aggregate(s->h, op, out);
    sb_puts(out, ", and saw ");
    part_owned(s, seen, part_op(s, op)->key, out);
}

void part_version(const struct story *s, uint32_t op, struct strbuf *out)
{
    uint32_t key = part_op(s, op)->key;
    part_key(s, key, out);
    if (part_is_row(s, op)) {
        sb_puts(out, " for ");
        words_aggregate(s->h, op, out);
        return;
    }
    if (look_is_item(s->h, key))
        return;
    if (look_is_match(s->h, key)) {
        sb_puts(out, look_matches(s->h, op) ? " (which matches " : " (which does not match ");
        look_condition(s->h, key, out);
        sb_putc(out, ')');
        return;
    }
    sb_puts(out, " = ");
    words_result(s->h, op, out);
}

void part_owned(const struct story *s, uint32_t op, uint32_t key, struct strbuf *out)
{
    if (op == HIST_NONE) {
        sb_puts(out, "the initial value of ");
        part_key(s, key, out);
        return;
    }
    sb_printf(out, "%s's ", part_owner(s, op));
    if (part_op(s, op)->kind == HIST_APPEND) {
        sb_puts(out, "element ");
        words_result(s->h, op, out);
        sb_puts(out, " of ");
        part_key(s, key, out);
    } else
        part_version(s, op, out);
}

void part_search(const struct story *s, uint32_t op, struct strbuf *out)
{
    bool match = look_is_match(s->h, part_op(s, op)->key);
    sb_puts(out, match ? "looked for " : "read ");
    look_target(s->h, op, out);
    sb_puts(out, look_matches(s->h, op) ? " and found " : " and did not find ");
    part_key(s, part_op(s, op)->key, out);
}

void part_as_seen(const struct story *s, uint32_t write, struct strbuf *out)
{
    if (write == HIST_NONE)
        sb_puts(out, "as it was at first");
    else
        sb_printf(out, "as %s had written it", part_owner(s, write));
}

void part_change(const struct story *s, uint32_t write, bool before, struct strbuf *out)
{
    uint32_t key = part_op(s, write)->key;
    if (look_is_match(s->h, key) && look_matches(s->h, write) != before) {
        sb_puts(out, "changed so that it ");
        sb_puts(out, look_matches(s->h, write) ? "matches" : "does not match");
    } else if (look_is_match(s->h, key) || look_is_item(s->h, key)) {
        sb_puts(out, "overwrote");
    } else {
        sb_puts(out, "inserted with the value ");
        words_result(s->h, write, out);
    }
}

void part_write(const struct story *s, uint32_t op, struct strbuf *out)
{
    if (part_op(s, op)->kind == HIST_APPEND) {
        sb_puts(out, "appended ");
        words_result(s->h, op, out);
        sb_puts(out, " to ");
        part_key(s, part_op(s, op)->key, out);
    } else {
        sb_puts(out, "wrote ");
        part_version(s, op, out);
    }
}
