/* Anomalies of single operations in words; see phrases.h.  The engine names the operations; their
 * roles follow from their kinds.  Where a sentence has no place for them, they are listed as they
 * are: nothing is lost. */
#include <inttypes.h>

#include "report/story/parts.h"
#include "report/story/phrases.h"
#include "report/page/words.h"

/* The anomaly's operations by role: the n-th read, the n-th write; HIST_NONE if there is none. */
static uint32_t nth(const struct story *s, bool read, size_t n)
{
    for (size_t i = 0; i < s->r->ops.len; i++) {
        uint32_t op = s->r->ops.data[i];
        bool is_read = part_op(s, op)->kind == HIST_READ || part_op(s, op)->kind == HIST_LIST_READ;
        if (is_read == read && n-- == 0)
            return op;
    }
    return HIST_NONE;
}

static void put_reader(const struct story *s, uint32_t read, struct strbuf *out)
{
    sb_printf(out, "%s read ", part_owner(s, read));
    part_version(s, read, out);
}

/* Nothing better to say: who did what. */
static void put_plain_list(const struct story *s, struct strbuf *out)
{
    const uint32_t *ops = s->r->ops.data;
    for (size_t i = 0, end; i < s->r->ops.len; i = end) {
        uint32_t txn = hist_op_txn(s->h, ops[i]);
        for (end = i + 1; end < s->r->ops.len && hist_op_txn(s->h, ops[end]) == txn &&
                          words_alike(s->h, ops[i], ops[end]);)
            end++;
        sb_printf(out, "%s%s: ", i ? "; " : "", part_owner(s, ops[i]));
        words_ops(s->h, ops + i, (uint32_t)(end - i), out);
    }
}

static void say_two_reads(const struct story *s, uint32_t a, uint32_t b, struct strbuf *out)
{
    put_reader(s, a, out);
    sb_puts(out, " and then ");
    words_result(s->h, b, out);
    sb_puts(out, ", having written neither");
}

static void say_lost_update(const struct story *s, struct strbuf *out)
{
    uint32_t r1 = nth(s, true, 0), r2 = nth(s, true, 1);
    uint32_t w1 = nth(s, false, 0), w2 = nth(s, false, 1);
    if (r1 == HIST_NONE || r2 == HIST_NONE || w1 == HIST_NONE || w2 == HIST_NONE) {
        put_plain_list(s, out);
        return;
    }
    put_reader(s, r1, out);
    sb_puts(out, " and ");
    part_write(s, w1, out);
    sb_printf(out, "; %s read the same version and ", part_owner(s, r2));
    part_write(s, w2, out);
    sb_puts(out, ": whichever came second did not see the other");
}

/* Where two lists part, counted from 0. */
static uint32_t first_difference(const struct story *s, uint32_t a, uint32_t b)
{
    const struct hist_op *x = part_op(s, a), *y = part_op(s, b);
    uint32_t i = 0;
    while (i < x->list.len && i < y->list.len &&
           s->h->lists.data[x->list.start + i] == s->h->lists.data[y->list.start + i])
        i++;
    return i;
}

static void say_incompatible(const struct story *s, uint32_t a, uint32_t b, struct strbuf *out)
{
    put_reader(s, a, out);
    sb_puts(out, " and ");
    put_reader(s, b, out);
    sb_printf(out, ": they differ from element %" PRIu32 " on, and neither starts with the other",
              first_difference(s, a, b) + 1);
}

static void say_own_mismatch(const struct story *s, uint32_t read, uint32_t write,
                             struct strbuf *out)
{
    put_reader(s, read, out);
    sb_puts(out, " after it ");
    part_write(s, write, out);
}

/* The append of the same transaction to the same list right before (step -1) or behind (1) it. */
static uint32_t next_append(const struct story *s, uint32_t op, int step)
{
    const struct hist_txn *t = &s->h->txns.data[hist_op_txn(s->h, op)];
    uint32_t i = op;
    do
        i += (uint32_t)step;
    while (i >= t->first_op && i < t->first_op + t->op_count &&
           (part_op(s, i)->key != part_op(s, op)->key || part_op(s, i)->kind != HIST_APPEND ||
            part_op(s, i)->flags & HIST_OP_FAILED));
    return i >= t->first_op && i < t->first_op + t->op_count ? i : HIST_NONE;
}

/* A list that shows an append, but not the transaction's one before it right before it. */
static bool say_gap(const struct story *s, uint32_t read, uint32_t write, struct strbuf *out)
{
    uint32_t before =
        part_op(s, write)->kind == HIST_APPEND ? next_append(s, write, -1) : HIST_NONE;
    if (before == HIST_NONE)
        return false;
    put_reader(s, read, out);
    if (s->r->anomaly == ANOMALY_G0) {
        sb_puts(out, ", in which other elements stand between ");
        words_result(s->h, before, out);
        sb_puts(out, " and ");
        words_result(s->h, write, out);
        sb_printf(out, ", which %s appended one after the other", part_owner(s, write));
    } else {
        sb_puts(out, ", in which ");
        words_result(s->h, write, out);
        sb_puts(out, " does not follow ");
        words_result(s->h, before, out);
        sb_printf(out, ", which %s had appended right before it", part_owner(s, write));
    }
    return true;
}

