/* See phrases.h.
 *
 * An edge is told as a fact of the history and its consequence.  The fact is the same at every
 * level ("T3 read x = 4, which T7 overwrote with 5"); the consequence is in the level's own terms:
 * for ser the order of transactions, for si, pc and rcs snapshots and commits, for the others who
 * saw whom.  This follows PolySI's restored counterexamples and Elle's explanations (VLDB 2020,
 * section 6). */
#include "report/phrases.h"

#include <inttypes.h>

#include "report/words.h"

/* ---- parts ---------------------------------------------------------------------------------- */

static const struct hist_op *op_at(const struct story *s, uint32_t op)
{
    return &s->h->ops.data[op];
}

static const char *name_of_op(const struct story *s, uint32_t op)
{
    return story_name(s, hist_op_txn(s->h, op));
}

static void put_key(const struct story *s, uint32_t key, struct strbuf *out)
{
    words_key(s->h, key, out);
}

/* "x = 4" */
static void put_version(const struct story *s, uint32_t op, struct strbuf *out)
{
    put_key(s, op_at(s, op)->key, out);
    sb_puts(out, " = ");
    words_result(s->h, op, out);
}

/* "T3's x = 4", "the initial x" */
static void put_owned_version(const struct story *s, uint32_t op, uint32_t key, struct strbuf *out)
{
    if (op == HIST_NONE) {
        sb_puts(out, "the initial value of ");
        put_key(s, key, out);
        return;
    }
    sb_printf(out, "%s's ", name_of_op(s, op));
    if (op_at(s, op)->kind == HIST_APPEND) {
        sb_puts(out, "element ");
        words_result(s->h, op, out);
        sb_puts(out, " of ");
        put_key(s, key, out);
    } else
        put_version(s, op, out);
}

/* "wrote x = 4", "appended 4 to x" */
static void put_write(const struct story *s, uint32_t op, struct strbuf *out)
{
    if (op_at(s, op)->kind == HIST_APPEND) {
        sb_puts(out, "appended ");
        words_result(s->h, op, out);
        sb_puts(out, " to ");
        put_key(s, op_at(s, op)->key, out);
    } else {
        sb_puts(out, "wrote ");
        put_version(s, op, out);
    }
}

/* ---- facts ---------------------------------------------------------------------------------- */

static bool reads_before(const struct story *s, uint32_t older, uint32_t newer)
{
    const struct hist_txn *t = &s->h->txns.data[hist_op_txn(s->h, newer)];
    for (uint32_t op = t->first_op; op < newer; op++)
        if (op_at(s, op)->key == op_at(s, older)->key && op_at(s, op)->kind == HIST_READ &&
            hist_value_eq(hist_op_value(op_at(s, op)), hist_op_value(op_at(s, older))))
            return true;
    return false;
}

/* How it is known that `newer` is the later version, where the history alone says so. */
static void put_order_reason(const struct story *s, uint32_t older, uint32_t newer,
                             struct strbuf *out)
{
    if (older == HIST_NONE)
        return;
    uint32_t from = hist_op_txn(s->h, older), to = hist_op_txn(s->h, newer);
    const struct hist_txn *a = &s->h->txns.data[from], *b = &s->h->txns.data[to];
    if (op_at(s, older)->kind == HIST_WRITE && reads_before(s, older, newer))
        sb_printf(out, " (having read it)");
    else if (a->session == b->session && a->index < b->index && s->r->level.session_order)
        sb_printf(out, " (later in the same session)");
    else if (op_at(s, older)->kind == HIST_APPEND)
        sb_puts(out, " (the lists that were read show it)");
    else if (s->h->version_orders.len)
        sb_puts(out, " (by the version order given)");
}

