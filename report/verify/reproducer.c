/* Writing the reproducer: a fixed frame around one block per transaction.
 *
 * The program's own tables are the private copy of whoever is running.  Before a transaction they
 * are set to its snapshot, the initial state with the rows of those that it sees; after it the rows
 * that it wrote are merged into `cex_now`.  Whatever the run shows is compared with the execution
 * that visar found: if they differ, the program says so and exits 1, never 10.
 *
 * Models without a snapshot per transaction (rc, rcs) get one made of what each read saw; where one
 * thing is read twice with two values, the transaction runs step by step (reproducer_steps.c). */
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/verify/reproducer_internal.h"

/* ---- C text --------------------------------------------------------------------------------- */

void repro_string(struct writer *w, const char *s)
{
    fputc('"', w->out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(w->out, "\\%c", c);
        else if (c == '?') /* no trigraphs */
            fputs("\\?", w->out);
        else if (c < 0x20)
            fprintf(w->out, "\\%03o", c);
        else
            fputc(c, w->out);
    }
    fputc('"', w->out);
}

/* Inside a comment: one line, and nothing that ends it. */
static void put_comment(struct writer *w, const char *s)
{
    for (; *s; s++) {
        fputc((unsigned char)*s < 0x20 ? ' ' : *s, w->out);
        if (*s == '*' && s[1] == '/')
            fputc(' ', w->out);
    }
}

static void literal(struct strbuf *b, const struct ast_type *t, term_int v)
{
    if (t->is_bool) {
        sb_puts(b, v ? "true" : "false");
        return;
    }
    if (v == INT64_MIN)
        sb_puts(b, "(-INT64_MAX - 1)");
    else if (v == INT32_MIN)
        sb_puts(b, "(-INT32_MAX - 1)");
    else
        term_int_print(v, b);
    if (v > INT64_MAX)
        sb_puts(b, "ULL");
    else if (v != INT64_MIN && (v > INT32_MAX || v < INT32_MIN))
        sb_puts(b, "LL");
}

static const char *literal_text(struct writer *w, const struct ast_type *t, term_int v)
{
    struct strbuf b = {0};
    literal(&b, t, v);
    const char *text = arena_strdup(w->messages, sb_str(&b));
    sb_free(&b);
    return text;
}

const char *repro_place(struct writer *w, const struct exec_row *row, uint32_t field)
{
    return exec_row_text(w->messages, w->p, row->table, row->row, field);
}

/* CEX_SHOW(account[0].balance, 60): print it, and compare. */
static void show(struct writer *w, const struct exec_row *row, uint32_t field)
{
    fprintf(w->out, "    CEX_SHOW(%s, %s);\n", repro_place(w, row, field),
            literal_text(w, w->p->tables[row->table].fields[field].type, row->value[field]));
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* The scalars of a value of type t, in order, with braces. */
static void argument(struct strbuf *b, const struct ast_type *t, const struct exec_input **in)
{
    if (t->kind == AST_INT) {
        literal(b, t, (*in)++->value);
        return;
    }
    uint64_t n = t->kind == AST_ARRAY ? t->count : t->n_fields;
    for (uint64_t i = 0; i < n; i++) {
        sb_puts(b, i ? ", " : "{");
        argument(b, t->kind == AST_ARRAY ? t->elem : t->fields[i].type, in);
    }
    sb_putc(b, '}');
}

static const char *call_text(struct writer *w, const struct ast_func *f,
                             const struct exec_input *in, bool stepped)
{
    struct strbuf b = {0};
    sb_printf(&b, "%s%s(", stepped ? "cex_step_" : "", f->name);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const struct ast_type *type = f->params[i]->type;
        sb_puts(&b, i ? ", " : "");
        if (type->kind != AST_INT)
            sb_printf(&b, "(%s)", type->name);
        argument(&b, type, &in);
    }
    sb_putc(&b, ')');
    const char *text = arena_strdup(w->messages, sb_str(&b));
    sb_free(&b);
    return text;
}

/* ---- what cannot be shown this way ---------------------------------------------------------- */

