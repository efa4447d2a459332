/* Ways to make up a list; see certify_cover.h. */
#include "certify/violation/certify_cover.h"

#include <string.h>

static const int64_t *list_of(const struct hist_facts *f, uint32_t read)
{
    return f->h->lists.data + f->h->ops.data[read].list.start;
}

static bool shows_list(struct hist_facts *f, uint32_t op)
{
    return f->h->ops.data[op].kind == HIST_LIST_READ && hist_facts_external(f, op) &&
           hist_facts_counts(f, f->op_txn[op]);
}

static void find_longest(struct cover *c, struct hist_facts *f)
{
    for (uint32_t i = f->key_start[c->key]; i < f->key_start[c->key + 1]; i++) {
        uint32_t r = f->key_ops[i], len = shows_list(f, r) ? hist_facts_list_length(f, r) : 0;
        if (len > c->len) {
            c->len = len;
            c->read = r;
        }
    }
}

bool cover_begins_with(const struct cover *c, const struct hist_facts *f, uint32_t read)
{
    uint32_t len = hist_facts_list_length(f, read);
    return len <= c->len &&
           (!len || !memcmp(list_of(f, read), list_of(f, c->read), len * sizeof(int64_t)));
}

/* cut[n]: somebody saw the list with n elements, so nobody's appends stand on both sides. */
static void find_cuts(const struct cover *c, struct hist_facts *f, uint8_t *cut)
{
    for (uint32_t i = f->key_start[c->key]; i < f->key_start[c->key + 1]; i++)
        if (shows_list(f, f->key_ops[i]) && cover_begins_with(c, f, f->key_ops[i]))
            cut[hist_facts_list_length(f, f->key_ops[i])] = 1;
}

/* Is t the same transaction as u or, where sessions count, an earlier one of its session? */
static bool not_later(const struct hist_facts *f, bool sessions, uint32_t t, uint32_t u)
{
    const struct hist_txn *x = &f->h->txns.data[t], *y = &f->h->txns.data[u];
    return t == u || (sessions && x->session == y->session && x->index < y->index);
}

/* A transaction appends behind what it, or its session, has read: so many elements. */
static uint32_t read_before(struct hist_facts *f, bool sessions, uint32_t last)
{
    uint32_t key = f->h->ops.data[last].key, most = 0;
    for (uint32_t i = f->key_start[key]; i < f->key_start[key + 1]; i++) {
        uint32_t r = f->key_ops[i];
        if (!not_later(f, sessions, f->op_txn[r], f->op_txn[last]) || !shows_list(f, r))
            continue;
        uint32_t len = hist_facts_list_length(f, r);
        most = len > most ? len : most;
    }
    return most;
}

/* The last append of the session's transaction before this one that appended to the key and counts;
 * or HIST_NONE. */
static uint32_t append_before(struct hist_facts *f, uint32_t last)
{
    uint32_t key = f->h->ops.data[last].key, txn = f->op_txn[last], best = HIST_NONE;
    for (uint32_t i = f->key_start[key]; i < f->key_start[key + 1]; i++) {
        uint32_t a = f->key_ops[i], t = f->op_txn[a];
        if (t == txn || !not_later(f, true, t, txn) || !hist_is_append(&f->h->ops.data[a]) ||
            !hist_facts_final(f, a) || f->h->txns.data[t].status != HIST_COMMITTED)
            continue;
        if (best == HIST_NONE || not_later(f, true, f->op_txn[best], t))
            best = a;
    }
    return best;
}

/* Where the append ends at the latest if it counts: HIST_NONE, anywhere or not in the list.  A
 * session sees what it did before, but for EC and RC.  Where a transaction has one snapshot and
 * sees all conflicting writes, what it appends comes right behind what it read. */
static uint32_t ends_by(const struct cover *c, struct hist_facts *f, struct level level,
                        uint32_t last, uint32_t count)
{
    enum model_id m = level.model;
    bool exact = m == MODEL_SER || m == MODEL_SI || m == MODEL_PSI;
    uint32_t txn = f->op_txn[last], by = HIST_NONE;
    for (uint32_t i = f->key_start[c->key]; i < f->key_start[c->key + 1]; i++) {
        uint32_t r = f->key_ops[i], t = f->op_txn[r];
        if (!shows_list(f, r) || !cover_begins_with(c, f, r))
            continue;
        uint32_t len = hist_facts_list_length(f, r);
        if (t == txn && exact && len < c->len && len + count < by)
            by = len + count;
        if (t != txn && level.session_order && model_sees_session(model_get(m)) &&
            not_later(f, true, txn, t) && len < by)
            by = len;
    }
    return by;
}

static uint32_t own_count(const struct hist_facts *f, uint32_t last)
{
    uint32_t first = f->h->txns.data[f->op_txn[last]].first_op, n = 0;
    for (uint32_t i = first; i <= last; i++)
        n +=
            f->h->ops.data[i].key == f->h->ops.data[last].key && hist_is_append(&f->h->ops.data[i]);
    return n;
}