/* What the edge rests on besides its operations. */
static void put_basis(const struct story *s, const struct check_edge *e, uint32_t inside,
                      struct strbuf *out)
{
    if (e->because == HIST_NONE) {
        if (e->kind == CHECK_WW)
            put_order_reason(s, e->from_op, e->to_op, out);
        if (e->kind == CHECK_RW)
            put_order_reason(s, e->via, e->to_op, out);
        return;
    }
    if (story_is_around(s, e->because, inside)) {
        sb_puts(out, " (as supposed)");
        return;
    }
    sb_puts(out, " (by case ");
    story_case_number(s, e->because, out);
    sb_putc(out, ')');
}

static void fact_session(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    const struct hist_txn *t = &s->h->txns.data[e->from];
    uint32_t name = s->h->session_names.data[t->session];
    sb_printf(out, "%s ran before %s in session ", story_name(s, e->from), story_name(s, e->to));
    if (name == HIST_NONE)
        sb_printf(out, "%" PRIu32, t->session);
    else {
        const char *text = intern_name(&s->h->texts, name);
        words_safe(text, strlen(text), WORDS_LONG, out);
    }
}

static int64_t time_of(const int64_t *times, uint32_t txn)
{
    return times ? times[txn] : HIST_NO_TIME;
}

/* The strongest of: ended before the other began, ended before it ended, began before it ended. */
static void fact_real_time(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    int64_t from_begin = time_of(s->h->begin_time, e->from);
    int64_t from_end = time_of(s->h->commit_time, e->from);
    int64_t to_begin = time_of(s->h->begin_time, e->to);
    int64_t to_end = time_of(s->h->commit_time, e->to);
    bool ended = from_end != HIST_NO_TIME &&
                 ((to_begin != HIST_NO_TIME && from_end <= to_begin) || from_end <= to_end);
    bool began = to_begin != HIST_NO_TIME && ended && from_end <= to_begin;
    sb_printf(out, "%s %s (at %" PRId64 ") before %s %s (at %" PRId64 ")", story_name(s, e->from),
              ended ? "ended" : "began", ended ? from_end : from_begin, story_name(s, e->to),
              began ? "began" : "ended", began ? to_begin : to_end);
}

static void fact_read(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    sb_printf(out, "%s read ", story_name(s, e->to));
    put_version(s, e->to_op, out);
    if (e->from_op == HIST_NONE)
        sb_puts(out, ", the initial value");
    else if (op_at(s, e->from_op)->kind == HIST_APPEND) {
        sb_puts(out, ", to which ");
        sb_printf(out, "%s had appended ", story_name(s, e->from));
        words_result(s->h, e->from_op, out);
    } else
        sb_printf(out, ", which %s wrote", story_name(s, e->from));
}

static void fact_overwrite(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    if (op_at(s, e->to_op)->kind == HIST_APPEND) {
        sb_printf(out, "%s ", story_name(s, e->to));
        put_write(s, e->to_op, out);
        sb_puts(out, " after ");
        put_owned_version(s, e->from_op, e->key, out);
        return;
    }
    sb_printf(out, "%s overwrote ", story_name(s, e->to));
    put_owned_version(s, e->from_op, e->key, out);
    sb_puts(out, " with ");
    words_result(s->h, e->to_op, out);
}

static void fact_stale(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    sb_printf(out, "%s read ", story_name(s, e->from));
    put_version(s, e->from_op, out);
    if (e->via == HIST_NONE)
        sb_puts(out, ", the initial value,");
    else if (hist_op_txn(s->h, e->via) != e->to && op_at(s, e->via)->kind == HIST_WRITE)
        sb_printf(out, " (of %s),", name_of_op(s, e->via));
    else
        sb_putc(out, ',');
    if (op_at(s, e->to_op)->kind == HIST_APPEND) {
        sb_printf(out, " before %s appended ", story_name(s, e->to));
        words_result(s->h, e->to_op, out);
    } else {
        sb_printf(out, " which %s overwrote with ", story_name(s, e->to));
        words_result(s->h, e->to_op, out);
    }
}

/* ---- consequences --------------------------------------------------------------------------- */

/* PREFIX: snapshots are prefixes of the commits.  READS: each read has its own. */
enum terms { TERMS_ORDER, TERMS_SNAPSHOT, TERMS_STATEMENT, TERMS_SEEN, TERMS_READ };

