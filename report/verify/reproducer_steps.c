/* Reading one thing twice with two values, natively.
 *
 * Under rc and rcs another transaction may commit between two reads, and no run on one copy of the
 * database shows that.  So such a transaction is written out once more, with every function that
 * it calls: its own text, line by line (#line), but each place that reads or writes the database
 * goes through CEX_READ or CEX_WRITE, and each statement tells when it begins.  So it is known
 * which read of the execution this is, by the place in the text (rcs: by the statement) and the
 * address, and it is given what it saw; what the transaction has written itself it finds in the
 * program's tables, as ever.
 *
 * A fold is one statement and one read: it begins before its `for`, and all its reads belong to it.
 *
 * A read gets a copy of its own: operands may be evaluated in any order, and the value of one must
 * not be there yet, or gone, when the other is looked at. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/verify/reproducer_internal.h"

void steps_free(struct steps *s)
{
    vec_free(&s->sites);
    vec_free(&s->statements);
    vec_free(&s->folds);
    vec_free(&s->copies);
}

/* ---- the text of a function ----------------------------------------------------------------- */

struct text {
    const char *data;
    uint32_t size;
};

static struct text text_of(const struct writer *w, uint32_t file)
{
    const struct ast_program *ast = w->r->ast;
    if (file >= ast->n_texts || !ast->texts[file])
        return (struct text){"", 0};
    return (struct text){ast->texts[file], ast->text_sizes[file]};
}

static uint32_t skip_quoted(struct text t, uint32_t i)
{
    char quote = t.data[i++];
    while (i < t.size && t.data[i] != quote && t.data[i] != '\n')
        i += t.data[i] == '\\' ? 2 : 1;
    return i + 1;
}

/* To the end of the line, the next one too if a backslash ends it. */
static uint32_t skip_line(struct text t, uint32_t i)
{
    while (i < t.size && t.data[i] != '\n')
        i += t.data[i] == '\\' && i + 1 < t.size ? 2 : 1;
    return i;
}

static uint32_t skip_comment(struct text t, uint32_t i)
{
    for (i += 2; i + 1 < t.size; i++)
        if (t.data[i] == '*' && t.data[i + 1] == '/')
            return i + 2;
    return t.size;
}

/* The next place at or after i that is neither blank, comment nor directive. */
static uint32_t next_token(struct text t, uint32_t i, bool *line_start)
{
    while (i < t.size) {
        char c = t.data[i], d = i + 1 < t.size ? t.data[i + 1] : 0;
        if (c == '\n')
            *line_start = true, i++;
        else if (isspace((unsigned char)c))
            i++;
        else if (c == '/' && d == '*')
            i = skip_comment(t, i);
        else if ((c == '/' && d == '/') || (c == '#' && *line_start))
            i = skip_line(t, i);
        else
            break;
    }
    return i;
}

static uint32_t offset_of(struct text t, struct src_loc loc)
{
    uint32_t i = 0;
    for (uint32_t line = 1; line < loc.line && i < t.size; i++)
        line += t.data[i] == '\n';
    return i + loc.col - 1;
}

static uint32_t line_of(struct text t, uint32_t at)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < at && i < t.size; i++)
        line += t.data[i] == '\n';
    return line;
}

/* The declaration around `name`: from its first token to its closing brace. */
static bool find_extent(struct text t, uint32_t name, struct step_copy *c)
{
    uint32_t depth = 0;
    bool line_start = true, fresh = true;
    c->body = 0;
    for (uint32_t i = 0; (i = next_token(t, i, &line_start)) < t.size; line_start = false) {
        char ch = t.data[i];
        if (fresh)
            c->start = i;
        fresh = false;
        if (ch == '"' || ch == '\'') {
            i = skip_quoted(t, i);
            continue;
        }
        if (ch == '{' && depth++ == 0 && i > name)
            c->body = i;
        if (ch == '}' && (depth == 0 || --depth == 0) && c->start <= name && c->body) {
            c->end = i + 1;
            return true;
        }
        fresh = depth == 0 && (ch == ';' || ch == '}');
        i++;
    }
    return false;
}

/* ---- sites ---------------------------------------------------------------------------------- */

