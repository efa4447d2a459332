/* Confirming executions with the concrete interpreter.
 *
 * The interpreter knows the program's syntax tree and nothing of terms, formulas or models.  It
 * gets the inputs of every transaction and, for every read, the value that EXT gives for the
 * visible set in question; what it then does (how it ends, what it writes, which assertions fail)
 * must be what the execution says.  INITIAL and the scenario are run as well, and the predicate on
 * the state observed.  judge_execution.c looks at ar and vis. */
#include "encode/rerun.h"

#include <string.h>

#include "encode/judge_execution.h"
#include "symexec/context.h"
#include "symexec/interp.h"

struct replay {
    struct ast_program *ast;
    const struct execution *x;
    struct arena *messages;
    const char *error;
    bool whole;         /* all rows of large dimensions, not only those shown */
    const char *values; /* of the check that failed, or NULL */
    /* The run under way */
    uint32_t txn;        /* a transaction, or n_txns for the observer */
    const bool *visible; /* the observer's, or NULL */
    bool one_state;      /* `visible` is one set, of a predicate that is not the observer's */
    const struct exec_input *inputs;
    size_t n_inputs;
    /* INITIAL: writes so far */
    VEC(struct exec_row) state;
    /* The scenario, by transaction: the session that it was called in, from 1; 0: not yet */
    uint32_t *made;
};

static void fail(struct replay *r, const char *what, const char *who)
{
    if (!r->error)
        r->error = arena_printf(r->messages, "%s (%s)", what, who);
}

static const char *who(const struct replay *r)
{
    if (r->txn < r->x->n_txns)
        return r->x->txns[r->txn].name;
    return r->x->observer.present ? r->x->observer.func->name : "initial state";
}

static enum interp_database database_of(enum sx_reads reads)
{
    return reads == SX_READS_POSTGRESQL  ? INTERP_POSTGRESQL
           : reads == SX_READS_INNODB_RC ? INTERP_INNODB_RC
           : reads == SX_READS_INNODB_RR ? INTERP_INNODB_RR
                                         : INTERP_NO_DATABASE;
}

static struct interp_options options_for(const struct replay *r, bool ideal)
{
    const struct sx_options *o = &r->x->program->options;
    return (struct interp_options){.by_field = o->granularity == SX_FIELD,
                                   .database = ideal ? INTERP_NO_DATABASE : database_of(o->reads),
                                   .check_overflow = o->check_overflow,
                                   .ideal = ideal,
                                   .rows = o->rows,
                                   .shown = r->whole ? 0 : o->shown};
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The summaries' table and field for a scalar of a row of a variable. */
static uint32_t find_table(const struct replay *r, const struct ast_var *var, uint32_t cell,
                           uint32_t *field)
{
    const struct sx_program *p = r->x->program;
    bool by_field = p->options.granularity == SX_FIELD;
    for (uint32_t i = 0; i < p->n_tables; i++)
        if (p->tables[i].var == var && (!by_field || p->tables[i].first_cell == cell)) {
            *field = by_field ? 0 : cell;
            return i;
        }
    return UINT32_MAX;
}

/* Rows of large dimensions that are not shown are as the last one that is (alike.c). */
static uint64_t row_number(const struct replay *r, uint32_t table, const uint64_t *index)
{
    const struct sx_table *t = &r->x->program->tables[table];
    uint64_t n = 0;
    for (uint32_t d = 0; d < t->n_dims; d++)
        n = n * t->dims[d] + (index[d] < t->dims[d] ? index[d] : t->dims[d] - 1);
    return n;
}

/* One scalar that the interpreter wrote, in the summaries' terms. */
struct cell {
    uint32_t table, field;
    uint64_t row;
    ast_int value;
    uint32_t next; /* where to look for the next one of the same write */
};

/* The next scalar of a write; false: there is none. */
static bool next_cell(const struct replay *r, const struct interp_write *w, struct cell *c)
{
    const struct sx_program *p = r->x->program;
    for (;;) {
        uint32_t i = c->next++;
        c->table = find_table(r, w->row.table, i, &c->field);
        if (c->table == UINT32_MAX || c->field >= p->tables[c->table].n_fields)
            return false;
        if (p->options.granularity == SX_FIELD && !w->touched[i])
            continue;
        c->row = row_number(r, c->table, w->row.index);
        c->value = w->value[i];
        return true;
    }
}

static const struct exec_row *find_row(const struct exec_row *rows, size_t n, uint32_t table,
                                       uint64_t row)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].table == table && rows[i].row == row)
            return &rows[i];
    return NULL;
}

