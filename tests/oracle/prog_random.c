/* Random programs: few rows, small numbers, transactions that read, decide and write, so that
 * models differ on them.  The invariant is turned round if it does not hold initially: so no
 * question about programs has two answers. */
#include <stdlib.h>
#include "tests/oracle/prog_random.h"

int orc_maker_below(struct orc_maker *m, int n)
{
    return orc_below(m->r, n);
}

int orc_maker_small(struct orc_maker *m)
{
    return orc_num(m->p, orc_maker_below(m, 3));
}

static void make_tables(struct orc_maker *m, int txns)
{
    static const char *const names[] = {"x", "y", "z"};
    int n = 2 + orc_maker_below(m, 2);
    for (int i = 0; i < n; i++) {
        bool array = m->params->arrays && orc_maker_below(m, 3) == 0;
        int fields = m->params->structs && orc_maker_below(m, 3) == 0 ? 2 : 1;
        if (m->params->wide)
            fields = i == 0 ? 2 + orc_maker_below(m, 2) : 1 + orc_maker_below(m, 3);
        orc_table(m->p, names[i], array ? 2 : 0, fields);
    }
    for (int c = 0; c < m->p->n_cells; c++)
        m->p->init[c] = orc_maker_below(m, 3) == 0 ? 1 + orc_maker_below(m, 2) : 0;
    m->notes = orc_maker_below(m, 4) ? orc_table(m->p, "note", txns, 1) : -1;
}

/* A table to work on; the notes are left alone. */
static int any_table(struct orc_maker *m)
{
    return orc_maker_below(m, m->notes < 0 ? m->p->n_tables : m->notes);
}

/* An index that is in bounds: a constant, or a parameter whose values are 0 and 1. */
int orc_maker_index_of(struct orc_maker *m, int table)
{
    if (!m->p->tables[table].array)
        return orc_num(m->p, 0);
    if (m->index_param >= 0 && orc_maker_below(m, 2) == 0)
        return orc_e(m->p, ORC_PARAM, m->index_param, 0, 0);
    if (m->params->checks && m->set && orc_maker_below(m, 3) == 0) { /* whatever it is */
        m->p->may_leave = true;
        return orc_reg(m->p, m->set & 1 ? 0 : 1);
    }
    return orc_num(m->p, orc_maker_below(m, 2));
}

int orc_maker_any_cell(struct orc_maker *m)
{
    int t = any_table(m);
    return orc_e(m->p, ORC_CELL, t, orc_maker_index_of(m, t),
                 orc_maker_below(m, m->p->tables[t].fields));
}

int orc_maker_atom(struct orc_maker *m)
{
    int kind = orc_maker_below(m, 8);
    if (m->local && orc_maker_below(m, 4) == 0)
        return orc_e(m->p, ORC_LOCAL, orc_maker_below(m, m->local), 0, 0);
    if (kind < 2)
        return orc_maker_small(m);
    if (kind < 4 && m->set)
        for (int r = 0; r < ORC_REGS; r++)
            if (m->set >> r & 1)
                return orc_reg(m->p, r);
    if (kind == 4 && m->value_param >= 0)
        return orc_e(m->p, ORC_PARAM, m->value_param, 0, 0);
    return orc_maker_any_cell(m);
}

static int condition(struct orc_maker *m)
{
    static const enum orc_expr_kind cmp[] = {ORC_EQ, ORC_NE, ORC_LT, ORC_LE};
    int left = orc_maker_atom(m);
    if (orc_maker_below(m, 3) == 0)
        left = orc_e(m->p, ORC_ADD, left, orc_maker_atom(m), 0);
    int e = orc_e(m->p, cmp[orc_maker_below(m, 4)], left,
                  orc_maker_below(m, 3) ? orc_maker_small(m) : orc_maker_atom(m), 0);
    if (orc_maker_below(m, 6) == 0)
        e = orc_e(m->p, orc_maker_below(m, 2) ? ORC_AND : ORC_OR, e,
                  orc_e(m->p, cmp[orc_maker_below(m, 4)], orc_maker_atom(m), orc_maker_small(m), 0),
                  0);
    return e;
}

