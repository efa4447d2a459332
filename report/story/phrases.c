/* See phrases.h.
 *
 * An edge is explained as a fact of the history and its consequence.  The fact is the same at every
 * level ("T3 read x = 4, which T7 overwrote with 5"); the consequence is in the level's own terms:
 * for ser the order of transactions, for si, pc and rcs snapshots and commits, for the others who
 * saw whom.  This follows PolySI's restored counterexamples and Elle's explanations (VLDB 2020,
 * section 6). */
#include "report/story/phrases.h"

#include <inttypes.h>

#include "report/page/looks.h"
#include "report/story/parts.h"
#include "report/page/words.h"

/* ---- facts ---------------------------------------------------------------------------------- */

static bool reads_before(const struct story *s, uint32_t older, uint32_t newer)
{
    const struct hist_txn *t = &s->h->txns.data[hist_op_txn(s->h, newer)];
    for (uint32_t op = t->first_op; op < newer; op++)
        if (part_op(s, op)->key == part_op(s, older)->key && part_op(s, op)->kind == HIST_READ &&
            !part_is_row(s, op) &&
            hist_value_eq(hist_op_value(part_op(s, op)), hist_op_value(part_op(s, older))))
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
    if (part_op(s, older)->kind == HIST_WRITE && reads_before(s, older, newer))
        sb_printf(out, " (having read it)");
    else if (a->session == b->session && a->index < b->index && s->r->level.session_order)
        sb_printf(out, " (later in the same session)");
    else if (part_op(s, older)->kind == HIST_APPEND)
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
    sb_printf(out, "%s ran before %s in session ", story_name(s, e->from), story_name(s, e->to));
    words_session(s->h, t->session, out);
}

/* What is compared is when one was over for sure with when the other cannot have happened yet. */
static void fact_real_time(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    struct hist_times from = hist_txn_time(s->h, e->from), to = hist_txn_time(s->h, e->to);
    bool committed = e->via != CHECK_BEGIN_COMMIT, begins = e->via == CHECK_COMMIT_BEGIN;
    sb_printf(out,
              "%s's %s was answered (at %" PRId64 ") before %s's %s was asked for (at %" PRId64 ")",
              story_name(s, e->from), committed ? "commit" : "begin",
              committed ? from.commit_answered : from.begin_answered, story_name(s, e->to),
              begins ? "begin" : "commit", begins ? to.begin_asked : to.commit_asked);
}

static void fact_read(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    if (look_is_search(s->h, e->to_op)) {
        sb_printf(out, "%s ", story_name(s, e->to));
        part_search(s, e->to_op, out);
        sb_puts(out, ", ");
        part_as_seen(s, e->from_op, out);
        return;
    }
    sb_printf(out, "%s read ", story_name(s, e->to));
    if (part_is_row(s, e->to_op)) {
        part_row(s, e->to_op, e->from_op, out);
        return;
    }
    part_version(s, e->to_op, out);
    if (e->from_op == HIST_NONE)
        sb_puts(out, ", the initial value");
    else if (part_op(s, e->from_op)->kind == HIST_APPEND) {
        sb_puts(out, ", to which ");
        sb_printf(out, "%s had appended ", story_name(s, e->from));
        words_result(s->h, e->from_op, out);
    } else
        sb_printf(out, ", which %s wrote", story_name(s, e->from));
}

/* A row as a predicate sees it. */
static void fact_rematch(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    sb_printf(out, "%s changed ", story_name(s, e->to));
    part_key(s, e->key, out);
    sb_puts(out, ", ");
    part_as_seen(s, e->from_op, out);
    sb_puts(out, look_matches(s->h, e->to_op) ? ", so that it matches "
                                              : ", so that it does not match ");
    look_condition(s->h, e->key, out);
}

static void fact_overwrite(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    if (look_is_match(s->h, e->key)) {
        fact_rematch(s, e, out);
        return;
    }
    if (part_op(s, e->to_op)->kind == HIST_APPEND) {
        sb_printf(out, "%s ", story_name(s, e->to));
        part_write(s, e->to_op, out);
        sb_puts(out, " after ");
        part_owned(s, e->from_op, e->key, out);
        return;
    }
    sb_printf(out, "%s overwrote ", story_name(s, e->to));
    part_owned(s, e->from_op, e->key, out);
    if (look_is_item(s->h, e->key))
        return;
    sb_puts(out, " with ");
    words_result(s->h, e->to_op, out);
}