/* Reading what was never written is undefined in C: no native run can be told the value. */
static const char *check_inputs(struct writer *w, const struct exec_txn *t)
{
    const struct sx_summary *s = sx_find_txn(w->p, t->func);
    for (size_t i = 0; s && i < t->n_inputs && i < s->n_inputs; i++)
        if (s->inputs[i].kind == SX_UNINIT && s->inputs[i].used && t->inputs[i].used)
            return arena_printf(w->messages, "%s depends on a value that C leaves open (%s)",
                                t->name, s->inputs[i].name);
    for (uint32_t i = 0; i < t->func->n_params; i++)
        if (strpbrk(t->func->params[i]->type->name, "(<"))
            return arena_printf(w->messages, "the type of %s's parameter %s has no name",
                                t->func->name, t->func->params[i]->name);
    return NULL;
}

/* Is one thing read twice, with two values? */
static bool reads_differ(struct writer *w, const struct exec_read *reads, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const struct exec_row *a = &reads[i].row, *b = &reads[j].row;
            if (a->table != b->table || a->row != b->row)
                continue;
            for (uint32_t f = 0; f < w->p->tables[a->table].n_fields; f++)
                if (a->known[f] && b->known[f] && a->value[f] != b->value[f])
                    return true;
        }
    return false;
}

static const char *check_steps(struct writer *w, uint32_t id, const struct ast_func *f,
                               uint32_t n_points, const struct exec_read *reads, size_t n)
{
    if (n_points < 2 || !reads_differ(w, reads, n))
        return NULL;
    w->stepped[id] = w->any_stepped = true;
    const char *error = steps_add(w, f);
    if (!error)
        return NULL;
    return arena_printf(w->messages,
                        "%s reads one thing twice with two values, and cannot be run step by step: "
                        "%s (visar replay shows it)",
                        f->name, error);
}

static const char *check_execution(struct writer *w)
{
    const struct execution *x = w->x;
    const struct exec_observer *o = &x->observer;
    const char *error = NULL;
    if (strpbrk(w->r->include, strchr(w->r->include, '"') ? ">\n" : "\n"))
        return "the source's name cannot stand in an #include";
    for (uint32_t i = 0; i < x->n_txns && !error; i++) {
        const struct exec_txn *t = &x->txns[i];
        error = check_inputs(w, t);
        if (!error)
            error = check_steps(w, i, t->func, t->n_points, t->reads, t->n_reads);
    }
    if (!error && o->present)
        error = check_steps(w, x->n_txns, o->func, o->n_points, o->reads, o->n_reads);
    return error;
}

/* ---- snapshots ------------------------------------------------------------------------------ */

static bool sees_all(const struct writer *w, const bool *visible, uint32_t position)
{
    for (uint32_t i = 0; i < position; i++)
        if (!visible[w->x->ar[i]] && w->x->txns[w->x->ar[i]].n_writes)
            return false;
    return true;
}

static bool sees_nothing(const struct writer *w, const bool *visible)
{
    for (uint32_t i = 0; i < w->x->n_txns; i++)
        if (visible[i] && w->x->txns[i].n_writes)
            return false;
    return true;
}

/* One visible set: the initial state, and over it the rows of everybody who is seen. */
static void put_snapshot(struct writer *w, const bool *visible, uint32_t position)
{
    const struct execution *x = w->x;
    bool nothing = sees_nothing(w, visible);
    if (!nothing && sees_all(w, visible, position)) {
        fputs("    cex_load(&cex_now); /* sees everything before it */\n", w->out);
        return;
    }
    fprintf(w->out, "    cex_load(&cex_initial);%s\n",
            nothing ? " /* sees the initial state */" : "");
    for (uint32_t i = 0; i < x->n_txns; i++) {
        const struct exec_txn *s = &x->txns[x->ar[i]];
        for (size_t k = 0; k < s->n_writes && visible[x->ar[i]]; k++) {
            const char *place = repro_place(w, &s->writes[k].row, UINT32_MAX);
            fprintf(w->out, "    %s = cex_after_%" PRIu32 ".%s; /* sees ", place, i + 1, place);
            put_comment(w, w->cex.names[x->ar[i]]);
            fputs(" */\n", w->out);
        }
    }
}