static int value(struct orc_maker *m)
{
    switch (orc_maker_below(m, 7)) {
    case 0:
        return orc_num(m->p, 1 + orc_maker_below(m, 2));
    case 1:
        return orc_maker_atom(m);
    case 2:
        return orc_e(m->p, ORC_ADD, orc_maker_atom(m), orc_maker_atom(m), 0);
    case 3:
        return orc_e(m->p, ORC_SUB, orc_maker_atom(m), orc_num(m->p, 1), 0);
    case 4:
        return orc_e(m->p, ORC_COND, condition(m), orc_maker_small(m), orc_maker_atom(m));
    default:
        return orc_e(m->p, ORC_ADD, orc_maker_atom(m), orc_num(m->p, 1), 0);
    }
}

static int make_write(struct orc_maker *m)
{
    int t = any_table(m), e = value(m);
    if (orc_maker_below(m, 3) == 0) { /* an increment, the commonest update there is */
        int f = orc_maker_below(m, m->p->tables[t].fields), index = orc_maker_index_of(m, t);
        e = orc_e(m->p, ORC_ADD, orc_e(m->p, ORC_CELL, t, index, f), orc_num(m->p, 1), 0);
        return orc_s(m->p, (struct orc_stmt){
                               .kind = ORC_WRITE, .table = t, .index = index, .field = f, .e = e});
    }
    return orc_s(m->p, (struct orc_stmt){.kind = ORC_WRITE,
                                         .table = t,
                                         .index = orc_maker_index_of(m, t),
                                         .field = orc_maker_below(m, m->p->tables[t].fields),
                                         .e = e});
}

/* if (0 <= r && r < 2) table[r] = value; */
static int make_indirect(struct orc_maker *m)
{
    int t = any_table(m), r = -1;
    for (int i = 0; i < ORC_REGS; i++)
        if (m->set >> i & 1)
            r = i;
    if (r < 0 || !m->p->tables[t].array)
        return make_write(m);
    int inside = orc_e(m->p, ORC_AND, orc_e(m->p, ORC_LE, orc_num(m->p, 0), orc_reg(m->p, r), 0),
                       orc_e(m->p, ORC_LT, orc_reg(m->p, r), orc_num(m->p, 2), 0), 0);
    int write = orc_s(m->p, (struct orc_stmt){.kind = ORC_WRITE,
                                              .table = t,
                                              .index = orc_reg(m->p, r),
                                              .field = orc_maker_below(m, m->p->tables[t].fields),
                                              .e = value(m)});
    return orc_if(m->p, inside, write, -1);
}

static int make_set(struct orc_maker *m)
{
    int r = orc_maker_below(m, 2),
        s = orc_set(m->p, r, orc_maker_below(m, 2) ? orc_maker_any_cell(m) : value(m));
    m->set |= 1u << r;
    return s;
}

/* ---- structs ---- */

/* A table of structs, with as many fields as asked (0: any number), and rows to choose from if
 * `rows`; or -1. */
static int struct_table(struct orc_maker *m, int fields, bool rows)
{
    int n = m->notes < 0 ? m->p->n_tables : m->notes, start = orc_maker_below(m, n);
    for (int i = 0; i < n; i++) {
        const struct orc_table *t = &m->p->tables[(start + i) % n];
        if (t->fields > 1 && (!fields || t->fields == fields) && (!rows || t->array))
            return (start + i) % n;
    }
    return -1;
}

/* s.f += s.g, p->f ^= …, the commonest of all being one that reads another field of the row. */
static int make_compound(struct orc_maker *m)
{
    static const enum orc_expr_kind ops[] = {ORC_ADD, ORC_SUB, ORC_XOR};
    int t = orc_maker_below(m, 4) ? struct_table(m, 0, false) : any_table(m),
        index = orc_maker_index_of(m, t);
    int fields = m->p->tables[t].fields, e = orc_maker_atom(m);
    if (orc_maker_below(m, 2))
        e = orc_e(m->p, ORC_CELL, t, index, orc_maker_below(m, fields));
    return orc_s(m->p, (struct orc_stmt){.kind = ORC_COMPOUND,
                                         .table = t,
                                         .index = index,
                                         .field = orc_maker_below(m, fields),
                                         .op = ops[orc_maker_below(m, 3)],
                                         .pointer = orc_maker_below(m, 3) == 0,
                                         .e = e});
}