/* A search that found a row, or did not, and who changed that. */
static void fact_search(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    sb_printf(out, "%s ", story_name(s, e->from));
    part_search(s, e->from_op, out);
    sb_puts(out, " (");
    part_as_seen(s, e->via, out);
    sb_printf(out, "), which %s ", story_name(s, e->to));
    part_change(s, e->to_op, look_matches(s->h, e->from_op), out);
}

static void fact_stale(const struct story *s, const struct check_edge *e, struct strbuf *out)
{
    if (look_is_search(s->h, e->from_op)) {
        fact_search(s, e, out);
        return;
    }
    sb_printf(out, "%s read ", story_name(s, e->from));
    bool row = part_is_row(s, e->from_op);
    if (row)
        part_row(s, e->from_op, e->via, out);
    else
        part_version(s, e->from_op, out);
    if (row)
        sb_putc(out, ',');
    else if (e->via == HIST_NONE)
        sb_puts(out, ", the initial value,");
    else if (hist_op_txn(s->h, e->via) != e->to && part_op(s, e->via)->kind == HIST_WRITE)
        sb_printf(out, " (of %s),", part_owner(s, e->via));
    else
        sb_putc(out, ',');
    if (part_op(s, e->to_op)->kind == HIST_APPEND) {
        sb_printf(out, " before %s appended ", story_name(s, e->to));
        words_result(s->h, e->to_op, out);
    } else {
        bool match = look_is_match(s->h, e->key);
        sb_printf(out, " which %s ", story_name(s, e->to));
        if (match || look_is_item(s->h, e->key)) {
            part_change(s, e->to_op, match && !look_matches(s->h, e->to_op), out);
            return;
        }
        sb_puts(out, "overwrote with ");
        words_result(s->h, e->to_op, out);
    }
}

/* ---- consequences --------------------------------------------------------------------------- */

/* SNAPSHOT: snapshots are prefixes of the commits.  READ: each read has its own visible set, which
 * contains those before it; ALONE: which has nothing to do with others. */
enum terms { TERMS_ORDER, TERMS_SNAPSHOT, TERMS_STATEMENT, TERMS_SEEN, TERMS_READ, TERMS_ALONE };

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
    case MODEL_EC:
        return TERMS_ALONE;
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
    else if (terms == TERMS_ALONE)
        sb_printf(out, "that read of %s saw %s", to, from);
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
    else if (terms == TERMS_ALONE)
        sb_printf(out, "that read of %s did not see %s", from, to);
    else
        sb_printf(out, "%s did not see %s", from, to);
}

/* rc: session order orders commits and makes nothing visible to single reads. */
static void consequence_session(enum terms terms, const char *from, const char *to,
                                struct strbuf *out)
{
    if (terms == TERMS_READ)
        sb_printf(out, "%s committed before %s did", from, to);
    else if (terms == TERMS_STATEMENT)
        sb_printf(out, "%s had committed when %s took its first snapshot", from, to);
    else
        consequence_read(terms, from, to, out);
}

static void consequence_real_time(enum terms terms, enum check_rt rt, const char *from,
                                  const char *to, struct strbuf *out)
{
    if (terms == TERMS_ORDER)
        sb_printf(out, "%s comes before %s", from, to);
    else if (rt == CHECK_COMMIT_BEGIN)
        sb_printf(out, "%s committed before %s's snapshot was taken", from, to);
    else if (rt == CHECK_COMMIT_COMMIT)
        sb_printf(out, "%s committed before %s did", from, to);
    else
        sb_printf(out, "%s's snapshot was taken before %s committed", from, to);
}