static const struct exec_row *written_row(const struct exec_txn *t, uint32_t table, uint64_t row)
{
    for (size_t i = 0; i < t->n_writes; i++)
        if (t->writes[i].row.table == table && t->writes[i].row.row == row)
            return &t->writes[i].row;
    return NULL;
}

/* EXT: from the last writer in ar that is visible. */
static const struct exec_row *visible_row(const struct replay *r, const bool *visible,
                                          uint32_t table, uint64_t row)
{
    const struct execution *x = r->x;
    for (uint32_t i = x->n_txns; i-- > 0;) {
        const struct exec_row *w = NULL;
        if (x->ar[i] != r->txn && visible[x->ar[i]])
            w = written_row(&x->txns[x->ar[i]], table, row);
        if (w)
            return w;
    }
    return find_row(x->initial, x->n_initial, table, row);
}

/* A read that the interpreter makes.  One expression may read several rows: a struct, where every
 * field is a row of its own. */
struct wanted {
    uint32_t table;
    uint64_t row, statement, read;
};

/* Which visible set: the last one, or that of the statement or read. */
static const bool *set_for(struct replay *r, const struct exec_read *reads, size_t n,
                           const bool *sets, uint32_t n_sets, const struct model *level,
                           const struct wanted *want)
{
    uint32_t point = n_sets - 1;
    bool newest = want->statement == SX_NEWEST_KEY;
    bool found = newest || !level || level->snapshot == SNAPSHOT_TRANSACTION;
    if (!newest && level && r->txn < r->x->n_txns)
        point = exec_views(&r->x->txns[r->txn]) - 1;
    for (size_t i = 0; i < n && !found; i++) {
        found = level->snapshot == SNAPSHOT_STATEMENT
                    ? reads[i].statement_key == want->statement
                    : reads[i].key == want->read && reads[i].row.table == want->table &&
                          reads[i].row.row == want->row;
        point = reads[i].point;
    }
    if (!found)
        fail(r, "a read that the execution does not know", who(r));
    return sets + (size_t)point * r->x->n_txns;
}

static ast_int read_cell(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                         uint64_t read)
{
    struct replay *r = arg;
    const struct execution *x = r->x;
    uint32_t field, table = find_table(r, row.table, cell, &field);
    uint64_t number = table == UINT32_MAX ? 0 : row_number(r, table, row.index);
    struct wanted want = {table, number, statement, read};
    const bool *set;
    if (r->txn < x->n_txns) {
        const struct exec_txn *t = &x->txns[r->txn];
        set = set_for(r, t->reads, t->n_reads, t->visible, t->n_points, t->level, &want);
    } else {
        const struct exec_observer *o = &x->observer;
        set = r->one_state ? r->visible
                           : set_for(r, o->reads, o->n_reads, r->visible,
                                     o->present ? o->n_points : 1, o->level, &want);
    }
    const struct exec_row *from = table == UINT32_MAX ? NULL : visible_row(r, set, table, number);
    if (!from) {
        fail(r, "a row is read that the execution does not mention", who(r));
        return 0;
    }
    return from->value[field];
}

/* Uninitialised locals that no term mentions may have any value. */
static ast_int give_input(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised)
{
    struct replay *r = arg;
    (void)type;
    for (size_t i = 0; i < r->n_inputs; i++)
        if (!r->inputs[i].param && r->inputs[i].key == key)
            return r->inputs[i].value;
    if (!uninitialised)
        fail(r, "a value is asked for that the execution does not know", who(r));
    return 0;
}

/* The row that a call of fresh gave, of the running transaction; NULL: it did not call. */
static const struct exec_fresh *find_fresh(const struct replay *r, uint64_t key)
{
    const struct exec_txn *t = r->txn < r->x->n_txns ? &r->x->txns[r->txn] : NULL;
    for (size_t i = 0; t && i < t->n_fresh; i++)
        if (t->fresh[i].key == key)
            return &t->fresh[i];
    return NULL;
}

static ast_int give_fresh(void *arg, struct interp_row leading, uint64_t key)
{
    struct replay *r = arg;
    const struct exec_fresh *f = find_fresh(r, key);
    const struct sx_table *t = f ? &r->x->program->tables[f->table] : NULL;
    if (!f || t->var != leading.table) {
        fail(r, "a fresh row is asked for that the execution does not know", who(r));
        return 0;
    }
    return (ast_int)(f->row % t->dims[t->n_dims - 1]);
}