static int make_wide(struct orc_maker *m)
{
    static const enum orc_stmt_kind kinds[] = {ORC_COMPOUND, ORC_TAKE, ORC_PUT, ORC_COPY};
    enum orc_stmt_kind kind = kinds[orc_maker_below(m, 4)];
    int t = struct_table(m, kind == ORC_COPY ? 0 : m->local, kind == ORC_COPY);
    if (kind == ORC_COMPOUND || t < 0 || (kind == ORC_PUT && !m->local))
        return make_compound(m);
    if (kind == ORC_TAKE)
        m->local = m->p->tables[t].fields;
    int to = orc_maker_index_of(m, t), from = orc_maker_index_of(m, t);
    return orc_s(m->p, (struct orc_stmt){.kind = kind, .table = t, .index = to, .from = from});
}

static int make_lock(struct orc_maker *m)
{
    int t = orc_maker_below(m, 2) ? 0 : any_table(m);
    return orc_s(m->p, (struct orc_stmt){
                           .kind = ORC_FOR_UPDATE, .table = t, .index = orc_maker_index_of(m, t)});
}

static int make_assume(struct orc_maker *m)
{
    return orc_s(m->p, (struct orc_stmt){.kind = ORC_ASSUME, .e = condition(m)});
}

/* ---- statements ---- */

static int make_if(struct orc_maker *m, int depth)
{
    int e = condition(m), yes, no = -1;
    uint32_t before = m->set;
    if (m->params->rollbacks && orc_maker_below(m, 6) == 0)
        yes = orc_s(m->p,
                    (struct orc_stmt){.kind = orc_maker_below(m, 3) ? ORC_ROLLBACK : ORC_RETURN});
    else
        yes = orc_maker_stmt(m, depth + 1);
    if (orc_maker_below(m, 3) == 0)
        no = orc_maker_stmt(m, depth + 1);
    m->set = before;
    return orc_if(m->p, e, yes, no);
}

int orc_maker_stmt(struct orc_maker *m, int depth)
{
    int kind = orc_maker_below(m, 12), t;
    if (m->params->wide && orc_maker_below(m, 2))
        return make_wide(m);
    if (m->params->checks && orc_maker_below(m, 6) == 0)
        return make_assume(m);
    if (kind < 3)
        return make_set(m);
    if (kind < 6 && depth < 2)
        return make_if(m, depth);
    if (kind == 6)
        return make_indirect(m);
    if (kind == 7 && m->params->for_update) {
        t = any_table(m);
        return orc_s(m->p, (struct orc_stmt){.kind = ORC_FOR_UPDATE,
                                             .table = t,
                                             .index = orc_maker_index_of(m, t)});
    }
    if (kind >= 8 && kind <= 9 && m->params->asserts)
        return orc_assert(m->p, condition(m));
    return make_write(m);
}

static void make_params(struct orc_maker *m, struct orc_ptxn *t)
{
    m->index_param = m->value_param = -1;
    if (!m->params->params)
        return;
    if (orc_maker_below(m, 3) == 0) {
        m->index_param = t->n_params++;
        t->n_choices[m->index_param] = 2;
        t->choices[m->index_param][1] = 1;
    }
    if (orc_maker_below(m, 3) == 0) {
        int v = m->value_param = t->n_params++;
        t->n_choices[v] = 1 + orc_maker_below(m, 2);
        t->choices[v][0] = orc_maker_below(m, 3);
        t->choices[v][1] = t->choices[v][0] + 1 + orc_maker_below(m, 2);
    }
}