static void say_intermediate(const struct story *s, uint32_t read, uint32_t write,
                             struct strbuf *out)
{
    uint32_t next = part_op(s, write)->kind == HIST_APPEND ? next_append(s, write, 1) : HIST_NONE;
    put_reader(s, read, out);
    sb_printf(out, ", but %s, which ", part_owner(s, write));
    part_write(s, write, out);
    if (next == HIST_NONE) {
        sb_puts(out, ", changed it again before it committed");
        return;
    }
    sb_puts(out, ", appended ");
    words_result(s->h, next, out);
    sb_puts(out, " right after it");
}

/* A read and a write: who read what, and what was wrong with the write. */
static bool say_read_of_write(const struct story *s, uint32_t read, uint32_t write,
                              struct strbuf *out)
{
    const char *writer = part_owner(s, write);
    switch (s->r->anomaly) {
    case ANOMALY_INTERNAL:
        say_own_mismatch(s, read, write, out);
        return true;
    case ANOMALY_G1A:
        put_reader(s, read, out);
        sb_printf(out, ", but %s, which ", writer);
        part_write(s, write, out);
        sb_puts(out, ", did not commit");
        return true;
    case ANOMALY_IMPOSSIBLE_READ:
        put_reader(s, read, out);
        sb_printf(out, ", but %s, which ", writer);
        part_write(s, write, out);
        sb_puts(out, ", contradicts itself under this level, so it cannot have committed");
        return true;
    case ANOMALY_G1B:
        say_intermediate(s, read, write, out);
        return true;
    case ANOMALY_FUTURE_READ:
        put_reader(s, read, out);
        sb_puts(out, ", which it wrote itself, but only later");
        return true;
    case ANOMALY_G0:
    case ANOMALY_TORN_LIST:
        return say_gap(s, read, write, out);
    default:
        return false;
    }
}

static void say_mismatch(const struct story *s, struct strbuf *out)
{
    if (!s->r->ops.len) { /* by itself, without any level */
        sb_puts(out, s->r->reason);
        return;
    }
    for (size_t i = 0; i < s->r->ops.len; i++) {
        sb_printf(out, "%s%s read ", i ? "; " : "", part_owner(s, s->r->ops.data[i]));
        words_aggregate(s->h, s->r->ops.data[i], out);
    }
    sb_puts(out, ": no versions of the rows give that together with what else was read");
}

/* The value may well have been written: a write id, or that the read saw the initial version, can
 * say that this was not what the read saw. */
static void say_thin_air(const struct story *s, uint32_t a, struct strbuf *out)
{
    const struct hist_op *op = part_op(s, a);
    uint64_t id = s->h->write_ids ? s->h->write_ids[a] : 0;
    if (op->kind == HIST_LIST_READ)
        sb_puts(out, ", but not all of these elements were ever appended");
    else if (id)
        sb_printf(out, ", written with id %" PRIu64 ", but no write of it has that id and value",
                  id);
    else if (op->flags & HIST_OP_INITIAL)
        sb_puts(out, ", in its initial version, but that has another value");
    else
        sb_puts(out, ", but nobody ever wrote that");
}

static bool say_reads(const struct story *s, uint32_t a, uint32_t b, struct strbuf *out)
{
    switch (s->r->anomaly) {
    case ANOMALY_THIN_AIR:
        put_reader(s, a, out);
        say_thin_air(s, a, out);
        return true;
    case ANOMALY_DUPLICATE_ELEMENT:
        put_reader(s, a, out);
        sb_puts(out, ", with an element more often than it was appended");
        return true;
    case ANOMALY_TORN_LIST:
        put_reader(s, a, out);
        sb_puts(out, ", which cannot be put together from what whole transactions appended, each "
                     "in its turn");
        return true;
    case ANOMALY_NON_REPEATABLE:
    case ANOMALY_INTERNAL:
        if (b == HIST_NONE)
            return false;
        say_two_reads(s, a, b, out);
        return true;
    case ANOMALY_INCOMPATIBLE_ORDER:
        if (b == HIST_NONE || part_op(s, a)->kind != HIST_LIST_READ ||
            part_op(s, b)->kind != HIST_LIST_READ)
            return false;
        say_incompatible(s, a, b, out);
        return true;
    default:
        return false;
    }
}

void phrase_anomaly(const struct story *s, struct strbuf *out)
{
    uint32_t r1 = nth(s, true, 0), r2 = nth(s, true, 1);
    uint32_t w1 = nth(s, false, 0), w2 = nth(s, false, 1);
    bool said = false;
    if (s->r->anomaly == ANOMALY_RESULT_MISMATCH) {
        say_mismatch(s, out);
        said = true;
    } else if (s->r->anomaly == ANOMALY_LOST_UPDATE) {
        say_lost_update(s, out);
        said = true;
    } else if (r1 != HIST_NONE && w1 != HIST_NONE)
        said = say_read_of_write(s, r1, w1, out);
    else if (r1 != HIST_NONE)
        said = say_reads(s, r1, r2, out);
    else if (w2 != HIST_NONE && s->r->anomaly == ANOMALY_DUPLICATE_WRITE) {
        sb_printf(out, "%s and %s both ", part_owner(s, w1), part_owner(s, w2));
        part_write(s, w1, out);
        said = true;
    }
    if (!said)
        put_plain_list(s, out);
}