/* ---- transactions -------------------------------------------------------------------------- */

static bool same_place(struct src_loc a, struct src_loc b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col;
}

static bool ends_alike(enum exec_end mine, enum interp_end theirs)
{
    switch (mine) {
    case EXEC_COMMITTED:
        return theirs == INTERP_COMMITTED;
    case EXEC_ROLLED_BACK:
        return theirs == INTERP_ROLLED_BACK;
    case EXEC_CHECK_FAILED:
        return theirs == INTERP_CHECK_FAILED;
    }
    return false;
}

/* The interpreter's writes are among ours, value by value, and ours are as many. */
static void compare_writes(struct replay *r, const struct exec_txn *t, const struct interp_run *run)
{
    size_t matched = 0;
    for (size_t i = 0; i < run->writes.len; i++) {
        const struct interp_write *w = &run->writes.data[i];
        const struct exec_row *last = NULL;
        for (struct cell c = {0}; next_cell(r, w, &c);) {
            const struct exec_row *mine = written_row(t, c.table, c.row);
            if (!mine || mine->value[c.field] != c.value) {
                fail(r, "a write is not as the interpreter has it", t->name);
                return;
            }
            matched += mine != last;
            last = mine;
        }
    }
    if (matched != t->n_writes)
        fail(r, "a write that the interpreter does not make", t->name);
}

/* ---- rows that are locked ------------------------------------------------------------------- */

/* Which visible set the interpreter's read was taken from; the newest is behind all views. */
static uint32_t view_of(const struct exec_txn *t, const struct interp_read *read)
{
    if (read->statement == SX_NEWEST_KEY)
        return EXEC_NO_VIEW;
    if (t->level->snapshot == SNAPSHOT_TRANSACTION)
        return exec_views(t) - 1;
    for (size_t i = 0; i < t->n_reads; i++)
        if (t->reads[i].statement_key == read->statement)
            return t->reads[i].point;
    return EXEC_NO_VIEW;
}

/* The first view that is looked at after the touch, or at a level with one snapshot the snapshot,
 * if nothing was asked for before the touch.  A later one would promise too little. */
static bool binds_enough(const struct exec_txn *t, const struct interp_run *run,
                         const struct interp_touch *mine, const struct exec_touch *touch)
{
    if (!model_has(t->level, AXIOM_LOCKORDER))
        return true; /* who wrote the row is in the base, or there is an error */
    if (t->level->snapshot == SNAPSHOT_TRANSACTION)
        return mine->selects > 0 ? touch->view == EXEC_NO_VIEW : touch->view < exec_views(t);
    for (size_t i = 0; i < run->reads.len; i++) {
        uint32_t view = view_of(t, &run->reads.data[i]);
        if (view == EXEC_NO_VIEW || run->reads.data[i].statement == mine->statement)
            continue; /* the statement reads in its view, whatever it locks on the way */
        if (i < mine->n_reads ? view >= touch->view : view < touch->view)
            return false;
    }
    return true;
}

/* The rows that the run locks are ours, from the same place on. */
static void compare_touches(struct replay *r, const struct exec_txn *t,
                            const struct interp_run *run)
{
    bool *matched = mem_calloc(t->n_touches + 1, sizeof *matched);
    size_t n = 0;
    for (size_t i = 0; i < run->touches.len && !r->error; i++) {
        const struct interp_touch *mine = &run->touches.data[i];
        uint32_t field, table = find_table(r, mine->row.table, 0, &field);
        uint64_t row = row_number(r, table, mine->row.index);
        bool found = false;
        for (size_t k = 0; k < t->n_touches; k++) {
            const struct exec_touch *touch = &t->touches[k];
            if (touch->table != table || touch->row != row || touch->mode != mine->mode ||
                !binds_enough(t, run, mine, touch))
                continue;
            n += !matched[k];
            found = matched[k] = true;
        }
        if (!found)
            fail(r, "a row is locked that the execution does not lock there", t->name);
    }
    if (n != t->n_touches)
        fail(r, "a row is not locked that the execution locks", t->name);
    mem_free(matched);
}