/* note[t] = 3 * cell + cell: final states then tell what t saw. */
static int make_note(struct orc_maker *m, int t)
{
    int first = orc_maker_any_cell(m), second = orc_maker_any_cell(m);
    for (int i = 0; i < 3 && m->p->exprs[first].a == m->p->exprs[second].a; i++)
        second = orc_maker_any_cell(m);
    first = orc_e(m->p, ORC_MUL, orc_num(m->p, 3), first, 0);
    return orc_write(m->p, m->notes, t, 0, orc_e(m->p, ORC_ADD, first, second, 0));
}

/* The small transactions of which the named anomalies are made: a blind write, a reader that notes
 * what it saw, a check followed by a write of something else. */
static int make_role(struct orc_maker *m)
{
    int t = any_table(m), role = orc_maker_below(m, 3);
    if (role == 0 || (role == 1 && m->notes < 0))
        return orc_s(m->p, (struct orc_stmt){.kind = ORC_WRITE,
                                             .table = t,
                                             .index = orc_maker_index_of(m, t),
                                             .field = orc_maker_below(m, m->p->tables[t].fields),
                                             .e = orc_num(m->p, 1 + orc_maker_below(m, 2))});
    if (role == 1)
        return make_note(m, m->p->n_txns);
    int e = orc_e(m->p, orc_maker_below(m, 2) ? ORC_EQ : ORC_LT, orc_maker_any_cell(m),
                  orc_maker_small(m), 0);
    return orc_if(m->p, e, make_write(m), -1);
}

static void make_txn(struct orc_maker *m, int session)
{
    struct orc_ptxn head = {.session = session};
    int n = 1 + orc_maker_below(m, m->params->stmts), body = -1;
    bool role = orc_maker_below(m, 3) < 2;
    m->set = 0;
    m->local = 0;
    make_params(m, &head);
    if (m->params->rollbacks && orc_maker_below(m, 8) == 0)
        body = make_assume(m);
    if (m->params->locks && orc_maker_below(m, 2))
        body = orc_seq(m->p, body, make_lock(m));
    bool busy = m->params->servers && orc_maker_below(m, 4);
    if (busy)
        body = orc_seq(m->p, body, orc_maker_busy(m));
    else if (role)
        body = orc_seq(m->p, body, make_role(m));
    for (int i = 0; i < n && !role && !busy; i++)
        body = orc_seq(m->p, body, orc_maker_stmt(m, 0));
    if (m->notes >= 0 && !role && !busy && orc_maker_below(m, 3)) {
        int note = make_note(m, m->p->n_txns);
        body = orc_maker_below(m, 2) ? orc_seq(m->p, body, note) : orc_seq(m->p, note, body);
    }
    head.body = body;
    head.returns = m->params->results;
    if (head.returns)
        head.returned = orc_maker_below(m, 3) ? orc_maker_any_cell(m) : orc_maker_atom(m);
    m->p->txns[orc_txn(m->p, session, body)] = head;
}

/* Another call of an earlier transaction, or a new one; sometimes with the scenario's value. */
static void make_call(struct orc_maker *m, int session)
{
    int t = m->p->n_txns;
    if (m->params->repeats && t > 0 && orc_maker_below(m, 4) == 0) {
        int callee = orc_callee(m->p, orc_maker_below(m, t));
        orc_txn(m->p, session, m->p->txns[callee].body);
        m->p->txns[t] = m->p->txns[callee];
        m->p->txns[t].session = session;
        m->p->txns[t].same_as = callee + 1;
    } else {
        make_txn(m, session);
    }
    for (int i = 0; i < m->p->txns[t].n_params; i++)
        m->p->txns[t].shared[i] = m->params->repeats && orc_maker_below(m, 3) == 0;
}

static struct orc_outcome explore(const struct orc_prog *p, struct orc_run run)
{
    run.all = true;
    return orc_prog_axioms(p, &run);
}

static struct orc_outcome explore_model(const struct orc_prog *p, enum orc_level level)
{
    return explore(p, orc_run_uniform(level, true));
}

/* Does state agree with `like` on the cells of the set? */
static bool matches(const int *state, const int *like, uint32_t cells)
{
    for (int c = 0; c < ORC_CELLS; c++)
        if (cells >> c & 1 && state[c] != like[c])
            return false;
    return true;
}