static enum terms terms_of(enum model_id model)
{
    switch (model) {
    case MODEL_SER:
        return TERMS_ORDER;
    case MODEL_SI:
    case MODEL_PC:
        return TERMS_SNAPSHOT;
    case MODEL_RCS:
        return TERMS_STATEMENT;
    case MODEL_RC:
        return TERMS_READ;
    default:
        return TERMS_SEEN;
    }
}

/* Two writers of a row: what their order means under the model. */
static void consequence_overwrite(const struct story *s, const char *from, const char *to,
                                  struct strbuf *out)
{
    const struct model *m = model_get(s->r->level.model);
    bool one_aborts = model_has(m, AXIOM_NOCONFLICT);
    enum terms terms = terms_of(m->id);
    if (terms == TERMS_ORDER)
        sb_printf(out, "%s comes before %s", from, to);
    else if (terms == TERMS_SNAPSHOT && one_aborts)
        sb_printf(out, "%s committed before %s's snapshot was taken", from, to);
    else if (terms == TERMS_SNAPSHOT || terms == TERMS_STATEMENT)
        sb_printf(out, "%s committed before %s did", from, to);
    else if (one_aborts)
        sb_printf(out, "%s saw %s", to, from);
    else
        sb_printf(out, "%s comes before %s in the order of versions", from, to);
    if (one_aborts)
        sb_puts(out, " (of two concurrent writers one aborts)");
}

static void consequence_read(enum terms terms, const char *from, const char *to, struct strbuf *out)
{
    if (terms == TERMS_ORDER)
        sb_printf(out, "%s comes before %s", from, to);
    else if (terms == TERMS_SNAPSHOT)
        sb_printf(out, "%s committed before %s's snapshot was taken", from, to);
    else if (terms == TERMS_STATEMENT)
        sb_printf(out, "%s had committed when %s took the snapshot of that statement", from, to);
    else if (terms == TERMS_READ)
        sb_printf(out, "from that read on %s saw %s", to, from);
    else
        sb_printf(out, "%s saw %s", to, from);
}

static void consequence_stale(enum terms terms, const char *from, const char *to,
                              struct strbuf *out)
{
    if (terms == TERMS_ORDER)
        sb_printf(out, "%s comes before %s", from, to);
    else if (terms == TERMS_SNAPSHOT)
        sb_printf(out, "%s's snapshot was taken before %s committed", from, to);
    else if (terms == TERMS_STATEMENT)
        sb_printf(out, "%s took the snapshot of that statement before %s committed", from, to);
    else if (terms == TERMS_READ)
        sb_printf(out, "up to that read %s had not seen %s", from, to);
    else
        sb_printf(out, "%s did not see %s", from, to);
}

/* rc and rcs: session order orders commits and makes nothing visible to single reads. */
static void consequence_session(enum terms terms, const char *from, const char *to,
                                struct strbuf *out)
{
    if (terms == TERMS_STATEMENT || terms == TERMS_READ)
        sb_printf(out, "%s committed before %s did", from, to);
    else
        consequence_read(terms, from, to, out);
}

void phrase_edge(const struct story *s, const struct check_edge *e, uint32_t inside,
                 struct strbuf *out)
{
    const char *from = story_name(s, e->from), *to = story_name(s, e->to);
    enum terms terms = terms_of(s->r->level.model);
    switch (e->kind) {
    case CHECK_IN:
        sb_printf(out, "%s's snapshot was taken before it committed", from);
        return;
    case CHECK_RT:
        fact_real_time(s, e, out);
        return;
    case CHECK_SO:
        fact_session(s, e, out);
        sb_puts(out, ", so ");
        consequence_session(terms, from, to, out);
        return;
    case CHECK_WR:
        fact_read(s, e, out);
        put_basis(s, e, inside, out);
        sb_puts(out, ", so ");
        consequence_read(terms, from, to, out);
        return;
    case CHECK_WW:
        fact_overwrite(s, e, out);
        put_basis(s, e, inside, out);
        sb_puts(out, ", so ");
        consequence_overwrite(s, from, to, out);
        return;
    case CHECK_RW:
        fact_stale(s, e, out);
        put_basis(s, e, inside, out);
        sb_puts(out, ", so ");
        consequence_stale(terms, from, to, out);
        return;
    }
}