/* The calls of fresh are ours, and they are of these rows. */
static void compare_fresh(struct replay *r, const struct exec_txn *t, const struct interp_run *run)
{
    bool same = run->fresh.len == t->n_fresh;
    for (size_t i = 0; i < run->fresh.len && same; i++) {
        const struct exec_fresh *f = find_fresh(r, run->fresh.data[i].key);
        same = f && r->x->program->tables[f->table].var == run->fresh.data[i].row.table &&
               row_number(r, f->table, run->fresh.data[i].row.index) == f->row;
    }
    if (!same)
        fail(r, "the interpreter makes other calls of fresh", t->name);
}

static const char *int_text(struct replay *r, ast_int v)
{
    struct strbuf b = {0};
    exec_value_text(NULL, v, &b);
    const char *text = arena_strdup(r->messages, sb_str(&b));
    sb_free(&b);
    return text;
}

static void take_values(struct replay *r, const struct interp_run *run)
{
    const char *a = int_text(r, run->operand[0]), *b = int_text(r, run->operand[1]);
    if (run->kind == INTERP_BOUNDS)
        r->values = arena_printf(r->messages, "index %s, allowed 0..%s", a,
                                 int_text(r, run->operand[1] - 1));
    else if (run->kind == INTERP_DIVISION)
        r->values = arena_printf(r->messages, "%s divided by %s", a, b);
    else if (run->kind == INTERP_SHIFT)
        r->values = arena_printf(r->messages, "%s shifted by %s", a, b);
}

/* The property is a place, and the run violates it. */
static bool violates_place(struct replay *r, const struct interp_run *run,
                           const struct verify_property *p)
{
    if (p->kind == VERIFY_ASSERT)
        for (size_t i = 0; i < run->asserts.len; i++)
            if (!run->asserts.data[i].holds && same_place(run->asserts.data[i].expr->loc, p->loc))
                return true;
    if (p->kind <= VERIFY_ASSERT || run->end != INTERP_CHECK_FAILED ||
        !same_place(run->loc, p->loc))
        return false;
    take_values(r, run);
    return true;
}

/* An execution in which an assumption fails does not exist; one in which a built-in check fails
 * counts for such checks only. */
static void must_count(struct replay *r, const struct interp_run *run,
                       const struct verify_property *p, const char *name)
{
    if (run->end == INTERP_NOT_ASSUMED)
        fail(r, "an assumption does not hold", name);
    if (run->end == INTERP_CHECK_FAILED && p->kind <= VERIFY_ASSERT)
        fail(r, "a built-in check fails", name);
}

static bool run_txn(struct replay *r, uint32_t i, const struct verify_property *p)
{
    const struct exec_txn *t = &r->x->txns[i];
    struct interp_options options = options_for(r, false);
    struct interp_host host = {
        .arg = r, .read = read_cell, .nondet = give_input, .fresh = give_fresh};
    struct interp_run run = {0};
    ast_int *args = mem_calloc(t->n_inputs + 1, sizeof *args);
    size_t n = 0;
    for (size_t k = 0; k < t->n_inputs; k++)
        if (t->inputs[k].param)
            args[n++] = t->inputs[k].value;
    r->txn = i;
    r->inputs = t->inputs;
    r->n_inputs = t->n_inputs;
    interp_run(r->ast, t->func, args, &options, &host, &run);
    if (!ends_alike(t->end, run.end))
        fail(r, "it ends in another way", t->name);
    else if (t->end == EXEC_COMMITTED)
        compare_writes(r, t, &run);
    if (ends_alike(t->end, run.end))
        compare_fresh(r, t, &run);
    if (ends_alike(t->end, run.end) && model_is_server(t->level) && !r->whole)
        compare_touches(r, t, &run);
    must_count(r, &run, p, t->name);
    for (uint32_t k = 0; t->end == EXEC_COMMITTED && k < run.n_result && k < t->n_returned; k++)
        if (run.result[k] != t->returned[k])
            fail(r, "it returns another value", t->name);
    bool violates = violates_place(r, &run, p);
    interp_run_free(&run);
    mem_free(args);
    return violates;
}

/* ---- predicates ---------------------------------------------------------------------------- */