/* Several visible sets: what each read saw. */
static void put_reads(struct writer *w, const struct exec_read *reads, size_t n)
{
    fputs("    cex_load(&cex_initial);\n", w->out);
    for (size_t i = 0; i < n; i++) {
        const struct exec_row *row = &reads[i].row;
        if (reads[i].source == EXEC_INITIAL)
            continue;
        for (uint32_t f = 0; f < w->p->tables[row->table].n_fields; f++) {
            if (!row->known[f])
                continue;
            const char *place = repro_place(w, row, f);
            fprintf(w->out, "    %s = cex_after_%" PRIu32 ".%s; /* as ", place,
                    w->number[reads[i].source], place);
            put_comment(w, w->cex.names[reads[i].source]);
            fputs(" left it */\n", w->out);
        }
    }
}

/* ---- transactions --------------------------------------------------------------------------- */

/* By signed overflow, which rolls back here and is undefined in C: not run natively. */
static bool overflows(const struct writer *w, const struct exec_txn *t)
{
    const struct sx_summary *s = sx_find_txn(w->p, t->func);
    bool overflow = false;
    if (t->end != EXEC_ROLLED_BACK || !s)
        return false;
    for (size_t i = 0; i < s->n_points; i++) {
        const struct sx_point *p = &s->points[i];
        if (p->loc.file != t->end_loc.file || p->loc.line != t->end_loc.line ||
            p->loc.col != t->end_loc.col)
            continue;
        if (p->kind == SX_ROLLBACK)
            return false;
        overflow |= p->kind == SX_OVERFLOW;
    }
    return overflow;
}

static void put_nondets(struct writer *w, const struct exec_txn *t)
{
    struct strbuf b = {0};
    size_t n = 0;
    bool fresh = false;
    for (size_t i = 0; i < t->n_inputs; i++) {
        const struct exec_input *in = &t->inputs[i];
        const struct sx_summary *s = sx_find_txn(w->p, t->func);
        bool asked = !s || i >= s->n_inputs || s->inputs[i].kind == SX_NONDET ||
                     s->inputs[i].kind == SX_FRESH;
        if (in->param || !in->used || !asked)
            continue;
        sb_puts(&b, n++ ? ", " : "");
        fresh |= in->fresh;
        if (in->value > INT64_MAX)
            sb_puts(&b, "(long long)");
        literal(&b, in->type, in->value);
    }
    if (n)
        fprintf(w->out, "    CEX_GIVE(%s); /* what %s give */\n", sb_str(&b),
                fresh ? "nondet calls and fresh" : "nondet calls");
    sb_free(&b);
}

static void put_call(struct writer *w, const struct exec_txn *t)
{
    static const char *const ends[] = {"commits", "rolls back", "fails a check"};
    const char *call = call_text(w, t->func, t->inputs, w->stepped[t - w->x->txns]);
    if (overflows(w, t)) {
        fprintf(w->out, "    puts(\"    rolls back: signed overflow\");\n");
        return;
    }
    if (t->end == EXEC_CHECK_FAILED) {
        fputs("    puts(\"    next comes undefined behaviour: -fsanitize=undefined shows it, at ",
              w->out);
        fprintf(w->out, "line %" PRIu32 "\");\n", t->end_loc.line);
    }
    put_nondets(w, t);
    if (t->end == EXEC_COMMITTED && t->n_returned == 1 && t->func->result->kind == AST_INT)
        fprintf(w->out, "    CEX_RUN(CEX_SHOW(%s, %s));\n", call,
                literal_text(w, t->func->result, t->returned[0]));
    else
        fprintf(w->out, "    CEX_RUN(%s);\n", call);
    if (t->end == EXEC_CHECK_FAILED)
        fputs("    _Exit(10);\n", w->out);
    else
        fprintf(w->out, "    cex_ends(\"%s\");\n", ends[t->end]);
}