/* The variable that a place is part of, or the pointer behind it. */
static const struct ast_expr *root_of(const struct ast_expr *e)
{
    while (e->kind == AST_INDEX || e->kind == AST_FIELD)
        e = e->a;
    return e;
}

struct walk {
    struct writer *w;
    const struct ast_func *func;
    size_t statement; /* where we are */
    size_t fold;      /* the outermost fold around it, as a statement, or 0 */
    bool has_sites;   /* something was found, here or in a function that is called */
    const char *error;
};

static void refuse(struct walk *k, const char *what, const char *name)
{
    if (!k->error)
        k->error = arena_printf(k->w->messages, "%s %s", k->func->name,
                                arena_printf(k->w->messages, what, name));
}

static void add_site(struct walk *k, const struct ast_expr *place, bool write)
{
    const struct ast_expr *root = root_of(place);
    struct text t = text_of(k->w, place->loc.file);
    if (root->kind == AST_VAR && root->var->kind != AST_VAR_DATABASE)
        return;
    bool plain = place->end > place->begin && place->end <= t.size &&
                 place->loc.file == k->func->loc.file && root->end > root->begin;
    if (plain && root->kind == AST_VAR)
        plain = root->end - root->begin == strlen(root->var->name) &&
                !memcmp(t.data + root->begin, root->var->name, root->end - root->begin);
    if (!plain)
        refuse(k, "reads or writes %s in a macro",
               root->kind == AST_VAR ? root->var->name : "a row");
    const struct ast_expr *full =
        k->statement ? k->w->steps.statements.data[k->statement - 1] : NULL;
    if (!full || full->kind == AST_INIT || full->end <= full->begin || full->end > t.size ||
        full->begin > place->begin || full->end < place->end)
        refuse(k,
               "reads %s where a statement cannot be told from others (an initialiser in braces, "
               "a macro)",
               root->kind == AST_VAR ? root->var->name : "a row");
    k->has_sites = true;
    vec_push(&k->w->steps.sites,
             ((struct step_site){place, write, k->fold ? k->fold : k->statement, k->fold != 0}));
}

static const char *add_function(struct writer *w, const struct ast_func *f);

static void walk_call(struct walk *k, const struct ast_func *callee)
{
    k->error = add_function(k->w, callee);
    for (size_t i = 0; i < k->w->steps.copies.len && !k->error; i++) {
        const struct step_copy *c = &k->w->steps.copies.data[i];
        if (c->func != callee || !c->has_sites)
            continue;
        k->has_sites = true;
        if (k->fold)
            refuse(k, "calls %s, which reads or writes the database, in a loop over a table",
                   callee->name);
    }
}

static void walk_expr(struct walk *k, const struct ast_expr *e)
{
    if (!e || k->error)
        return;
    if (e->full) {
        vec_push(&k->w->steps.statements, e);
        k->statement = k->w->steps.statements.len;
    }
    if (e->kind == AST_LOAD)
        add_site(k, e->a, false);
    if (e->kind == AST_ASSIGN || e->kind == AST_COMPOUND || e->kind == AST_INCDEC)
        add_site(k, e->a, true);
    walk_expr(k, e->a);
    walk_expr(k, e->b);
    walk_expr(k, e->c);
    for (uint64_t i = 0; i < e->n_args; i++)
        walk_expr(k, e->args[i]);
    if (e->kind == AST_CALL && !k->error)
        walk_call(k, e->callee);
}

static void begin_fold(struct walk *k, const struct ast_stmt *s)
{
    struct text t = text_of(k->w, s->loc.file);
    uint32_t at = offset_of(t, s->loc);
    if (s->loc.file != k->func->loc.file || at + 3 > t.size || memcmp(t.data + at, "for", 3) != 0)
        refuse(k, "has a loop over a table in a macro%s", "");
    vec_push(&k->w->steps.statements, NULL);
    k->fold = k->w->steps.statements.len;
    vec_push(&k->w->steps.folds, ((struct step_fold){k->func, at, k->fold}));
}

static void walk_stmt(struct walk *k, const struct ast_stmt *s)
{
    if (!s || k->error)
        return;
    size_t around = k->fold;
    if (s->fold && !s->fold->refuted && !around)
        begin_fold(k, s);
    walk_expr(k, s->expr);
    walk_expr(k, s->step);
    walk_stmt(k, s->init);
    walk_stmt(k, s->body);
    walk_stmt(k, s->other);
    for (uint32_t i = 0; i < s->n_items; i++)
        walk_stmt(k, s->items[i]);
    k->fold = around;
}