/* Runs a predicate on what the set shows: 1 true, 0 false, -1 a check failed at the place. */
static int run_predicate(struct replay *r, const struct ast_func *f, const ast_int *args,
                         const bool *visible, const struct verify_property *p)
{
    struct interp_options options = options_for(r, true);
    struct interp_host host = {.arg = r, .read = read_cell, .nondet = give_input};
    struct interp_run run = {0};
    r->txn = r->x->n_txns;
    r->visible = visible;
    r->inputs = NULL;
    r->n_inputs = 0;
    interp_run(r->ast, f, args, &options, &host, &run);
    int answer = run.end == INTERP_COMMITTED && run.n_result ? run.result[0] != 0 : -2;
    if (violates_place(r, &run, p))
        answer = -1;
    interp_run_free(&run);
    return answer;
}

/* ---- INITIAL ------------------------------------------------------------------------------- */

static ast_int read_before(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                           uint64_t read)
{
    struct replay *r = arg;
    (void)statement, (void)read;
    uint32_t field, table = find_table(r, row.table, cell, &field);
    if (table == UINT32_MAX)
        return 0;
    uint64_t number = row_number(r, table, row.index);
    const struct exec_row *w = find_row(r->state.data, r->state.len, table, number);
    const struct sx_table *t = &r->x->program->tables[table];
    if (w)
        return w->value[field];
    return t->init ? t->init[number * t->n_fields + field] : 0;
}

/* A row that is not shown, and not the one that stands for it. */
static bool is_hidden(const struct replay *r, const struct interp_write *w)
{
    uint32_t field, table = find_table(r, w->row.table, 0, &field);
    const struct sx_table *t = &r->x->program->tables[table];
    for (uint32_t d = 0; d < t->n_dims; d++)
        if (w->row.index[d] >= t->dims[d])
            return true;
    return false;
}

/* Puts the run's writes on top of the state. */
static void keep_writes(struct replay *r, const struct interp_run *run)
{
    for (size_t i = 0; i < run->writes.len; i++)
        for (struct cell c = {0}; next_cell(r, &run->writes.data[i], &c);) {
            const struct exec_row *old = find_row(r->state.data, r->state.len, c.table, c.row);
            if (!old) {
                uint32_t n = r->x->program->tables[c.table].n_fields;
                struct exec_row fresh = {c.table, c.row, arena_array(r->messages, term_int, n + 1),
                                         NULL};
                vec_push(&r->state, fresh);
                old = &vec_last(&r->state);
            } else if (r->whole && old->value[c.field] != c.value &&
                       is_hidden(r, &run->writes.data[i]))
                fail(r, "rows that are not shown differ", r->x->program->tables[c.table].name);
            ((term_int *)old->value)[c.field] = c.value;
        }
}

static bool run_initial(struct replay *r, const struct verify_property *p)
{
    bool violates = false;
    struct interp_options options = options_for(r, false);
    struct interp_host host = {.arg = r, .read = read_before, .nondet = give_input};
    r->txn = r->x->n_txns;
    r->inputs = r->x->inputs;
    r->n_inputs = r->x->n_initial_inputs;
    for (uint32_t i = 0; i < r->ast->n_funcs && !violates; i++) {
        if (r->ast->funcs[i]->role != AST_INITIAL)
            continue;
        struct interp_run run = {0};
        interp_run(r->ast, r->ast->funcs[i], NULL, &options, &host, &run);
        violates = violates_place(r, &run, p);
        if (run.end == INTERP_COMMITTED)
            keep_writes(r, &run);
        else if (!violates)
            fail(r, "it does not come to its end", r->ast->funcs[i]->name);
        interp_run_free(&run);
    }
    for (size_t i = 0; i < r->x->n_initial && !violates; i++) {
        const struct exec_row *row = &r->x->initial[i];
        const struct sx_table *t = &r->x->program->tables[row->table];
        const struct exec_row *mine = find_row(r->state.data, r->state.len, row->table, row->row);
        for (uint32_t f = 0; f < t->n_fields; f++) {
            term_int before = t->init ? t->init[row->row * t->n_fields + f] : 0;
            if (row->value[f] != (mine ? mine->value[f] : before))
                fail(r, "the initial state is another", t->name);
        }
    }
    return violates;
}

/* Values of a parameter to try: all of an index; of a type its ends, what the initial state has or
 * a transaction writes, and the values next to those. */
typedef VEC(ast_int) value_list;

static void add_value(value_list *v, const struct ast_type *type, ast_int value)
{
    for (size_t i = 0; i < v->len; i++)
        if (v->data[i] == value)
            return;
    if (value >= ast_int_min(type) && value <= ast_int_max(type))
        vec_push(v, value);
}