/* ---- cycles and cases ----------------------------------------------------------------------- */

static const struct check_edge *only_stale_read(const struct story *s, const struct check_cycle *c)
{
    for (uint32_t i = 0; i < c->len; i++)
        if (s->r->edges.data[c->start + i].kind == CHECK_RW)
            return &s->r->edges.data[c->start + i];
    return NULL;
}

void phrase_cycle(const struct story *s, uint32_t cycle, struct strbuf *out)
{
    const struct check_cycle *c = &s->r->cycles.data[cycle];
    const char *first = story_name(s, s->r->edges.data[c->start].from);
    const struct check_edge *stale = only_stale_read(s, c);
    switch (terms_of(s->r->level.model)) {
    case TERMS_ORDER:
        sb_printf(out, "%s would have to come before itself", first);
        return;
    case TERMS_SNAPSHOT:
    case TERMS_STATEMENT:
        sb_puts(out, "These snapshots and commits would each have to come before the next and the "
                     "last before the first");
        return;
    case TERMS_SEEN:
    case TERMS_READ:
        if (!stale)
            sb_printf(out, "%s would have to come before itself in the order of versions", first);
        else
            sb_printf(out, "%s must have seen %s%s and must not have seen it",
                      story_name(s, stale->from), story_name(s, stale->to),
                      c->len > 2 ? " (who sees a transaction sees what that one saw)" : "");
        return;
    }
}

void phrase_hypothesis(const struct story *s, const struct check_case *c, struct strbuf *out)
{
    uint32_t key = op_at(s, c->first)->key;
    if (c->kind == CHECK_ORDER) {
        put_owned_version(s, c->first, key, out);
        sb_puts(out, " is older than ");
        put_owned_version(s, c->second, key, out);
        return;
    }
    sb_printf(out, "%s, reading ", name_of_op(s, c->first));
    put_version(s, c->first, out);
    if (c->second == HIST_NONE)
        sb_puts(out, ", saw the initial value");
    else
        sb_printf(out, ", saw the write of %s", name_of_op(s, c->second));
}

void phrase_opposite(const struct story *s, const struct check_case *c, struct strbuf *out)
{
    if (c->kind == CHECK_ORDER) {
        struct check_case reverse = *c;
        reverse.first = c->second;
        reverse.second = c->first;
        phrase_hypothesis(s, &reverse, out);
        return;
    }
    sb_printf(out, "%s, reading ", name_of_op(s, c->first));
    put_version(s, c->first, out);
    sb_puts(out, ", did not see ");
    if (c->second == HIST_NONE)
        sb_puts(out, "the initial value");
    else
        sb_printf(out, "the write of %s", name_of_op(s, c->second));
}

/* ---- anomalies of single operations --------------------------------------------------------- */

/* The anomaly's operations by role: the n-th read, the n-th write; HIST_NONE if there is none. */
static uint32_t nth(const struct story *s, bool read, size_t n)
{
    for (size_t i = 0; i < s->r->ops.len; i++) {
        uint32_t op = s->r->ops.data[i];
        bool is_read = op_at(s, op)->kind == HIST_READ || op_at(s, op)->kind == HIST_LIST_READ;
        if (is_read == read && n-- == 0)
            return op;
    }
    return HIST_NONE;
}

static void put_reader(const struct story *s, uint32_t read, struct strbuf *out)
{
    sb_printf(out, "%s read ", name_of_op(s, read));
    put_version(s, read, out);
}