static void put_txn(struct writer *w, uint32_t i)
{
    uint32_t id = w->x->ar[i];
    const struct exec_txn *t = &w->x->txns[id];
    const char *number = arena_printf(w->messages, "%" PRIu32, i + 1);
    if (w->stepped[id])
        steps_put_reads(w, number, t->level, t->reads, t->n_reads);
    fprintf(w->out, "\nstatic void cex_run_%" PRIu32 "(void)\n{\n    puts(", i + 1);
    repro_string(w, arena_printf(w->messages, "%" PRIu32 ". %s", i + 1, w->cex.names[id]));
    fputs(");\n", w->out);
    if (t->n_points > 1)
        put_reads(w, t->reads, t->n_reads);
    else if (t->n_points == 1)
        put_snapshot(w, t->visible, i);
    if (w->stepped[id])
        fprintf(w->out, "    CEX_SAW(cex_reads_%s);\n", number);
    put_call(w, t);
    for (size_t k = 0; k < t->n_writes; k++) {
        const struct exec_row *row = &t->writes[k].row;
        for (uint32_t f = 0; f < w->p->tables[row->table].n_fields; f++)
            if (row->known[f] && t->writes[k].touched[f])
                show(w, row, f);
        const char *place = repro_place(w, row, UINT32_MAX);
        fprintf(w->out, "    cex_now.%s = %s;\n", place, place);
    }
    if (t->n_writes)
        fprintf(w->out, "    cex_save(&cex_after_%" PRIu32 ");\n", i + 1);
    fputs("}\n", w->out);
}

/* ---- the frame ------------------------------------------------------------------------------ */

static const char frame_head[] =
    "#include <setjmp.h>\n"
    "#include <signal.h>\n"
    "#include <stdbool.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "/* What the words of visar.h do here. */\n"
    "static jmp_buf cex_left;\n"
    "static const char *cex_end; /* how the running transaction ended */\n"
    "static bool cex_violated;\n"
    "static const long long *cex_given; /* what nondet calls give, in turn */\n"
    "static size_t cex_n_given;\n"
    "\n"
    "__attribute__((noreturn)) static void cex_differs(const char *what)\n"
    "{\n"
    "    printf(\"    this run is not the one that visar found: %s\\n\", what);\n"
    "    exit(1);\n"
    "}\n"
    "__attribute__((noreturn, unused)) static void cex_leave(const char *how)\n"
    "{\n"
    "    cex_end = how;\n"
    "    longjmp(cex_left, 1);\n"
    "}\n"
    "__attribute__((unused)) static void cex_assert(bool holds, const char *text, int line)\n"
    "{\n"
    "    if (holds)\n"
    "        return;\n"
    "    printf(\"    line %d: assertion failed: %s\\n\", line, text);\n"
    "    cex_violated = true;\n"
    "}\n"
    "__attribute__((unused)) static long long cex_next(void)\n"
    "{\n"
    "    if (cex_n_given == 0)\n"
    "        cex_differs(\"one more nondet call\");\n"
    "    cex_n_given--;\n"
    "    return *cex_given++;\n"
    "}\n"
    "__attribute__((unused)) static void cex_ends(const char *how)\n"
    "{\n"
    "    printf(\"    %s\\n\", cex_end);\n"
    "    if (strcmp(cex_end, how) != 0)\n"
    "        cex_differs(how);\n"
    "}\n"
    "__attribute__((unused)) static void cex_show(const char *what, bool same, bool negative,\n"
    "                                             unsigned long long v)\n"
    "{\n"
    "    if (negative)\n"
    "        printf(\"    %s = -%llu\\n\", what, 0 - v);\n"
    "    else\n"
    "        printf(\"    %s = %llu\\n\", what, v);\n"
    "    if (!same)\n"
    "        cex_differs(what);\n"
    "}\n"
    "#define CEX_SHOW(place, value) do { \\\n"
    "        __typeof__(+(place)) cex_seen = (place); \\\n"
    "        cex_show(#place, cex_seen == (__typeof__(cex_seen))(value), \\\n"
    "                 !(cex_seen > 0) && cex_seen, (unsigned long long)cex_seen); \\\n"
    "    } while (0)\n"
    "#define CEX_GIVE(...) \\\n"
    "    static const long long cex_list[] = {__VA_ARGS__}; \\\n"
    "    cex_given = cex_list, cex_n_given = sizeof cex_list / sizeof *cex_list\n"
    "#define CEX_RUN(call) \\\n"
    "    cex_end = \"commits\"; \\\n"
    "    if (setjmp(cex_left) == 0) \\\n"
    "    call\n"
    "\n"
    "#define VISAR_ASSERT(e) cex_assert(e, #e, __LINE__)\n"
    "#define VISAR_ASSUME(e) ((e) ? (void)0 : cex_leave(\"fails an assumption\"))\n"
    "#define VISAR_ROLLBACK() cex_leave(\"rolls back\")\n"
    "#define VISAR_NONDET(type) ((type)cex_next())\n"
    "#define VISAR_FRESH(table) ((int)cex_next())\n"
    "\n";

