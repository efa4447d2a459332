/* The verdict on a replay: the program is run again by the interpreter, on what PostgreSQL answered
 * and nothing else.
 *
 * Every transaction gets its arguments from the counterexample and the rows that its own SELECTs
 * brought; it must end as it did and write what was sent.  So the statements that were issued are
 * those of the program, and whatever then fails fails by the database's own answers: an assertion
 * or a check inside a transaction, an assertion of the scenario on what the transactions return, or
 * the predicate on the rows that the observer read. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "database/program.h"
#include "database/replay.h"
#include "database/replay_cells.h"
#include "database/statements.h"

/* What the program, run again by the interpreter on the values that were read, makes of a replay.
 */
struct judgement {
    struct replay *r;
    const struct plan *p;
    struct ast_program *ast;
    struct strbuf path;
    const char *trouble; /* why there is no verdict: the first reason */
    bool differs;        /* the program does not do what the counterexample says */
    bool violated;
    /* The run under way: */
    uint32_t txn;
    const plan_inputs *inputs;
    uint32_t next;            /* scenario: the next transaction to be called */
    const ast_int **returned; /* by transaction, what it returned: its scalars */
    uint32_t *n_returned;
};

static void trouble(struct judgement *c, const char *what, const char *of)
{
    if (!c->trouble)
        c->trouble = arena_printf(&c->r->arena, "%s %s", of, what);
}

static void differs(struct judgement *c, const char *what, const char *of)
{
    c->differs = true;
    trouble(c, what, of);
}

/* ---- what a run asks for -------------------------------------------------------------------- */

/* Is this the read that the interpreter means?  With one snapshot for the transaction they all
 * are, but for those of the newest version. */
static bool is_read(const struct plan_read *r, const struct model *level, uint64_t statement,
                    uint64_t read)
{
    if (r->newest || (model_is_server(level) && statement == SX_NEWEST_KEY))
        return r->newest && statement == SX_NEWEST_KEY;
    return !r->keyed || level->snapshot == SNAPSHOT_TRANSACTION ||
           (level->snapshot == SNAPSHOT_STATEMENT ? r->statement_key == statement : r->key == read);
}

static ast_int read_answer(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                           uint64_t read)
{
    struct judgement *c = arg;
    const struct plan_txn *t = &c->p->txns.data[c->txn];
    const char *name = cells_name(row, cell, &c->path), *value = NULL;
    for (size_t i = 0; i < t->reads.len && name && !value; i++)
        if (is_read(&t->reads.data[i], t->level, statement, read) && c->r->seen[c->txn][i].value)
            value = cells_find(c->p, &c->r->seen[c->txn][i], name);
    if (!value)
        trouble(c, arena_printf(&c->r->arena, "looks at %s, which the replay did not read", name),
                t->name);
    return value ? program_parse(value) : 0;
}

/* Nothing in a scenario reads the database. */
static ast_int read_nothing(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                            uint64_t read)
{
    (void)arg, (void)row, (void)cell, (void)statement, (void)read;
    return 0;
}

/* The last of that key: INITIAL's inputs come before the scenario's. */
static ast_int give_input(void *arg, const struct ast_type *type, uint64_t key, bool uninitialised)
{
    struct judgement *c = arg;
    (void)type;
    for (size_t i = c->inputs->len; i-- > 0;)
        if (!c->inputs->data[i].parameter && c->inputs->data[i].key == key)
            return program_parse(c->inputs->data[i].value);
    if (!uninitialised) /* one that nothing depends on has any value */
        differs(c, "asks for a value that the counterexample does not have", "the program");
    return 0;
}

/* The index that the counterexample has: it is what the rows were named by. */
static ast_int give_fresh(void *arg, struct interp_row leading, uint64_t key)
{
    (void)leading;
    return give_input(arg, NULL, key, false);
}

/* ---- transactions --------------------------------------------------------------------------- */

static struct interp_options options_for(const struct judgement *c, bool ideal)
{
    bool database = c->p->by_statements && !ideal;
    return (struct interp_options){.by_field = c->p->by_field,
                                   .database = database ? INTERP_POSTGRESQL : INTERP_NO_DATABASE,
                                   .check_overflow = !strcmp(c->p->property_kind, "overflow check"),
                                   .ideal = ideal,
                                   .rows = c->p->any_rows,
                                   .shown = c->p->shown};
}

static bool is_place(const struct judgement *c, struct src_loc loc)
{
    return c->p->line && loc.line == c->p->line && loc.col == c->p->column;
}

/* An assertion or a built-in check at the property's place fails. */
static bool fails_there(const struct judgement *c, const struct interp_run *run)
{
    bool assertion = !strcmp(c->p->property_kind, "assertion");
    for (size_t i = 0; i < run->asserts.len && assertion; i++)
        if (!run->asserts.data[i].holds && is_place(c, run->asserts.data[i].expr->loc))
            return true;
    return !assertion && run->end == INTERP_CHECK_FAILED && is_place(c, run->loc);
}