void phrase_edge(const struct story *s, const struct check_edge *e, uint32_t inside,
                 struct strbuf *out)
{
    const char *from = story_name(s, e->from), *to = story_name(s, e->to);
    enum terms terms = terms_of(s->r->level.model);
    switch (e->kind) {
    case CHECK_RT:
        fact_real_time(s, e, out);
        sb_puts(out, ", so ");
        consequence_real_time(terms, (enum check_rt)e->via, from, to, out);
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

static bool starts_with_snapshot(const struct check_edge *e)
{
    return e->kind == CHECK_RW || (e->kind == CHECK_RT && e->via == CHECK_BEGIN_COMMIT);
}

/* Anti-dependencies on one row only, under a model that lets one of two concurrent writers abort:
 * whatever the order of the writes, the last of them missed another one. */
static bool is_lost_update(const struct story *s, const struct check_cycle *c)
{
    const struct check_edge *e = s->r->edges.data + c->start;
    for (uint32_t i = 0; i < c->len; i++)
        if (e[i].kind != CHECK_RW || e[i].key != e[0].key)
            return false;
    return model_has(model_get(s->r->level.model), AXIOM_NOCONFLICT);
}

void phrase_cycle(const struct story *s, uint32_t cycle, struct strbuf *out)
{
    const struct check_cycle *c = &s->r->cycles.data[cycle];
    if (is_lost_update(s, c)) {
        sb_puts(out, "Whichever of them wrote last did not see the write before its own, although "
                     "of two concurrent writers one aborts");
        return;
    }
    const char *first = story_name(s, s->r->edges.data[c->start].from);
    const struct check_edge *stale = only_stale_read(s, c);
    switch (terms_of(s->r->level.model)) {
    case TERMS_ORDER:
        sb_printf(out, "%s would have to come before itself", first);
        return;
    case TERMS_SNAPSHOT:
    case TERMS_STATEMENT:
        if (starts_with_snapshot(&s->r->edges.data[c->start]))
            sb_printf(out, "%s's snapshot would have to be taken before itself", first);
        else
            sb_printf(out, "%s would have to commit before it commits", first);
        return;
    case TERMS_SEEN:
    case TERMS_READ:
    case TERMS_ALONE:
        if (!stale)
            sb_printf(out, "%s would have to come before itself in the order of versions", first);
        else
            sb_printf(out, "%s must have seen %s%s and must not have seen it",
                      story_name(s, stale->from), story_name(s, stale->to),
                      c->len > 2 ? " (who sees a transaction sees what that one saw)" : "");
        return;
    }
}

/* "T3, reading x = 4,", "T3, which looked for rows where c = 1 and found x," */
static void put_reading(const struct story *s, uint32_t read, struct strbuf *out)
{
    bool search = look_is_search(s->h, read);
    sb_printf(out, "%s, %s ", part_owner(s, read), search ? "which" : "reading");
    if (search)
        part_search(s, read, out);
    else
        part_version(s, read, out);
    sb_putc(out, ',');
}

void phrase_no_source(const struct story *s, struct strbuf *out)
{
    uint32_t read = s->r->ops.len ? s->r->ops.data[0] : HIST_NONE;
    for (size_t i = 0; i < s->r->cases.len && !s->r->ops.len; i++)
        if (s->r->cases.data[i].parent == HIST_NONE && s->r->cases.data[i].kind == CHECK_SOURCE)
            read = s->r->cases.data[i].first;
    if (read != HIST_NONE && part_is_row(s, read)) {
        sb_printf(out, "No versions of the rows are left that give what %s read, ",
                  part_owner(s, read));
        words_aggregate(s->h, read, out);
        return;
    }
    sb_puts(out, "No write is left that ");
    if (read == HIST_NONE) {
        sb_puts(out, "some read could have seen");
        return;
    }
    put_reading(s, read, out);
    sb_puts(out, " could have seen");
}

void phrase_hypothesis(const struct story *s, const struct check_case *c, struct strbuf *out)
{
    uint32_t key = part_op(s, c->first)->key;
    if (c->kind == CHECK_ORDER) {
        part_owned(s, c->first, key, out);
        sb_puts(out, " is older than ");
        part_owned(s, c->second, key, out);
        return;
    }
    put_reading(s, c->first, out);
    if (c->second == HIST_NONE)
        sb_puts(out, " saw the initial value");
    else
        sb_printf(out, " saw the write of %s", part_owner(s, c->second));
}

void phrase_refutation(const struct story *s, const struct check_case *c, struct strbuf *out)
{
    bool row = c->kind == CHECK_SOURCE && part_is_row(s, c->first);
    if (c->cycle == HIST_NONE)
        sb_puts(out, row ? "Then no versions of the rows give all that was read.  "
                         : "Some read would have seen nothing at all.  ");
    sb_puts(out, "So ");
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
    put_reading(s, c->first, out);
    sb_puts(out, " did not see ");
    if (c->second == HIST_NONE)
        sb_puts(out, "the initial value");
    else
        sb_printf(out, "the write of %s", part_owner(s, c->second));
}