/* Its name will be a macro while it is copied. */
static bool is_field_name(const struct ast_program *ast, const char *name)
{
    for (uint32_t i = 0; i < ast->n_types; i++)
        for (uint32_t f = 0; f < ast->types[i]->n_fields; f++)
            if (!strcmp(ast->types[i]->fields[f].name, name))
                return true;
    return false;
}

static const char *add_function(struct writer *w, const struct ast_func *f)
{
    struct text t = text_of(w, f->loc.file);
    struct walk k = {.w = w, .func = f};
    struct step_copy copy = {.func = f};
    for (size_t i = 0; i < w->steps.copies.len; i++)
        if (w->steps.copies.data[i].func == f)
            return NULL;
    uint32_t name = offset_of(t, f->loc);
    bool found = name + strlen(f->name) <= t.size &&
                 !strncmp(t.data + name, f->name, strlen(f->name)) && find_extent(t, name, &copy);
    if (!found || is_field_name(w->r->ast, f->name))
        refuse(&k, "is declared in a way that cannot be copied%s", "");
    size_t place = w->steps.copies.len;
    vec_push(&w->steps.copies, copy);
    walk_stmt(&k, f->body);
    w->steps.copies.data[place].has_sites = k.has_sites;
    return k.error;
}

const char *steps_add(struct writer *w, const struct ast_func *f)
{
    return add_function(w, f);
}

/* ---- copies --------------------------------------------------------------------------------- */

static const char steps_frame[] =
    "\n"
    "/* Reads that see different states: each is given what it saw. */\n"
    "struct cex_seen {\n"
    "    int site, statement;  /* which read: CEX_READ(site, …), or all of a CEX_STATEMENT */\n"
    "    void *row;            /* of the program's tables, */\n"
    "    size_t row_size;\n"
    "    void *cell;           /* what was read of it, */\n"
    "    const void *as;       /* and where what it saw is */\n"
    "    size_t size;\n"
    "    unsigned long turn;   /* when it was used; 0: not yet */\n"
    "    bool own;             /* the row has been written since */\n"
    "};\n"
    "struct cex_copy {\n"
    "    struct cex_copy *next;\n"
    "    union { long long align; char bytes[1]; } data;\n"
    "};\n"
    "static struct cex_seen *cex_seen; /* of the running transaction, in order */\n"
    "static size_t cex_n_seen;\n"
    "static unsigned long cex_turns;\n"
    "static struct cex_copy *cex_copies;\n"
    "\n"
    "__attribute__((unused)) static void cex_begin(int statement)\n"
    "{\n"
    "    cex_turn_of[statement] = ++cex_turns;\n"
    "}\n"
    "/* Is it what this read is to see now?  The reads of a statement share what they see. */\n"
    "static bool cex_is_next(const struct cex_seen *s, int site, unsigned long *turn)\n"
    "{\n"
    "    int statement = cex_statement_of[site];\n"
    "    *turn = s->statement ? cex_turn_of[statement] : cex_turns;\n"
    "    if (s->statement ? s->statement != statement || s->own : s->site != site)\n"
    "        return false;\n"
    "    for (const struct cex_seen *t = cex_seen; t < s; t++)\n"
    "        if (t->site == s->site && t->statement == s->statement && t->cell == s->cell &&\n"
    "            (!t->turn || t->turn == *turn))\n"
    "            return false;\n"
    "    return !s->turn || (s->statement && s->turn == *turn);\n"
    "}\n"
    "static bool cex_inside(const void *p, const void *of, size_t size)\n"
    "{\n"
    "    return (const char *)p >= (const char *)of && (const char *)p < (const char *)of + size;\n"
    "}\n"
    "__attribute__((unused)) static void *cex_read(int site, const void *at, size_t size)\n"
    "{\n"
    "    unsigned long turn;\n"
    "    struct cex_copy *c = malloc(sizeof *c + size);\n"
    "    if (!c)\n"
    "        cex_differs(\"out of memory\");\n"
    "    c->next = cex_copies;\n"
    "    cex_copies = c;\n"
    "    memcpy(c->data.bytes, at, size);\n"
    "    cex_turns++;\n"
    "    for (struct cex_seen *s = cex_seen; s < cex_seen + cex_n_seen; s++)\n"
    "        if (cex_inside(s->cell, at, size) && cex_is_next(s, site, &turn)) {\n"
    "            memcpy(c->data.bytes + ((char *)s->cell - (const char *)at), s->as, s->size);\n"
    "            s->turn = turn;\n"
    "        }\n"
    "    return c->data.bytes;\n"
    "}\n"
    "/* What a write reads first, or keeps of its row, is as it saw that. */\n"
    "__attribute__((unused)) static void *cex_write(int site, void *at)\n"
    "{\n"
    "    unsigned long turn;\n"
    "    cex_turns++;\n"
    "    for (struct cex_seen *s = cex_seen; s < cex_seen + cex_n_seen; s++)\n"
    "        if (cex_inside(at, s->row, s->row_size) && cex_is_next(s, site, &turn)) {\n"
    "            memcpy(s->cell, s->as, s->size);\n"
    "            s->turn = turn;\n"
    "        }\n"
    "    for (struct cex_seen *s = cex_seen; s < cex_seen + cex_n_seen; s++)\n"
    "        s->own |= cex_inside(at, s->row, s->row_size);\n"
    "    return at;\n"
    "}\n"
    "#define CEX_READ(site, ...) \\\n"
    "    (*(__typeof__(__VA_ARGS__) *)cex_read(site, &(__VA_ARGS__), sizeof(__VA_ARGS__)))\n"
    "#define CEX_WRITE(site, ...) (*(__typeof__(__VA_ARGS__) *)cex_write(site, &(__VA_ARGS__)))\n"
    "#define CEX_STATEMENT(statement, ...) (cex_begin(statement), __VA_ARGS__)\n"
    "#define CEX_FOLD(statement) \\\n"
    "    for (int cex_once = (cex_begin(statement), 1); cex_once; cex_once = 0)\n"
    "#define CEX_SAW(list) \\\n"
    "    (cex_seen = list, cex_n_seen = sizeof list / sizeof *list - 1)\n"
    "#undef assert\n"
    "#define assert(...) cex_assert(__VA_ARGS__, #__VA_ARGS__, __LINE__)\n";

