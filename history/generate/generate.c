/* The simulation; see generate.h.
 *
 * Every session always has one transaction under way.  At each step one of them, chosen at random,
 * commits: its reads are looked up in what it sees, its writes become the newest versions.  The
 * order of commits is the arbitration; what a transaction sees depends on the level:
 *
 *   SER          everything committed before it commits: transactions run one after the other
 *   SI           the commits before it began; if one of them since wrote what it writes, it starts
 *                again (first committer wins)
 *   PC           as SI without that
 *   RCS          each read sees a prefix of the commits between begin and commit, growing
 *   PSI, CC      what its site has heard of when it begins: sites tell each other their commits one
 *                by one, a commit only after all that it saw; PSI starts again if the newest
 *                version of a row that it writes is not among them
 *   RA           of every session some number of its first commits, at random; of its own all
 *   RC           as RA, and more of them from read to read
 *
 * Values are all different.  Lists are not allowed to grow for ever (nor do Jepsen's): after some
 * appends a fresh key takes a full one's place.  Begin and commit times are recorded at SER and SI,
 * where they agree with the real-time order: a snapshot is taken at the begin, a commit takes
 * effect at the commit. */
#include "history/generate/generate.h"

#include <inttypes.h>
#include <math.h>

#include "base/limit.h"
#include "history/generate/generate_internal.h"

enum { LIST_FULL = 32, SITES = 4, LAG = 3 };

struct gen_options gen_defaults(void)
{
    return (struct gen_options){.level = MODEL_SI,
                                .sessions = 10,
                                .operations = 8,
                                .keys = 100,
                                .transactions = 1000,
                                .reads = 0.5,
                                .seed = 1};
}

/* --- the store ------------------------------------------------------------------------------- */

uint32_t gen_add_row(struct gen *g)
{
    uint32_t row = (uint32_t)g->rows.len;
    struct gen_row *r = vec_add(&g->rows);
    r->key = hist_key_int(g->h, row);
    return row;
}

static bool sees(const struct gen *g, const struct gen_session *s, const struct gen_version *v)
{
    return g->places ? v->number <= s->sees[v->place] : v->when <= s->snapshot;
}

/* The newest version that the session sees; NULL: the initial one. */
static const struct gen_version *visible(const struct gen *g, const struct gen_session *s,
                                         uint32_t row)
{
    const struct gen_row *r = &g->rows.data[row];
    for (size_t i = r->versions.len; i-- > 0;)
        if (sees(g, s, &r->versions.data[i]))
            return &r->versions.data[i];
    return NULL;
}

/* --- what a session sees --------------------------------------------------------------------- */

static uint32_t place_of(const struct gen *g, uint32_t session)
{
    return session % g->places;
}

/* At RA, RC and EC every session is a place, and hears of others whatever it likes. */
static bool is_loose(const struct gen *g)
{
    return g->o->level == MODEL_RA || g->o->level == MODEL_RC || g->o->level == MODEL_EC;
}

static void see_some(struct gen *g, uint32_t session)
{
    uint32_t *view = g->sessions[session].sees;
    for (uint32_t p = 0; p < g->places; p++) {
        bool own = p == session && g->o->level != MODEL_EC;
        uint32_t lag = own ? 0 : gen_below(&g->random, LAG + 1);
        view[p] = g->made[p] > lag ? g->made[p] - lag : 0;
    }
}

/* Between two reads of one transaction. */
static void see_more(struct gen *g, uint32_t session)
{
    struct gen_session *s = &g->sessions[session];
    if (g->o->level == MODEL_RCS && s->snapshot < g->commits)
        s->snapshot += gen_below(&g->random, g->commits - s->snapshot + 1);
    if (g->o->level == MODEL_EC)
        see_some(g, session);
    if (g->o->level != MODEL_RC)
        return;
    uint32_t p = gen_below(&g->random, g->places);
    s->sees[p] = g->made[p];
}