static void add_values_of_row(const struct replay *r, const struct exec_row *row,
                              const struct ast_type *type, value_list *v)
{
    for (uint32_t f = 0; f < r->x->program->tables[row->table].n_fields; f++)
        for (int next = -1; next <= 1; next++)
            add_value(v, type, row->value[f] + next);
}

static void values_of(const struct replay *r, const struct ast_var *param, value_list *v)
{
    const struct sx_options *o = &r->x->program->options;
    uint64_t n = param->ranges == AST_ANY_ROWS                    ? o->rows
                 : o->shown && sx_is_large(r->ast, param->ranges) ? o->shown + 1
                                                                  : param->ranges;
    for (uint64_t i = 0; i < n; i++)
        vec_push(v, (ast_int)i);
    if (n)
        return;
    add_value(v, param->type, ast_int_min(param->type));
    add_value(v, param->type, ast_int_max(param->type));
    for (size_t i = 0; i < r->x->n_initial; i++)
        add_values_of_row(r, &r->x->initial[i], param->type, v);
    for (uint32_t t = 0; t < r->x->n_txns; t++)
        for (size_t i = 0; i < r->x->txns[t].n_writes; i++)
            add_values_of_row(r, &r->x->txns[t].writes[i].row, param->type, v);
}

/* The predicate in the state of a set of transactions, for the values of its first n parameters
 * given, and any of the others. */
static bool holds_for_all(struct replay *r, const struct ast_func *f, ast_int *args, uint32_t n,
                          const bool *set, const struct verify_property *p)
{
    if (n == f->n_params) {
        r->one_state = true;
        bool holds = run_predicate(r, f, args, set, p) == 1;
        r->one_state = false;
        return holds;
    }
    value_list values = {0};
    bool holds = true;
    values_of(r, f->params[n], &values);
    for (size_t i = 0; i < values.len && holds; i++) {
        args[n] = values.data[i];
        holds = holds_for_all(r, f, args, n + 1, set, p);
    }
    vec_free(&values);
    return holds;
}

/* The state of the set satisfies all predicates of the role. */
static void check_state(struct replay *r, enum ast_role role, const bool *set, const char *what,
                        const struct verify_property *p)
{
    for (uint32_t i = 0; i < r->ast->n_funcs; i++) {
        const struct ast_func *f = r->ast->funcs[i];
        ast_int *args = mem_calloc(f->n_params + 1, sizeof *args);
        if (f->role == role && !holds_for_all(r, f, args, 0, set, p))
            fail(r, what, f->name);
        mem_free(args);
    }
}

/* Any state will do that satisfies the invariants. */
static void check_any_state(struct replay *r, const struct verify_property *p)
{
    bool *nothing = mem_calloc(r->x->n_txns + 1, sizeof *nothing);
    check_state(r, AST_INVARIANT, nothing, "the initial state does not satisfy the invariant", p);
    mem_free(nothing);
}

/* Every state after some of the transactions, in the order of ar, satisfies the constraints. */
static void check_constraints(struct replay *r, const struct verify_property *p)
{
    const struct execution *x = r->x;
    bool *set = mem_calloc(x->n_txns + 1, sizeof *set);
    check_state(r, AST_CONSTRAINT, set, "the initial state violates the constraint", p);
    for (uint32_t i = 0; i < x->n_txns; i++) {
        set[x->ar[i]] = true;
        check_state(r, AST_CONSTRAINT, set, "a transaction makes the constraint false", p);
    }
    mem_free(set);
}

/* ---- scenarios ----------------------------------------------------------------------------- */

static bool same_session(const struct exec_txn *a, const struct exec_txn *b)
{
    return a->session == b->session;
}

/* The interpreter numbers sessions as they come, the execution as they stand in the program: two
 * calls are in one session for both or for neither. */
static void compare_sessions(struct replay *r, uint32_t i, uint32_t session)
{
    for (uint32_t k = 0; k < r->x->n_txns; k++)
        if (r->made[k] && same_session(&r->x->txns[i], &r->x->txns[k]) != (r->made[k] == session))
            fail(r, "the scenario calls in another session", r->x->txns[i].name);
}