static void put_head(struct writer *w)
{
    fputs("/* A counterexample to ", w->out);
    put_comment(w, w->property->name);
    fputs(" of ", w->out);
    put_comment(w, w->r->include);
    fprintf(w->out, " under %s,\n * found by visar " VISAR_VERSION ".\n *\n *     ",
            w->x->model ? w->x->model->title : "mixed levels");
    put_comment(w, w->r->command);
    fputs("\n *\n * Each transaction runs on the snapshot that it saw, in the order in which they "
          "take effect.\n * The program exits with 10 if the violation shows. */\n",
          w->out);
    fputs(frame_head, w->out);
    if (w->p->options.rows)
        fprintf(w->out, "#ifndef ANY\n#define ANY %" PRIu64 "\n#endif\n", w->p->options.rows);
    /* The program may have a main of its own. */
    bool quoted = !strchr(w->r->include, '"');
    fprintf(w->out, "#define main cex_main_of_the_program\n#include %c%s%c\n#undef main\n\n",
            quoted ? '"' : '<', w->r->include, quoted ? '"' : '>');
}

static void put_database(struct writer *w)
{
    const struct ast_program *ast = w->r->ast;
    fputs("/* Copies of the database.  The program's own tables are the copy of whoever runs. */\n"
          "struct cex_database {\n",
          w->out);
    for (uint32_t i = 0; i < ast->n_tables; i++)
        fprintf(w->out, "    __typeof__(%s) %s;\n", ast->tables[i]->name, ast->tables[i]->name);
    fputs("};\nstatic struct cex_database cex_initial, cex_now;\n", w->out);
    for (uint32_t i = 0; i < w->x->n_txns; i++)
        if (w->x->txns[w->x->ar[i]].n_writes)
            fprintf(w->out, "static struct cex_database cex_after_%" PRIu32 ";\n", i + 1);
    fputs("\nstatic void cex_load(const struct cex_database *d)\n{\n", w->out);
    for (uint32_t i = 0; i < ast->n_tables; i++)
        fprintf(w->out, "    memcpy(&%s, &d->%s, sizeof %s);\n", ast->tables[i]->name,
                ast->tables[i]->name, ast->tables[i]->name);
    fputs("}\nstatic void cex_save(struct cex_database *d)\n{\n", w->out);
    for (uint32_t i = 0; i < ast->n_tables; i++)
        fprintf(w->out, "    memcpy(&d->%s, &%s, sizeof %s);\n", ast->tables[i]->name,
                ast->tables[i]->name, ast->tables[i]->name);
    fputs("}\n", w->out);
}

/* What differs from C's own initialisers. */
static void put_initial(struct writer *w)
{
    for (size_t i = 0; i < w->x->n_initial; i++) {
        const struct exec_row *row = &w->x->initial[i];
        const struct sx_table *t = &w->p->tables[row->table];
        for (uint32_t f = 0; f < t->n_fields; f++) {
            term_int c = t->init ? t->init[row->row * t->n_fields + f] : 0;
            if (row->known[f] && row->value[f] != c)
                fprintf(w->out, "    %s = %s;\n", repro_place(w, row, f),
                        literal_text(w, t->fields[f].type, row->value[f]));
        }
    }
    fputs("    cex_save(&cex_initial);\n    cex_now = cex_initial;\n", w->out);
}