/* Site a learns the next commits of site b, as far as it knows what they depend on. */
static void gossip(struct gen *g)
{
    uint32_t n = g->places, a = gen_below(&g->random, n), b = gen_below(&g->random, n);
    uint32_t *knows = g->heard + (size_t)a * n;
    for (uint32_t more = gen_below(&g->random, 2 * n); more && knows[b] < g->made[b]; more--) {
        const uint32_t *needs = g->logs[b].data + (size_t)knows[b] * n;
        for (uint32_t p = 0; p < n; p++)
            if (p != b && needs[p] > knows[p])
                return;
        knows[b]++;
    }
}

void gen_begin(struct gen *g, uint32_t session)
{
    struct gen_session *s = &g->sessions[session];
    s->begin = ++g->now;
    s->snapshot = g->commits;
    if (is_loose(g))
        see_some(g, session);
    else if (g->places)
        memcpy(s->sees, g->heard + (size_t)place_of(g, session) * g->places,
               g->places * sizeof *s->sees);
}

/* --- plans ----------------------------------------------------------------------------------- */

static uint32_t choose_row(struct gen *g)
{
    uint32_t slot = gen_key(&g->keys, &g->random);
    if (!g->o->lists)
        return slot;
    if (g->rows.data[g->row_of_slot[slot]].elements.len >= LIST_FULL) {
        uint32_t row = gen_add_row(g);
        g->row_of_slot[slot] = row;
    }
    return g->row_of_slot[slot];
}

void gen_plan(struct gen *g, uint32_t session)
{
    gen_ops *plan = &g->sessions[session].plan;
    vec_clear(plan);
    while (plan->len < g->o->operations) {
        struct gen_op op = {.row = choose_row(g), .write = !gen_chance(&g->random, g->o->reads)};
        if (op.write && g->o->operations - plan->len >= 2 && gen_chance(&g->random, g->o->rmw)) {
            struct gen_op before = {.row = op.row};
            vec_push(plan, before);
        }
        vec_push(plan, op);
    }
}

/* --- commit ---------------------------------------------------------------------------------- */

/* First committer wins: is the newest version of a row that it writes unknown to it? */
static bool conflicts(const struct gen *g, const struct gen_session *s)
{
    if (g->o->level != MODEL_SI && g->o->level != MODEL_PSI)
        return false;
    for (size_t i = 0; i < s->plan.len; i++) {
        const struct gen_op *op = &s->plan.data[i];
        const struct gen_row *r = &g->rows.data[op->row];
        if (op->write && r->versions.len && !sees(g, s, &vec_last(&r->versions)))
            return true;
    }
    return false;
}

/* The transaction's own last write of the row before operation i, or NULL. */
static const struct gen_op *own_write(const gen_ops *plan, size_t i)
{
    for (size_t j = i; j-- > 0;)
        if (plan->data[j].write && plan->data[j].row == plan->data[i].row)
            return &plan->data[j];
    return NULL;
}

/* Scripted numbers become values that nobody else writes to the row. */
static int64_t script_value(const struct gen *g, uint8_t number)
{
    return g->script_base + number;
}

static void read_list(struct gen *g, const struct gen_session *s, size_t i)
{
    const struct gen_op *op = &s->plan.data[i];
    const struct gen_row *r = &g->rows.data[op->row];
    vec_clear(&g->scratch);
    for (uint8_t j = 0; j < op->numbers; j++)
        vec_push(&g->scratch, script_value(g, op->read[j]));
    if (!op->given) {
        const struct gen_version *v = visible(g, s, op->row);
        for (int64_t j = 0; v && j < v->value; j++)
            vec_push(&g->scratch, r->elements.data[j]);
        for (size_t j = 0; j < i; j++)
            if (s->plan.data[j].write && s->plan.data[j].row == op->row)
                vec_push(&g->scratch, s->plan.data[j].value);
    }
    hist_list_read(g->h, r->key, g->scratch.data, g->scratch.len);
}

static void read_register(struct gen *g, const struct gen_session *s, size_t i)
{
    const struct gen_op *op = &s->plan.data[i], *own = own_write(&s->plan, i);
    int64_t value = 0;
    if (op->given)
        value = op->numbers ? script_value(g, op->read[0]) : 0;
    else if (own)
        value = own->value;
    else {
        const struct gen_version *v = visible(g, s, op->row);
        value = v ? v->value : 0;
    }
    hist_read(g->h, g->rows.data[op->row].key, hist_int(value));
}