static void take_call(void *arg, const struct ast_func *f, const ast_int *args, uint32_t session,
                      uint64_t key, ast_int *result)
{
    struct replay *r = arg;
    uint32_t i = 0;
    while (i < r->x->n_txns && (r->x->txns[i].call_key != key || r->made[i]))
        i++;
    if (i == r->x->n_txns || r->x->txns[i].func != f) {
        fail(r, "the scenario makes another call", f->name);
        return;
    }
    const struct exec_txn *t = &r->x->txns[i];
    compare_sessions(r, i, session + 1);
    r->made[i] = session + 1;
    for (size_t k = 0, n = 0; k < t->n_inputs; k++)
        if (t->inputs[k].param && args[n++] != t->inputs[k].value)
            fail(r, "the scenario passes other arguments", f->name);
    for (uint32_t k = 0; k < t->n_returned; k++)
        result[k] = t->returned[k];
}

/* Behind a check that fails, calls may have been made that are concurrent with what it looked at;
 * else the scenario makes them all. */
static void all_made(struct replay *r, const struct interp_run *run)
{
    bool stopped = run->end == INTERP_CHECK_FAILED || run->end == INTERP_ROLLED_BACK;
    for (uint32_t i = 0; i < r->x->n_txns && !stopped; i++)
        if (!r->made[i])
            fail(r, "the scenario makes fewer calls", r->x->scenario->func->name);
}

static bool run_scenario(struct replay *r, const struct verify_property *p)
{
    struct interp_options options = options_for(r, false);
    struct interp_host host = {
        .arg = r, .read = read_before, .nondet = give_input, .call = take_call};
    struct interp_run run = {0};
    r->txn = r->x->n_txns;
    r->inputs = r->x->inputs + r->x->n_initial_inputs;
    r->n_inputs = r->x->n_inputs - r->x->n_initial_inputs;
    r->made = mem_calloc(r->x->n_txns + 1, sizeof *r->made);
    interp_run(r->ast, r->x->scenario->func, NULL, &options, &host, &run);
    bool violates = violates_place(r, &run, p);
    all_made(r, &run);
    mem_free(r->made);
    if (run.end == INTERP_TOO_LONG)
        fail(r, "the scenario does not come to its end", r->x->scenario->func->name);
    must_count(r, &run, p, r->x->scenario->func->name);
    interp_run_free(&run);
    return violates;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int observe(struct replay *r, const struct verify_property *p)
{
    const struct exec_observer *o = &r->x->observer;
    ast_int *args = mem_calloc(o->n_inputs + 1, sizeof *args);
    for (size_t i = 0; i < o->n_inputs; i++)
        args[i] = o->inputs[i].value;
    int answer = run_predicate(r, o->func, args, o->visible, p);
    mem_free(args);
    return answer;
}

/* True if the property is violated in one of the runs. */
static bool run_all(struct replay *r, const struct verify_property *property)
{
    const struct execution *x = r->x;
    bool violated = false;
    if (!x->any_state)
        violated |= run_initial(r, property);
    else
        check_any_state(r, property);
    if (!violated) /* else INITIAL does not come to its end */
        check_constraints(r, property);
    if (x->scenario)
        violated |= run_scenario(r, property);
    for (uint32_t i = 0; i < x->n_txns; i++)
        violated |= run_txn(r, i, property);
    if (x->observer.present && x->observer.func) {
        int answer = observe(r, property);
        violated |= property->kind <= VERIFY_FINAL ? answer == 0 : answer == -1;
    }
    vec_free(&r->state);
    return violated;
}

/* Large dimensions up to that size are also run whole: so it is seen that their rows are alike. */
#define WHOLE_MAX 10000

static uint64_t largest(const struct ast_program *ast)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < ast->n_large; i++)
        most = ast->large[i] > most ? ast->large[i] : most;
    return most;
}

const char *replay_confirm(struct ast_program *ast, const struct execution *x,
                           const struct verify_property *property, struct arena *messages)
{
    struct replay r = {.ast = ast, .x = x, .messages = messages, .txn = UINT32_MAX};
    bool violated = run_all(&r, property);
    if (!r.error && x->program->options.shown && largest(ast) <= WHOLE_MAX) {
        r.whole = true;
        violated &= run_all(&r, property);
    }
    violated |= property->kind == VERIFY_SERIALIZABLE; /* the history engine judges that */
    if (!r.error)
        r.error = judge_execution(x);
    if (!r.error && !violated)
        r.error = "the interpreter does not see the property violated";
    return r.error;
}

const char *replay_values(struct ast_program *ast, const struct execution *x,
                          const struct verify_property *property, struct arena *a)
{
    struct replay r = {.ast = ast, .x = x, .messages = a, .txn = UINT32_MAX};
    run_all(&r, property);
    return r.values;
}