/* Which statement each site belongs to, and when each statement last began. */
static void put_tables(struct writer *w)
{
    const struct steps *s = &w->steps;
    fprintf(w->out, "\nstatic unsigned long cex_turn_of[%zu];\n", s->statements.len + 1);
    fputs("static const int cex_statement_of[] = {0", w->out);
    for (size_t i = 0; i < s->sites.len; i++)
        fprintf(w->out, ", %zu", s->sites.data[i].statement);
    fputs("};\n", w->out);
}

static bool has_sites(const struct steps *s, size_t statement)
{
    for (size_t i = 0; i < s->sites.len; i++)
        if (s->sites.data[i].statement == statement)
            return true;
    return false;
}

static bool is_in(const struct ast_expr *e, const struct step_copy *c)
{
    return e->loc.file == c->func->loc.file && e->begin >= c->body && e->end <= c->end;
}

/* What begins (ends) at a place of the text: the outermost first. */
static void put_marks(struct writer *w, const struct step_copy *c, uint32_t at, bool ends)
{
    const struct steps *s = &w->steps;
    for (size_t i = 0; i < s->statements.len; i++) {
        const struct ast_expr *e = s->statements.data[i];
        if (!e || !is_in(e, c) || (ends ? e->end : e->begin) != at || !has_sites(s, i + 1))
            continue;
        if (ends)
            fputc(')', w->out);
        else
            fprintf(w->out, "CEX_STATEMENT(%zu, ", i + 1);
    }
    for (size_t i = 0; i < s->sites.len; i++) {
        const struct ast_expr *e = s->sites.data[i].place;
        if (!is_in(e, c) || (ends ? e->end : e->begin) != at)
            continue;
        if (ends)
            fputc(')', w->out);
        else
            fprintf(w->out, "%s(%zu, ", s->sites.data[i].write ? "CEX_WRITE" : "CEX_READ", i + 1);
    }
}