/* A list's values need only differ from those of the same list, and short numbers make short
 * files.  Scripted rows are never full, and never chosen at random. */
static int64_t new_value(struct gen *g, const struct gen_session *s, size_t i)
{
    const struct gen_op *op = &s->plan.data[i];
    if (op->given)
        return script_value(g, op->read[0]);
    if (!g->o->lists)
        return g->next_value++;
    return ++g->rows.data[op->row].appended;
}

static void write_op(struct gen *g, struct gen_session *s, size_t i)
{
    struct gen_op *op = &s->plan.data[i];
    uint32_t key = g->rows.data[op->row].key;
    op->value = new_value(g, s, i);
    if (g->o->lists)
        hist_append(g->h, key, op->value);
    else
        hist_write(g->h, key, hist_int(op->value));
}

/* The writes become versions, the last one of each row. */
static void install(struct gen *g, uint32_t session)
{
    struct gen_session *s = &g->sessions[session];
    uint32_t place = g->places ? place_of(g, session) : 0;
    uint32_t number = g->places ? ++g->made[place] : 0;
    g->commits++;
    for (size_t i = 0; i < s->plan.len; i++) {
        const struct gen_op *op = &s->plan.data[i];
        struct gen_row *r = &g->rows.data[op->row];
        if (!op->write)
            continue;
        if (g->o->lists)
            vec_push(&r->elements, op->value);
        struct gen_version v = {g->o->lists ? (int64_t)r->elements.len : op->value, g->commits,
                                place, number};
        if (r->versions.len && vec_last(&r->versions).when == g->commits)
            vec_last(&r->versions) = v;
        else
            vec_push(&r->versions, v);
    }
    if (!g->places)
        return;
    for (uint32_t p = 0; p < g->places && !is_loose(g); p++)
        vec_push(&g->logs[place], s->sees[p]);
    g->heard[(size_t)place * g->places + place] = number;
}

void gen_emit(struct gen *g, uint32_t session, enum hist_status status)
{
    struct gen_session *s = &g->sessions[session];
    if (g->o->level == MODEL_SER)
        s->snapshot = g->commits;
    hist_begin_txn(g->h, session);
    g->now++;
    if (g->o->level == MODEL_SER || g->o->level == MODEL_SI)
        hist_txn_times(g->h, s->begin, g->now);
    for (size_t i = 0; i < s->plan.len; i++) {
        if (s->plan.data[i].write)
            write_op(g, s, i);
        else if (g->o->lists)
            read_list(g, s, i);
        else
            read_register(g, s, i);
        see_more(g, session);
    }
    hist_end_txn(g->h, status);
    g->transactions++;
    if (status == HIST_COMMITTED)
        install(g, session);
}

static void step(struct gen *g)
{
    uint32_t session = gen_below(&g->random, g->o->sessions);
    if (g->places && !is_loose(g))
        gossip(g);
    if (!conflicts(g, &g->sessions[session])) {
        gen_emit(g, session, HIST_COMMITTED);
        gen_plan(g, session);
    } else if (g->o->aborts) {
        gen_emit(g, session, HIST_ABORTED);
        gen_plan(g, session);
    }
    gen_begin(g, session);
}

/* --- beginning and end ------------------------------------------------------------------------ */