/* Nothing better to say: who did what. */
static void put_plain_list(const struct story *s, struct strbuf *out)
{
    for (size_t i = 0; i < s->r->ops.len; i++) {
        sb_printf(out, "%s%s: ", i ? "; " : "", name_of_op(s, s->r->ops.data[i]));
        words_op(s->h, s->r->ops.data[i], out);
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
    put_write(s, w1, out);
    sb_printf(out, "; %s read the same version and ", name_of_op(s, r2));
    put_write(s, w2, out);
    sb_puts(out, ": whichever came second did not see the other");
}

/* Where two lists part, counted from 0. */
static uint32_t first_difference(const struct story *s, uint32_t a, uint32_t b)
{
    const struct hist_op *x = op_at(s, a), *y = op_at(s, b);
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
    put_write(s, write, out);
}

/* A read and a write: who read what, and what was wrong with the write. */
static bool say_read_of_write(const struct story *s, uint32_t read, uint32_t write,
                              struct strbuf *out)
{
    const char *writer = name_of_op(s, write);
    switch (s->r->anomaly) {
    case CHECK_INTERNAL:
        say_own_mismatch(s, read, write, out);
        return true;
    case CHECK_G1A:
        put_reader(s, read, out);
        sb_printf(out, ", but %s, which ", writer);
        put_write(s, write, out);
        sb_puts(out, ", did not commit");
        return true;
    case CHECK_G1B:
        put_reader(s, read, out);
        sb_printf(out, ", but %s, which ", writer);
        put_write(s, write, out);
        sb_puts(out, ", changed it again before it committed");
        return true;
    case CHECK_FUTURE_READ:
        put_reader(s, read, out);
        sb_puts(out, ", which it wrote itself, but only later");
        return true;
    case CHECK_G0:
        put_reader(s, read, out);
        sb_printf(out, ", in which the elements of %s do not stand together: it ", writer);
        put_write(s, write, out);
        return true;
    default:
        return false;
    }
}

static bool say_reads(const struct story *s, uint32_t a, uint32_t b, struct strbuf *out)
{
    switch (s->r->anomaly) {
    case CHECK_THIN_AIR:
        put_reader(s, a, out);
        sb_puts(out, op_at(s, a)->kind == HIST_LIST_READ
                         ? ", but not all of these elements were ever appended"
                         : ", but nobody ever wrote that");
        return true;
    case CHECK_DUPLICATE_ELEMENT:
        put_reader(s, a, out);
        sb_puts(out, ", with an element twice that was appended once");
        return true;
    case CHECK_NON_REPEATABLE:
    case CHECK_INTERNAL:
        if (b == HIST_NONE)
            return false;
        say_two_reads(s, a, b, out);
        return true;
    case CHECK_INCOMPATIBLE_ORDER:
        if (b == HIST_NONE || op_at(s, a)->kind != HIST_LIST_READ ||
            op_at(s, b)->kind != HIST_LIST_READ)
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
    if (s->r->anomaly == CHECK_LOST_UPDATE) {
        say_lost_update(s, out);
        said = true;
    } else if (r1 != HIST_NONE && w1 != HIST_NONE)
        said = say_read_of_write(s, r1, w1, out);
    else if (r1 != HIST_NONE)
        said = say_reads(s, r1, r2, out);
    else if (w2 != HIST_NONE && s->r->anomaly == CHECK_DUPLICATE_WRITE) {
        sb_printf(out, "%s and %s both ", name_of_op(s, w1), name_of_op(s, w2));
        put_write(s, w1, out);
        said = true;
    }
    if (!said)
        put_plain_list(s, out);
}

/* ---- levels --------------------------------------------------------------------------------- */

void phrase_ruled_out(const struct history *h, const struct check_result *r, struct strbuf *out)
{
    struct report_ruled_out o = report_rules_out(h, r);
    if (!o.models) {
        sb_puts(out, report_level(r->level));
        return;
    }
    const char *comma = "";
    for (int m = 0; m < MODEL_COUNT; m++)
        if (o.models >> m & 1) {
            sb_printf(out, "%s%s", comma, model_get((enum model_id)m)->name);
            comma = ", ";
        }
    if (o.needs_sessions)
        sb_puts(out, " (where session order counts)");
    else if (r->level.session_order)
        sb_puts(out, " (with or without session order)");
}