static bool any_matches(const struct orc_prog *p, const struct orc_outcome *out, const int *like,
                        uint32_t cells)
{
    for (int i = 0; i < out->n_finals; i++)
        if (matches(out->finals[i], like, cells))
            return true;
    return matches(p->init, like, cells);
}

static int not_this_state(struct orc_maker *m, const int *like, uint32_t cells)
{
    int e = -1;
    for (int t = 0; t < m->p->n_tables; t++)
        for (int i = 0; i < m->p->tables[t].rows * m->p->tables[t].fields; i++) {
            int cell = m->p->tables[t].base + i, fields = m->p->tables[t].fields;
            if (!(cells >> cell & 1))
                continue;
            int is = orc_e(m->p, ORC_EQ, orc_cell(m->p, t, i / fields, i % fields),
                           orc_num(m->p, like[cell]), 0);
            e = e < 0 ? is : orc_e(m->p, ORC_AND, e, is, 0);
        }
    return orc_e(m->p, ORC_NOT, e, 0, 0);
}

/* A final state that the weaker model reaches and the stronger does not, or NULL. */
static const int *only_weaker(struct orc_maker *m, const struct orc_outcome *weak,
                              const struct orc_outcome *strong)
{
    int start = weak->n_finals ? orc_maker_below(m, weak->n_finals) : 0;
    for (int i = 0; i < weak->n_finals; i++) {
        const int *f = weak->finals[(start + i) % weak->n_finals];
        if (!any_matches(m->p, strong, f, (1u << m->p->n_cells) - 1))
            return f;
    }
    return NULL;
}

/* Forbids the state, looking at as few cells as will do. */
static void forbid(struct orc_maker *m, const int *state, const struct orc_outcome *strong)
{
    uint32_t cells = (1u << m->p->n_cells) - 1;
    for (int c = 0; c < m->p->n_cells; c++)
        if (!any_matches(m->p, strong, state, cells & ~(1u << c)))
            cells &= ~(1u << c);
    m->p->invariant = not_this_state(m, state, cells);
}

/* An invariant that tells two models apart: it forbids a final state that only the weaker one
 * reaches.  Pairs that few programs tell apart are tried first.  False if there is none. */
static bool make_telling(struct orc_maker *m)
{
    static const enum orc_level pairs[][2] = {
        {ORC_PSI, ORC_SI}, {ORC_CC, ORC_RCS}, {ORC_CC, ORC_PC}, {ORC_RA, ORC_CC}, {ORC_SI, ORC_SER},
        {ORC_RCS, ORC_PC}, {ORC_RC, ORC_RCS}, {ORC_RC, ORC_RA}, {ORC_PC, ORC_SI}, {ORC_CC, ORC_PSI},
    };
    struct orc_outcome out[ORC_LEVELS];
    const int *found = NULL;
    for (int l = 0; l < ORC_LEVELS; l++)
        out[l] = explore_model(m->p, (enum orc_level)l);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && !found; i++) {
        found = only_weaker(m, &out[pairs[i][0]], &out[pairs[i][1]]);
        if (found)
            forbid(m, found, &out[pairs[i][1]]);
    }
    for (int l = 0; l < ORC_LEVELS; l++)
        free(out[l].finals);
    return found != NULL;
}

/* A run at a level of a database, or of rcs or pc with rows of one field each: what the levels are
 * without locks. */
static struct orc_run server_run(int which)
{
    struct orc_run run = orc_run_uniform(which == ORC_SERVERS ? ORC_RCS : ORC_PC, true);
    run.by_field = true;
    return which < ORC_SERVERS ? orc_run_server((enum orc_server)which, true) : run;
}