static const char *check(const struct gen_options *o, struct arena *messages)
{
    const struct model *m = model_get(o->level);
    const struct gen_anomaly *a = o->anomaly ? gen_anomaly_find(o->anomaly) : NULL;
    if (!o->sessions || !o->operations || !o->keys || !o->transactions)
        return "sessions, transactions, operations and keys must be at least 1";
    if (o->keys > 1u << 30 || o->sessions > 1u << 20 || o->operations > 1u << 20)
        return "at most 2^30 keys, 2^20 sessions and 2^20 operations per transaction";
    if (!(o->reads >= 0 && o->reads <= 1) || !(o->rmw >= 0 && o->rmw <= 1))
        return "shares must be between 0 and 1";
    if (o->lists && o->level != MODEL_SER && o->level != MODEL_SI)
        return arena_printf(messages, "lists are generated at ser and si, not at %s", m->name);
    if (is_loose(&(struct gen){.o = o}) && o->sessions > 4096)
        return arena_printf(messages, "at most 4096 sessions at %s", m->name);
    if (!o->anomaly)
        return NULL;
    if (!a)
        return arena_printf(messages, "unknown anomaly `%s`", o->anomaly);
    if (!(a->violates >> o->level & 1))
        return arena_printf(messages, "%s is allowed at %s", a->name, m->name);
    if (a->lists_only && !o->lists)
        return arena_printf(messages, "%s shows only in lists (kind append)", a->name);
    if (strlen(a->sessions) > o->transactions)
        return arena_printf(messages, "%s needs %zu transactions", a->name, strlen(a->sessions));
    if (strlen(a->sessions) > o->sessions && a->sessions[1] != a->sessions[0])
        return arena_printf(messages, "%s needs %zu sessions", a->name, strlen(a->sessions));
    return NULL;
}

static void start(struct gen *g)
{
    const struct gen_options *o = g->o;
    g->h = hist_new();
    g->next_value = 1;
    g->random.state = o->seed;
    g->keys = gen_keys_new(o->distribution, o->keys);
    if (!o->lists)
        hist_set_initial_default(g->h, hist_int(0));
    g->row_of_slot = mem_alloc(mem_mul(o->keys, sizeof *g->row_of_slot));
    for (uint32_t i = 0; i < o->keys; i++)
        g->row_of_slot[i] = gen_add_row(g);
    if (is_loose(g))
        g->places = o->sessions;
    else if (o->level == MODEL_CC || o->level == MODEL_PSI)
        g->places = o->sessions < SITES ? o->sessions : SITES;
    size_t n = g->places;
    g->made = mem_calloc(n + 1, sizeof *g->made);
    g->heard = mem_calloc(n * n + 1, sizeof *g->heard);
    g->logs = mem_calloc(n + 1, sizeof *g->logs);
    g->sessions = mem_calloc(o->sessions, sizeof *g->sessions);
    for (uint32_t i = 0; i < o->sessions; i++) {
        hist_add_session(g->h, NULL);
        g->sessions[i].sees = mem_calloc(n + 1, sizeof *g->sessions[i].sees);
        gen_plan(g, i);
        gen_begin(g, i);
    }
}

static void stop(struct gen *g)
{
    for (size_t i = 0; i < g->rows.len; i++) {
        vec_free(&g->rows.data[i].versions);
        vec_free(&g->rows.data[i].elements);
    }
    for (uint32_t i = 0; i < g->o->sessions; i++) {
        vec_free(&g->sessions[i].plan);
        mem_free(g->sessions[i].sees);
    }
    for (uint32_t i = 0; i < g->places; i++)
        vec_free(&g->logs[i]);
    vec_free(&g->rows);
    vec_free(&g->scratch);
    mem_free(g->row_of_slot);
    mem_free(g->made);
    mem_free(g->heard);
    mem_free(g->logs);
    mem_free(g->sessions);
    gen_keys_free(&g->keys);
}

const char *gen_history(const struct gen_options *o, struct arena *messages, struct history **out)
{
    *out = NULL;
    const char *error = check(o, messages);
    if (error)
        return error;
    struct gen g = {.o = o};
    limit_phase("generating the history");
    const struct gen_anomaly *a = o->anomaly ? gen_anomaly_find(o->anomaly) : NULL;
    uint32_t actors = a ? (uint32_t)strlen(a->sessions) : 0;
    start(&g);
    /* Somewhere in the middle half. */
    uint32_t ordinary = o->transactions - actors;
    uint32_t when = ordinary / 4 + gen_below(&g.random, ordinary / 2 + 1);
    while (g.transactions < o->transactions && !limit_reached()) {
        if (a && g.transactions == when)
            gen_inject(&g, a);
        else
            step(&g);
    }
    stop(&g);
    error = limit_reached() ? limit_text() : hist_finish(g.h);
    if (error) {
        error = arena_strdup(messages, error);
        hist_free(g.h);
        return error;
    }
    hist_set_source(g.h, "generated");
    *out = g.h;
    return NULL;
}