static void put_observer(struct writer *w)
{
    const struct exec_observer *o = &w->x->observer;
    bool final = o->position == w->x->n_txns;
    for (uint32_t i = 0; i < o->n_points * w->x->n_txns; i++)
        final &= o->visible[i];
    fprintf(w->out, "    puts(\"%s\");\n", final ? "finally" : "what a reader may see");
    if (o->n_points > 1)
        put_reads(w, o->reads, o->n_reads);
    else if (o->n_points == 1)
        put_snapshot(w, o->visible, w->x->n_txns); /* everything has been run by now */
    for (size_t i = 0; i < o->n_reads && !w->stepped[w->x->n_txns]; i++)
        for (uint32_t f = 0; f < w->p->tables[o->reads[i].row.table].n_fields; f++)
            if (o->reads[i].row.known[f])
                show(w, &o->reads[i].row, f);
    if (w->stepped[w->x->n_txns])
        fputs("    CEX_SAW(cex_reads_observer);\n", w->out);
    const char *name = call_text(w, o->func, o->inputs, false);
    fprintf(w->out,
            "    if (%s)\n        cex_differs(\"%s is true\");\n"
            "    puts(\"    %s is false\");\n    return 10;\n",
            call_text(w, o->func, o->inputs, w->stepped[w->x->n_txns]), name, name);
}

static void put_end(struct writer *w)
{
    const struct verify_property *p = w->property;
    if (w->x->observer.present) {
        put_observer(w);
    } else if (p->kind == VERIFY_ASSERT && p->func && p->func->role == AST_SCENARIO) {
        fputs("    printf(\"with these results the scenario's assertion fails: %s\\n\", ", w->out);
        repro_string(w, p->name);
        fputs(");\n    return 10;\n", w->out);
    } else {
        fputs("    if (!cex_violated)\n        cex_differs(\"no assertion failed\");\n"
              "    return 10;\n",
              w->out);
    }
}

static void put_main(struct writer *w)
{
    bool trap = w->property->kind == VERIFY_DIVISION, abort = w->property->kind == VERIFY_ASSERT;
    if (trap || abort)
        fprintf(w->out,
                "\n/* %s */\nstatic void cex_trap(int signal_number)\n{\n    (void)signal_number;\n"
                "    _Exit(10);\n}\n",
                trap ? "A division by zero." : "An assertion of <assert.h>.");
    fputs("\nint main(void)\n{\n    setvbuf(stdout, NULL, _IONBF, 0);\n", w->out);
    if (trap || abort)
        fprintf(w->out, "    signal(%s, cex_trap);\n", trap ? "SIGFPE" : "SIGABRT");
    put_initial(w);
    for (uint32_t i = 0; i < w->x->n_txns; i++)
        fprintf(w->out, "    cex_run_%" PRIu32 "();\n", i + 1);
    put_end(w);
    fputs("}\n", w->out);
}

const char *report_reproducer(const struct reproducer *r, struct arena *messages, FILE *out)
{
    const struct execution *x = r->verdict->execution;
    struct writer w = {.r = r,
                       .x = x,
                       .p = x->program,
                       .property = &r->result->properties[r->verdict->property],
                       .messages = messages,
                       .out = out};
    cex_init(&w.cex, r->ast, r->files, x->program, x);
    w.number = arena_array(messages, uint32_t, x->n_txns + 1);
    w.stepped = arena_array(messages, bool, x->n_txns + 1);
    for (uint32_t i = 0; i < x->n_txns; i++)
        w.number[x->ar[i]] = i + 1;
    const char *error = check_execution(&w);
    if (!error) {
        put_head(&w);
        put_database(&w);
        if (w.any_stepped)
            steps_put_copies(&w);
        for (uint32_t i = 0; i < x->n_txns; i++)
            put_txn(&w, i);
        if (w.stepped[x->n_txns])
            steps_put_reads(&w, "observer", x->observer.level, x->observer.reads,
                            x->observer.n_reads);
        put_main(&w);
    }
    steps_free(&w.steps);
    cex_free(&w.cex);
    return error;
}