/* The same for levels of databases.  They are no chain: some pairs go both ways. */
static bool make_telling_servers(struct orc_maker *m)
{
    enum { RCS = ORC_SERVERS, PC };
    static const int pairs[][2] = {
        {ORC_PG_RR, ORC_PG_RC}, {RCS, ORC_PG_RC},       {ORC_MY_RR, ORC_PG_RC}, {PC, ORC_MY_RR},
        {ORC_PG_RC, ORC_MY_RR}, {ORC_PG_RR, ORC_MY_RR}, {ORC_MY_RR, ORC_PG_RR}, {PC, ORC_PG_RR},
        {ORC_PG_RC, ORC_PG_RR}, {ORC_PG_RR, ORC_PG_SER}};
    int n = (int)(sizeof pairs / sizeof *pairs), start = orc_maker_below(m, n);
    bool found = false;
    for (int i = 0; i < n && !found; i++) {
        const int *pair = pairs[(start + i) % n];
        struct orc_outcome weak = explore(m->p, server_run(pair[0]));
        struct orc_outcome strong = explore(m->p, server_run(pair[1]));
        const int *state = only_weaker(m, &weak, &strong);
        found = state != NULL;
        if (found)
            forbid(m, state, &strong);
        free(weak.finals);
        free(strong.finals);
    }
    return found;
}

static bool holds_initially(const struct orc_prog *p)
{
    struct orc_prog empty = *p;
    empty.n_txns = 0;
    struct orc_outcome out = explore_model(&empty, ORC_SER);
    free(out.finals);
    return !out.initially_violated;
}

/* A CHECK, UNIQUE, EXCLUDE or REFERENCES of two cells. */
static int make_condition_on_cells(struct orc_maker *m)
{
    struct orc_prog *p = m->p;
    int a = orc_maker_any_cell(m), b = orc_maker_any_cell(m), zero = orc_num(p, 0);
    switch (orc_maker_below(m, 5)) {
    case 0:
        return orc_e(p, ORC_LE, a, orc_num(p, 1 + orc_maker_below(m, 2)), 0);
    case 1:
        return orc_e(p, ORC_OR, orc_e(p, ORC_EQ, a, zero, 0), orc_e(p, ORC_NE, a, b, 0), 0);
    case 2:
        return orc_e(p, ORC_OR, orc_e(p, ORC_EQ, a, zero, 0), orc_e(p, ORC_EQ, b, zero, 0), 0);
    case 3:
        return orc_e(p, ORC_OR, orc_e(p, ORC_EQ, a, zero, 0), orc_e(p, ORC_NE, b, zero, 0), 0);
    default:
        return condition(m);
    }
}

static void make_constraint(struct orc_maker *m)
{
    int e = make_condition_on_cells(m);
    m->p->invariant = e;
    if (!holds_initially(m->p))
        e = orc_e(m->p, ORC_NOT, e, 0, 0);
    m->p->invariant = -1;
    m->p->constraint = e + 1;
}

static void make_plain(struct orc_maker *m)
{
    int e = condition(m);
    if (orc_maker_below(m, 2))
        e = orc_e(m->p, ORC_OR, e, condition(m), 0);
    m->p->invariant = e;
    if (!holds_initially(m->p))
        m->p->invariant = orc_e(m->p, ORC_NOT, e, 0, 0);
}

static void make_txns(struct orc_maker *m)
{
    const struct orc_prog_params *params = m->params;
    int n = params->txns > 2 ? params->txns - orc_maker_below(m, 2) : params->txns;
    orc_prog_init(m->p);
    make_tables(m, n);
    for (int t = 0; t < n; t++)
        make_call(m, params->sessions ? orc_maker_below(m, params->sessions) : t);
    m->p->results = params->results;
    if (params->results)
        orc_calls_random(m->r, m->p);
    m->set = 0; /* no registers, structs and parameters in an invariant */
    m->local = 0;
    m->index_param = m->value_param = -1;
}

void orc_prog_random(struct orc_rng *r, const struct orc_prog_params *params, struct orc_prog *p)
{
    struct orc_maker m = {.r = r, .params = params, .p = p};
    int tries = orc_maker_below(&m, 5); /* to find a program that tells models apart */
    do {
        make_txns(&m);
        if (params->constraint)
            make_constraint(&m);
        if (tries > 0 && (params->servers ? make_telling_servers(&m) : make_telling(&m)))
            return;
    } while (--tries > 0);
    make_plain(&m);
}