static bool matches(const struct hist_facts *f, uint32_t last, const int64_t *list, uint32_t end,
                    const uint8_t *cut)
{
    uint32_t first = f->h->txns.data[f->op_txn[last]].first_op, at = end;
    for (uint32_t i = last + 1; i-- > first;) {
        const struct hist_op *a = &f->h->ops.data[i];
        if (a->key != f->h->ops.data[last].key || !hist_is_append(a))
            continue;
        if (!at || (at < end && cut[at]) || list[--at] != a->value)
            return false;
    }
    return true;
}

static void add_places(struct cover *c, struct hist_facts *f, struct level level, uint32_t last,
                       const uint8_t *cut, struct formula *out)
{
    uint32_t after = read_before(f, level.session_order, last), count = own_count(f, last);
    bool counts = f->h->txns.data[f->op_txn[last]].status == HIST_COMMITTED;
    uint32_t by = counts ? ends_by(c, f, level, last, count) : HIST_NONE;
    clause_lits lits = {0};
    for (uint32_t end = after + count; end <= c->len && end <= by; end++)
        if (matches(f, last, list_of(f, c->read), end, cut)) {
            uint32_t lit = formula_lit(out, CHECK_FACT_PLACE, last, end, NULL);
            vec_push(&c->places, ((struct cover_place){last, end - count, end, lit}));
            vec_push(&lits, lit);
        }
    formula_at_most_one(out, lits.data, lits.len, 1, CHECK_FACT_PLACES_UP_TO, last, 0);
    if (by != HIST_NONE)
        formula_add(out, lits.data, lits.len);
    vec_free(&lits);
}

/* Every element is somebody's, and only one's. */
static void add_elements(const struct cover *c, struct formula *out)
{
    clause_lits *of = mem_calloc((size_t)c->len + 1, sizeof *of);
    uint32_t counted = 0;
    for (size_t i = 0; i < c->places.len; i++)
        for (uint32_t e = c->places.data[i].first; e < c->places.data[i].end; e++)
            vec_push(&of[e], c->places.data[i].lit);
    for (uint32_t e = 0; e < c->len; e++) {
        formula_add(out, of[e].data, of[e].len);
        formula_at_most_one(out, of[e].data, of[e].len, 1, CHECK_FACT_MAKERS_UP_TO, c->key,
                            counted);
        counted += (uint32_t)of[e].len;
        vec_free(&of[e]);
    }
    mem_free(of);
}

/* An element appended later in a session than another append has that one's place before it. */
static void add_sessions(const struct cover *c, struct hist_facts *f, struct formula *out)
{
    clause_lits clause = {0};
    for (size_t i = 0; i < c->places.len; i++) {
        const struct cover_place *p = &c->places.data[i];
        uint32_t before = append_before(f, p->last), from, to;
        if (before == HIST_NONE)
            continue;
        vec_clear(&clause);
        vec_push(&clause, clause_not(p->lit));
        for (cover_range(c, before, &from, &to); from < to; from++)
            if (c->places.data[from].end < p->end)
                vec_push(&clause, c->places.data[from].lit);
        formula_add(out, clause.data, clause.len);
    }
    vec_free(&clause);
}

void cover_init(struct cover *c, struct hist_facts *f, struct level level, uint32_t key,
                uint32_t read, struct formula *out)
{
    *c = (struct cover){.key = key, .read = read};
    if (read == HIST_NONE)
        find_longest(c, f);
    else
        c->len = hist_facts_list_length(f, read);
    uint8_t *cut = mem_calloc((size_t)c->len + 1, 1);
    find_cuts(c, f, cut);
    for (uint32_t i = f->key_start[key]; i < f->key_start[key + 1] && c->len; i++) {
        uint32_t op = f->key_ops[i];
        if (hist_is_append(&f->h->ops.data[op]) && hist_facts_final(f, op) &&
            hist_facts_possible(f, f->op_txn[op]))
            add_places(c, f, level, op, cut, out);
    }
    mem_free(cut);
    add_elements(c, out);
    if (level.session_order)
        add_sessions(c, f, out);
}

void cover_free(struct cover *c)
{
    vec_free(&c->places);
}

void cover_range(const struct cover *c, uint32_t last, uint32_t *from, uint32_t *to)
{
    uint32_t lo = 0, hi = (uint32_t)c->places.len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (c->places.data[mid].last < last)
            lo = mid + 1;
        else
            hi = mid;
    }
    *from = lo;
    while (lo < c->places.len && c->places.data[lo].last == last)
        lo++;
    *to = lo;
}

bool cover_impossible(struct hist_facts *f, struct level level, uint32_t read,
                      struct proof_reader *proofs)
{
    if (!shows_list(f, read))
        return false;
    struct formula formula = {0};
    struct cover c;
    cover_init(&c, f, level, f->h->ops.data[read].key, read, &formula);
    const clause_lits nothing = {0};
    const struct check_proof *p = proof_next(proofs, NULL, &formula, &nothing);
    bool impossible = p && p->scope == CHECK_SCOPE_PLAIN &&
                      proof_replay(proofs->r, p, &formula, &nothing, NULL, NULL);
    cover_free(&c);
    formula_free(&formula);
    return impossible;
}
