/* States of a program: what a set of transactions shows, predicates on it, and the initial state of
 * a size. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/prog_machine.h"

/* ---- states ---- */

static const struct orc_table *table_of(const struct orc_prog *p, int cell)
{
    int t = 0;
    while (t + 1 < p->n_tables && p->tables[t + 1].base <= cell)
        t++;
    return &p->tables[t];
}

void orc_machine_init(struct orc_machine *m, const struct orc_prog *p, const struct orc_run *run)
{
    memset(m, 0, sizeof *m);
    m->p = p;
    m->run = run;
    m->rules = run->rules;
    m->n_txns = p->n_txns;
    for (int c = 0; c < p->n_cells; c++) {
        const struct orc_table *t = table_of(p, c);
        m->unit[c] = run->by_field ? c : c - (c - t->base) % t->fields;
    }
}

void orc_machine_show(const struct orc_machine *m, uint32_t v, int state[ORC_CELLS])
{
    memset(state, 0, ORC_CELLS * sizeof *state);
    if (m->store == &orc_server_store) { /* all that are placed */
        memcpy(state, m->server.state[m->x.n_placed], ORC_CELLS * sizeof *state);
        return;
    }
    for (int c = 0; c < m->p->n_cells; c++) {
        int writer = orc_ext_writer(&m->x, v, m->unit[c]);
        state[c] = writer < 0 ? m->p->init[c] : m->value[writer][c];
    }
}

/* A machine whose transaction owns every row. */
static void own_all(struct orc_machine *eye, const struct orc_machine *m, const int *state)
{
    memset(eye, 0, sizeof *eye);
    eye->p = m->p;
    eye->run = m->run;
    memcpy(eye->unit, m->unit, sizeof eye->unit);
    eye->written = ~0u;
    memcpy(eye->own, state, sizeof eye->own);
}

long orc_machine_on_state(const struct orc_machine *m, const int state[ORC_CELLS], int e)
{
    struct orc_machine eye;
    own_all(&eye, m, state);
    return orc_machine_eval(&eye, e);
}

/* The values that a parameter which is only compared has to try. */
static void find_range(const struct orc_machine *m, const int *state, int *low, int *high)
{
    *low = 0;
    *high = m->p->size;
    for (int c = 0; c < m->p->n_cells; c++) {
        *low = state[c] < *low ? state[c] : *low;
        *high = state[c] > *high ? state[c] : *high;
    }
    for (int e = 0; e < m->p->n_exprs; e++)
        if (m->p->exprs[e].kind == ORC_CONST) {
            *low = m->p->exprs[e].a < *low ? m->p->exprs[e].a : *low;
            *high = m->p->exprs[e].a > *high ? m->p->exprs[e].a : *high;
        }
    --*low;
    ++*high;
}

/* For every value of the parameters from this one on; all are tried, since any may leave a table.
 */
static bool pred_holds(struct orc_machine *eye, const struct orc_pred *q, int param, int low,
                       int high)
{
    if (param < ORC_PARAMS && param < q->n_params) {
        int from = q->is_index[param] ? 0 : low;
        int to = q->is_index[param] ? orc_extent(eye->p, q->dim[param]) - 1 : high;
        bool holds = true;
        for (int v = from; v <= to; v++) {
            eye->params[param] = v;
            holds &= pred_holds(eye, q, param + 1, low, high);
        }
        return holds;
    }
    memset(eye->regs, 0, sizeof eye->regs);
    eye->state = ORC_RUNNING;
    orc_machine_run(eye, q->body);
    if (eye->state == ORC_RUNNING)
        eye->given = orc_machine_eval(eye, q->e);
    return eye->given != 0;
}

uint32_t orc_machine_preds(const struct orc_machine *m, const int state[ORC_CELLS], bool *left)
{
    struct orc_machine eye;
    uint32_t bad = 0;
    int low, high;
    own_all(&eye, m, state);
    find_range(m, state, &low, &high);
    for (int i = 0; i < m->p->n_preds; i++)
        if (!pred_holds(&eye, &m->p->preds[i], 0, low, high))
            bad |= 1u << i;
    *left |= eye.out_of_bounds;
    return bad;
}

/* ---- sizes ---- */

static void lay_out(struct orc_prog *p, int size)
{
    p->n_cells = 0;
    for (int i = 0; i < p->n_tables; i++) {
        struct orc_table *t = &p->tables[i];
        t->rows = 1;
        for (int d = 0; d < t->n_dims; d++)
            t->rows *= t->dim[d] ? t->dim[d] : size;
        t->base = p->n_cells;
        p->n_cells += t->rows * t->fields;
    }
    if (p->n_cells > ORC_CELLS)
        abort();
}

/* The values of the parameters that are indices. */
static void give_values(struct orc_ptxn *t, int size)
{
    for (int i = 0; i < t->n_params; i++) {
        int n = t->dim[i] ? t->dim[i] : size;
        if (!t->is_index[i])
            continue;
        if (n > ORC_CHOICES)
            abort();
        t->n_choices[i] = n;
        for (int k = 0; k < n; k++)
            t->choices[i][k] = k;
    }
}

bool orc_prog_sized(const struct orc_prog *p, int size, struct orc_prog *sized)
{
    struct orc_machine m;
    struct orc_run run = orc_run_uniform(ORC_SER, false);
    int zero[ORC_CELLS] = {0};
    *sized = *p;
    sized->size = size;
    lay_out(sized, size);
    for (int t = 0; t < sized->n_txns; t++)
        give_values(&sized->txns[t], size);
    if (!p->has_initial)
        return true;
    struct orc_machine base;
    orc_machine_init(&base, sized, &run);
    own_all(&m, &base, zero);
    orc_machine_run(&m, p->initial);
    memcpy(sized->init, m.own, sizeof sized->init);
    return !m.out_of_bounds;
}
