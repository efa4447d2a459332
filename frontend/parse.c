/* The frontend in one page: flags, clang, the builder, the checks. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/ast.h"
#include "frontend/build.h"
#include "frontend/flags.h"

static bool readable(const char *file, struct diag_list *d)
{
    struct stat st;
    const char *why = NULL;
    if (stat(file, &st) != 0 || access(file, R_OK) != 0)
        why = strerror(errno);
    else if (S_ISDIR(st.st_mode))
        why = "is a folder";
    if (why)
        diag_add(d, DIAG_ERROR, (struct src_loc){diag_file(d, file), 0, 0}, "cannot be read: %s",
                 why);
    return !why;
}

/* Is this one of visar.h's words, in the quotes of clang's message? */
static bool is_our_word(const char *word)
{
    static const char *const words[] = {
        "DATABASE", "TRANSACTION", "INITIAL",   "INVARIANT",   "FINAL",  "SCENARIO", "SESSION",
        "ATOMIC",   "PRESENCE",    "GHOST",     "CONSTRAINT",  "assume", "assert",   "rollback",
        "nondet_",  "for_update",  "for_share", "skip_locked", "ANY",    "fresh"};
    if (strncmp(word, "VISAR_", 6) == 0)
        word += 6;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        bool prefix = words[i][n - 1] == '_';
        if (strncmp(word, words[i], n) == 0 && (prefix || word[n] == '\''))
            return true;
    }
    return false;
}

/* Clang does not know one of our words: <visar.h> was forgotten.  Said once, at the first. */
static void hint_at_include(struct diag_list *d, size_t from)
{
    static const char *const unknown[] = {"unknown type name '", "use of undeclared identifier '",
                                          "call to undeclared function '"};
    for (size_t i = from; i < d->items.len; i++)
        for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
            struct diag *e = &d->items.data[i];
            size_t n = strlen(unknown[k]);
            if (strncmp(e->text, unknown[k], n) == 0 && is_our_word(e->text + n)) {
                e->hint = "put #include <visar.h> at the top: it supplies the words";
                return;
            }
        }
}

/* Clang's errors where it computes with ANY, which bear a note that leads into visar.h, and what we
 * say instead. */
static const struct any_error {
    const char *begins;
    enum refusal why;
    const char *user;
} any_errors[] = {
    {"token is not a valid binary operator in a preprocessor", REFUSE_ANY_CONSTANT, "#if"},
    {"static assertion failed", REFUSE_ANY_CONSTANT, "a static assertion"},
    {"array is too large", REFUSE_ANY_TOO_LARGE, ""},
};

static const struct any_error *find_any_error(const char *text)
{
    for (size_t i = 0; i < sizeof any_errors / sizeof *any_errors; i++)
        if (strncmp(text, any_errors[i].begins, strlen(any_errors[i].begins)) == 0)
            return &any_errors[i];
    return NULL;
}

/* Say them in our words, without clang's notes. */
static void explain_any(struct diag_list *d, size_t from)
{
    size_t kept = from;
    for (size_t i = from, next; i < d->items.len; i = next) {
        struct diag e = d->items.data[i];
        const struct any_error *known = NULL;
        for (next = i + 1; next < d->items.len && d->items.data[next].level == DIAG_NOTE; next++)
            if (strcmp(d->items.data[next].text, "expanded from macro 'ANY'") == 0 ||
                strcmp(d->items.data[next].text, "expanded from macro 'VISAR_ANY'") == 0)
                known = find_any_error(e.text);
        if (known) {
            e.text = arena_printf(&d->arena, refuse_message(known->why), known->user);
            e.hint = refuse_hint(known->why);
        }
        d->items.data[kept++] = e;
        for (size_t k = i + 1; !known && k < next; k++)
            d->items.data[kept++] = d->items.data[k];
    }
    d->items.len = kept;
}

/* Hand what was built over to the program, which owns it through its arena. */
static void hand_over(struct builder *b)
{
    struct ast_program *p = b->p;
    struct arena *a = b->arena;
    p->n_types = (uint32_t)b->types.len;
    p->types = arena_copy(a, b->types.data, b->types.len * sizeof *b->types.data);
    p->n_tables = (uint32_t)b->tables.len;
    p->tables = arena_copy(a, b->tables.data, b->tables.len * sizeof *b->tables.data);
    p->n_consts = (uint32_t)b->consts.len;
    p->consts = arena_copy(a, b->consts.data, b->consts.len * sizeof *b->consts.data);
    p->n_funcs = (uint32_t)b->funcs.len;
    p->funcs = arena_copy(a, b->funcs.data, b->funcs.len * sizeof *b->funcs.data);
    p->n_texts = (uint32_t)b->unit->texts.len;
    p->texts = arena_array(a, const char *, p->n_texts);
    p->text_sizes = arena_array(a, uint32_t, p->n_texts);
    p->file_names = arena_array(a, const char *, p->n_texts);
    for (uint32_t i = 0; i < p->n_texts; i++) {
        p->file_names[i] = arena_strdup(a, diag_file_name(b->d, i));
        if (!b->unit->texts.data[i])
            continue;
        p->text_sizes[i] = b->unit->text_sizes.data[i];
        p->texts[i] = arena_strndup(a, b->unit->texts.data[i], p->text_sizes[i]);
    }
    p->n_clang_warnings = (uint32_t)b->unit->warnings;
}

static void free_builder(struct builder *b)
{
    vec_free(&b->types);
    vec_free(&b->tables);
    vec_free(&b->consts);
    vec_free(&b->funcs);
    vec_free(&b->func_decls);
    vec_free(&b->vars);
    vec_free(&b->var_scopes);
    vec_free(&b->scopes);
}

static bool build(struct ct_unit *unit, struct diag_list *d, struct ast_program *p)
{
    struct builder b = {.unit = unit, .d = d, .p = p, .arena = &p->arena};
    size_t before = d->errors; /* the caller may parse several files into one list */
    fe_program(&b);
    fe_check_roles(&b);
    fe_check_order(&b);
    fe_check_atomic(&b);
    fe_check_ghosts(&b);
    if (d->errors == before)
        fe_check_any_table(&b);
    if (d->errors == before) {
        fe_find_ranges(&b);
        fe_find_folds(&b);
    }
    if (d->errors == before) {
        fe_check_atomic_loops(&b);
        fe_find_skips(&b);
    }
    bool ok = d->errors == before;
    if (ok)
        hand_over(&b);
    free_builder(&b);
    return ok;
}

bool ast_parse(const char *file, const struct ast_options *options, struct diag_list *d,
               struct ast_program **out)
{
    struct flags flags = {0};
    struct ct_unit unit = {0};
    struct ast_program *p = mem_calloc(1, sizeof *p);
    p->file = arena_strdup(&p->arena, file);
    p->main_file = diag_file(d, file);
    *out = NULL;
    size_t before = d->items.len;
    if (readable(file, d) && flags_collect(&flags, file, options, d) &&
        ct_parse(file, flags.args.data, flags.args.len, options->warnings, d, &unit) &&
        build(&unit, d, p))
        *out = p;
    else
        ast_free(p);
    if (!*out) {
        hint_at_include(d, before);
        explain_any(d, before);
    }
    ct_free(&unit);
    flags_free(&flags);
    diag_sort(d);
    return *out != NULL;
}

void ast_free(struct ast_program *p)
{
    if (!p)
        return;
    struct arena arena = p->arena;
    mem_free(p);
    arena_free(&arena);
}