static bool ends_alike(const char *mine, const struct interp_run *run)
{
    switch (run->end) {
    case INTERP_COMMITTED:
        return !strcmp(mine, "committed");
    case INTERP_ROLLED_BACK:
        return !strcmp(mine, "rolled back") ||
               (run->kind == INTERP_OVERFLOW && !strcmp(mine, "check failed"));
    case INTERP_CHECK_FAILED:
        return !strcmp(mine, "check failed");
    case INTERP_NOT_ASSUMED: /* such an execution does not exist */
    case INTERP_TOO_LONG:
        break;
    }
    return false;
}

/* A row that the interpreter writes is one that was sent, with these values. */
static bool was_sent(struct judgement *c, const struct plan_txn *t, const struct interp_write *w,
                     bool *sent)
{
    const char *name;
    for (uint32_t cell = 0; (name = cells_name(w->row, cell, &c->path)); cell++) {
        const char *value = NULL;
        if (c->p->by_field && !w->touched[cell])
            continue;
        for (size_t i = 0; i < t->writes.len && !value; i++) {
            value = cells_find(c->p, &t->writes.data[i], name);
            sent[i] |= value != NULL;
        }
        if (value ? program_parse(value) != w->value[cell] : w->touched[cell])
            return false;
    }
    return true;
}

static void compare_writes(struct judgement *c, const struct plan_txn *t,
                           const struct interp_run *run)
{
    bool *sent = mem_calloc(t->writes.len + 1, sizeof *sent), same = true;
    for (size_t i = 0; i < run->writes.len && same; i++)
        same = was_sent(c, t, &run->writes.data[i], sent);
    for (size_t i = 0; i < t->writes.len; i++)
        same &= sent[i];
    if (!same)
        differs(c, "writes something else, run on what the server answered", t->name);
    mem_free(sent);
}

/* Results of a transaction that did not commit may be anything: those of the counterexample. */
static void keep_result(struct judgement *c, const struct plan_txn *t, const struct interp_run *run)
{
    bool own = run->end == INTERP_COMMITTED && run->n_result;
    uint32_t n = own ? run->n_result : (uint32_t)t->returned.len;
    ast_int *result = arena_array(&c->r->arena, ast_int, n + 1);
    for (uint32_t i = 0; i < n; i++)
        result[i] = own ? run->result[i] : program_parse(t->returned.data[i]);
    c->returned[c->txn] = result;
    c->n_returned[c->txn] = n;
}

typedef ast_int reader(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                       uint64_t read);

/* Runs a transaction on what the reader says.  False: it is not one of the program. */
static bool run_function(struct judgement *c, uint32_t id, reader *read, struct interp_run *run)
{
    const struct plan_txn *t = &c->p->txns.data[id];
    const struct ast_func *f = t->function ? ast_find_func(c->ast, t->function) : NULL;
    struct interp_host host = {.arg = c, .read = read, .nondet = give_input, .fresh = give_fresh};
    struct interp_options options = options_for(c, false);
    if (!f || f->role != AST_TRANSACTION) {
        differs(c, "is not a transaction of the program", t->name);
        return false;
    }
    size_t n = 0, wanted = 0;
    ast_int *args = arena_array(&c->r->arena, ast_int, t->inputs.len + 1);
    for (size_t i = 0; i < t->inputs.len; i++)
        if (t->inputs.data[i].parameter)
            args[n++] = program_parse(t->inputs.data[i].value);
    for (uint32_t i = 0; i < f->n_params; i++)
        wanted += program_scalars(f->params[i]->type);
    if (n != wanted) {
        differs(c, "has other parameters in the program", t->name);
        return false;
    }
    c->txn = id;
    c->inputs = &t->inputs;
    interp_run(c->ast, f, args, &options, &host, run);
    return true;
}

static void run_txn(struct judgement *c, uint32_t id)
{
    const struct plan_txn *t = &c->p->txns.data[id];
    struct interp_run run;
    if (!run_function(c, id, read_answer, &run))
        return;
    if (!ends_alike(t->end_text, &run))
        differs(c, "ends in another way, run on what the server answered", t->name);
    else if (run.end == INTERP_COMMITTED)
        compare_writes(c, t, &run);
    keep_result(c, t, &run);
    c->violated |= fails_there(c, &run);
    interp_run_free(&run);
}

/* ---- the scenario and the observer ---------------------------------------------------------- */

static void take_call(void *arg, const struct ast_func *f, const ast_int *args, uint32_t session,
                      uint64_t key, ast_int *result)
{
    struct judgement *c = arg;
    uint32_t id = c->next++;
    (void)session, (void)key;
    if (id >= c->p->txns.len - c->p->has_observer || !c->p->txns.data[id].function ||
        strcmp(c->p->txns.data[id].function, f->name) != 0) {
        differs(c, "makes other calls", c->p->scenario);
        return;
    }
    const plan_inputs *in = &c->p->txns.data[id].inputs;
    for (size_t i = 0, n = 0; i < in->len; i++)
        if (in->data[i].parameter && args[n++] != program_parse(in->data[i].value))
            differs(c, "passes other arguments", c->p->scenario);
    for (uint32_t i = 0; i < c->n_returned[id]; i++)
        result[i] = c->returned[id][i];
}