static void put_folds(struct writer *w, const struct step_copy *c, uint32_t at)
{
    for (size_t i = 0; i < w->steps.folds.len; i++) {
        const struct step_fold *f = &w->steps.folds.data[i];
        if (f->func == c->func && f->begin == at && has_sites(&w->steps, f->statement))
            fprintf(w->out, "CEX_FOLD(%zu) ", f->statement);
    }
}

static void put_body(struct writer *w, struct text t, const struct step_copy *c)
{
    for (uint32_t at = c->body; at < c->end; at++) {
        put_marks(w, c, at, true);
        put_folds(w, c, at);
        put_marks(w, c, at, false);
        fputc(t.data[at], w->out);
    }
}

static void put_line_directive(struct writer *w, const struct step_copy *c, uint32_t at)
{
    struct text t = text_of(w, c->func->loc.file);
    fprintf(w->out, "#line %" PRIu32 " ", line_of(t, at));
    repro_string(w, c->func->loc.file == w->r->ast->main_file
                        ? w->r->include
                        : diag_file_name(w->r->files, c->func->loc.file));
    fputc('\n', w->out);
}

void steps_put_copies(struct writer *w)
{
    const struct steps *s = &w->steps;
    put_tables(w);
    fputs(steps_frame, w->out);
    for (size_t i = 0; i < s->copies.len; i++)
        fprintf(w->out, "#define %s cex_step_%s\n", s->copies.data[i].func->name,
                s->copies.data[i].func->name);
    for (size_t i = 0; i < s->copies.len; i++) {
        const struct step_copy *c = &s->copies.data[i];
        struct text t = text_of(w, c->func->loc.file);
        put_line_directive(w, c, c->start);
        fprintf(w->out, "%.*s;\n", (int)(c->body - c->start), t.data + c->start);
    }
    for (size_t i = 0; i < s->copies.len; i++) {
        const struct step_copy *c = &s->copies.data[i];
        struct text t = text_of(w, c->func->loc.file);
        put_line_directive(w, c, c->start);
        fprintf(w->out, "%.*s", (int)(c->body - c->start), t.data + c->start);
        put_body(w, t, c);
        fputc('\n', w->out);
    }
    for (size_t i = 0; i < s->copies.len; i++)
        fprintf(w->out, "#undef %s\n", s->copies.data[i].func->name);
}

/* ---- what the reads saw --------------------------------------------------------------------- */

static size_t site_of(const struct writer *w, const struct exec_read *r)
{
    for (size_t i = 0; i < w->steps.sites.len; i++) {
        struct src_loc loc = w->steps.sites.data[i].place->loc;
        if (loc.file == r->loc.file && loc.line == r->loc.line && loc.col == r->loc.col)
            return i + 1;
    }
    return 0;
}

/* By statement, or by site; the other is 0. */
static void put_read(struct writer *w, const struct model *level, const struct exec_read *r,
                     uint32_t field)
{
    const char *place = repro_place(w, &r->row, UINT32_MAX), *cell = repro_place(w, &r->row, field);
    size_t site = site_of(w, r), statement = site ? w->steps.sites.data[site - 1].statement : 0;
    bool by_statement = (level && level->snapshot == SNAPSHOT_STATEMENT) ||
                        (site && w->steps.sites.data[site - 1].in_fold);
    fprintf(w->out, "    {%zu, %zu, &%s, sizeof %s, &%s, ", by_statement ? 0 : site,
            by_statement ? statement : 0, place, place, cell);
    if (r->source == EXEC_INITIAL)
        fputs("&cex_initial", w->out);
    else
        fprintf(w->out, "&cex_after_%" PRIu32, w->number[r->source]);
    fprintf(w->out, ".%s, sizeof %s, 0, false}, /* line %" PRIu32 " */\n", cell, cell, r->loc.line);
}

void steps_put_reads(struct writer *w, const char *name, const struct model *level,
                     const struct exec_read *reads, size_t n)
{
    fprintf(w->out, "\nstatic struct cex_seen cex_reads_%s[] = {\n", name);
    for (size_t i = 0; i < n; i++)
        for (uint32_t f = 0; f < w->p->tables[reads[i].row.table].n_fields; f++)
            if (reads[i].row.known[f] && site_of(w, &reads[i]))
                put_read(w, level, &reads[i], f);
    fputs("    {0, 0, NULL, 0, NULL, NULL, 0, 0, false},\n};\n", w->out);
}