static void run_scenario(struct judgement *c)
{
    const struct ast_func *f = ast_find_func(c->ast, c->p->scenario);
    struct interp_host host = {
        .arg = c, .read = read_nothing, .nondet = give_input, .call = take_call};
    struct interp_options options = options_for(c, false);
    struct interp_run run;
    if (!f || f->role != AST_SCENARIO) {
        differs(c, "is not a scenario of the program", c->p->scenario);
        return;
    }
    c->inputs = &c->p->inputs;
    interp_run(c->ast, f, NULL, &options, &host, &run);
    c->violated |= fails_there(c, &run);
    if (c->next != c->p->txns.len - c->p->has_observer && !c->violated)
        differs(c, "makes fewer calls", c->p->scenario);
    interp_run_free(&run);
}

static void run_observer(struct judgement *c)
{
    const struct ast_func *f = ast_find_func(c->ast, c->p->property);
    struct interp_host host = {.arg = c, .read = read_answer, .nondet = give_input};
    struct interp_options options = options_for(c, true);
    struct interp_run run;
    if (!f || (f->role != AST_INVARIANT && f->role != AST_FINAL)) {
        differs(c, "is not a predicate of the program", c->p->property);
        return;
    }
    c->txn = (uint32_t)c->p->txns.len - 1;
    c->inputs = &c->p->txns.data[c->txn].inputs;
    ast_int *args = arena_array(&c->r->arena, ast_int, f->n_params + 1);
    for (size_t i = 0; i < f->n_params && c->inputs->len == f->n_params; i++)
        args[i] = program_parse(c->inputs->data[i].value);
    if (c->inputs->len != f->n_params) {
        differs(c, "has other parameters in the program", c->p->property);
        return;
    }
    interp_run(c->ast, f, args, &options, &host, &run);
    if (run.end == INTERP_COMMITTED && run.n_result)
        c->violated |= !run.result[0];
    else
        trouble(c, "does not come to its end", c->p->property);
    interp_run_free(&run);
}

/* ---- the program's statements ---------------------------------------------------------------- */

/* What the execution says that the transaction sees. */
static ast_int read_planned(void *arg, struct interp_row row, uint32_t cell, uint64_t statement,
                            uint64_t read)
{
    struct judgement *c = arg;
    const struct plan_txn *t = &c->p->txns.data[c->txn];
    const char *name = cells_name(row, cell, &c->path), *value = NULL;
    uint32_t number, column, base;
    (void)read;
    if (name && cells_place(c->p, name, &number, &column) && statements_base(t, statement, &base)) {
        uint32_t source = statements_source(c->p, number, base);
        value = statements_version(c->p, number, source)->value[column];
    }
    if (!value)
        differs(c,
                arena_printf(&c->r->arena, "looks at %s, which the counterexample does not", name),
                t->name);
    return value ? program_parse(value) : 0;
}

const char *pgreplay_statements(struct replay *r, struct plan *p, struct ast_program *ast)
{
    struct judgement c = {.r = r, .p = p, .ast = ast};
    uint32_t n = (uint32_t)p->txns.len - p->has_observer;
    for (uint32_t i = 0; i < n && !c.trouble; i++) {
        struct interp_run run;
        if (!run_function(&c, i, read_planned, &run))
            break;
        if (!c.trouble && !ends_alike(p->txns.data[i].end_text, &run))
            differs(&c, "ends in another way, run on the counterexample", p->txns.data[i].name);
        if (!c.trouble)
            c.trouble = statements_of_run(p, i, &run);
        interp_run_free(&run);
    }
    if (p->has_observer && !c.trouble)
        statements_of_observer(&vec_last(&p->txns));
    sb_free(&c.path);
    return c.trouble;
}

/* ---- all of it ------------------------------------------------------------------------------ */

enum replay_judgement pgreplay_judge(struct replay *r, const struct plan *p,
                                     struct ast_program *ast)
{
    struct judgement c = {.r = r, .p = p, .ast = ast};
    uint32_t n = (uint32_t)p->txns.len - p->has_observer;
    bool predicate =
        !strcmp(p->property_kind, "invariant") || !strcmp(p->property_kind, "final predicate");
    if (!r->seen)
        return REPLAY_NOT_JUDGED;
    c.returned = arena_array(&r->arena, const ast_int *, p->txns.len + 1);
    c.n_returned = arena_array(&r->arena, uint32_t, p->txns.len + 1);
    for (uint32_t i = 0; i < n && !c.trouble; i++)
        run_txn(&c, i);
    if (p->scenario && !c.trouble)
        run_scenario(&c);
    if (predicate && p->has_observer && !c.trouble)
        run_observer(&c);
    sb_free(&c.path);
    r->not_judged = c.trouble;
    return c.differs    ? REPLAY_DIFFERS
           : c.trouble  ? REPLAY_NOT_JUDGED
           : c.violated ? REPLAY_FAILS
                        : REPLAY_HOLDS;
}
