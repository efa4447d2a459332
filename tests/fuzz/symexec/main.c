/* fuzz_symexec [--seed N] [--files N] [--per-file N] [--states N] [--keep FOLDER] [--file
 * PROGRAM.c]
 *              [--compiler gcc]
 *
 * Generates programs, runs every transaction of each on random states in three ways, compares.  A
 * failure is shrunk, line by line, and left in the folder given by --keep (default: the current
 * one). With --file only that program is run: to replay a failure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "generate.h"

struct options {
    uint64_t seed;
    unsigned files, per_file, states;
    const char *keep, *file, *compiler;
};

struct totals {
    unsigned long programs, runs, ends[FZ_TOO_LONG + 1], skipped, missed, undefined;
};

struct session {
    struct options options;
    struct totals totals;
    char folder[64]; /* for temporary files */
    uint64_t rng;
};

/* ---- one program --------------------------------------------------------------------------- */

struct program {
    struct ast_program *ast;
    struct diag_list diags;
    struct sx_program sx;
    struct fz_database db;
    struct fz_native *native;
    struct sx_options how;
};

static bool parse(struct program *p, const char *file, bool complain)
{
    const char *include[] = {FZ_INCLUDE};
    struct ast_options o = {
        .include_dirs = include, .n_include_dirs = 1, .no_compile_commands = true};
    if (ast_parse(file, &o, &p->diags, &p->ast))
        return true;
    if (complain)
        diag_print(&p->diags, stderr, false);
    return false;
}

static void unload(struct program *p)
{
    if (p->native)
        fz_native_unload(p->native);
    if (p->ast) {
        fz_database_free(&p->db);
        sx_free(&p->sx);
        ast_free(p->ast);
    }
    diag_free(&p->diags);
}

static bool load(struct session *s, struct program *p, const char *file, struct sx_options how,
                 bool complain)
{
    *p = (struct program){.how = how};
    if (!parse(p, file, complain)) {
        p->ast = NULL;
        return false;
    }
    fz_database_init(&p->db, p->ast);
    if (!sx_run(p->ast, &how, &p->diags, &p->sx)) {
        diag_print(&p->diags, stderr, false);
        return false;
    }
    p->native = fz_native_load(p->ast, file, s->folder, s->options.compiler);
    return p->native != NULL;
}

/* ---- inputs -------------------------------------------------------------------------------- */

static ast_int random_value(uint64_t *rng, const struct ast_type *t)
{
    ast_int lo = ast_int_min(t), hi = ast_int_max(t);
    switch (random_below(rng, 12)) {
    case 0:
        return random_below(rng, 2) ? lo : hi;
    case 1:
        return ast_int_cast(t, (ast_int)random_next(rng));
    case 2:
        return ast_int_cast(t, (ast_int)random_below(rng, 300) - 150);
    default:
        return ast_int_cast(t, (ast_int)random_below(rng, 12) - (t->is_signed ? 3 : 0));
    }
}

static void random_input(uint64_t *rng, const struct program *p, const struct ast_func *f,
                         struct fz_input *in)
{
    for (uint32_t i = 0; i < f->n_params && i < FZ_ARGS; i++)
        in->args[i] = random_value(rng, f->params[i]->type);
    for (unsigned i = 0; i < FZ_NONDET; i++)
        in->nondet[i] = random_below(rng, 8) ? (ast_int)random_below(rng, 8) - 2
                                             : (ast_int)(int32_t)random_next(rng);
    for (uint32_t i = 0; i < p->db.n; i++)
        in->state[i] = random_value(rng, p->db.types[i]);
}

/* ---- one run ------------------------------------------------------------------------------- */

static bool is_undefined(enum fz_end e)
{
    return e == FZ_OVERFLOW || e == FZ_BOUNDS || e == FZ_DIVISION || e == FZ_SHIFT;
}

/* Undefined is undefined: gcc computes `-k != 0` as `k != 0`, leaves out operands that cannot
 * change a result, and so may not notice.  clang checks every operation as written. */
static bool compiler_missed(struct session *s, const struct fz_outcome *native,
                            const struct fz_outcome *interp)
{
    bool same = is_undefined(native->end) && native->asserts.len == interp->asserts.len;
    bool missed = is_undefined(interp->end) && !same && !strstr(s->options.compiler, "clang");
    s->totals.undefined += is_undefined(interp->end);
    s->totals.missed += missed;
    return missed;
}

static const char *run_once(struct session *s, struct program *p, const struct sx_summary *sum,
                            const struct fz_input *in)
{
    struct fz_outcome native, interp, summary;
    fz_outcome_init(&native, &p->db, in);
    fz_outcome_init(&interp, &p->db, in);
    fz_outcome_init(&summary, &p->db, in);
    fz_native_run(p->native, &p->db, sum->func, in, &native);
    fz_interp_run(p->ast, &p->db, sum->func, &p->how, in, &interp);
    fz_summary_run(&p->sx, &p->db, sum, in, &summary);
    const char *difference = NULL;
    if (interp.end == FZ_TOO_LONG || compiler_missed(s, &native, &interp))
        s->totals.skipped++;
    else
        difference = fz_compare_native(&native, &interp, &p->db);
    if (!difference && summary.end == FZ_TOO_LONG && !summary.problem)
        s->totals.skipped++; /* the unwinding bound: says nothing, and says so */
    else if (!difference)
        difference = fz_compare_summary(&summary, &interp, &p->db);
    s->totals.runs++;
    s->totals.ends[interp.end]++;
    fz_outcome_free(&native);
    fz_outcome_free(&interp);
    fz_outcome_free(&summary);
    return difference;
}

/* All runs of a program's transactions; the failing transaction's name to *who. */
static const char *run_program(struct session *s, struct program *p, uint64_t seed, char *who)
{
    struct fz_input in = {.state = mem_calloc(p->db.n + 1, sizeof *in.state)};
    const char *difference = NULL;
    for (uint32_t t = 0; t < p->sx.n_txns && !difference; t++) {
        /* The same inputs for a transaction whatever else is in the file: shrinking relies on it.
         */
        const struct sx_summary *sum = p->sx.txns[t];
        uint64_t rng = seed * 1000003 + strtoul(sum->func->name + 1, NULL, 10);
        for (unsigned i = 0; i < s->options.states && !difference; i++) {
            random_input(&rng, p, sum->func, &in);
            difference = run_once(s, p, sum, &in);
        }
        if (difference)
            snprintf(who, 32, "%s", sum->func->name);
    }
    mem_free(in.state);
    return difference;
}

static struct sx_options how_of(uint64_t seed)
{
    return (struct sx_options){.reads = (enum sx_reads)(seed % 3),
                               .granularity = seed % 4 == 3 ? SX_FIELD : SX_ROW,
                               .unwind = 6};
}

/* ---- shrinking ----------------------------------------------------------------------------- */

typedef VEC(char *) lines;

static void split(const char *text, lines *out)
{
    while (*text) {
        const char *end = strchr(text, '\n');
        vec_push(out, mem_strndup(text, (size_t)(end - text)));
        text = end + 1;
    }
}

static void write_lines(const char *file, const lines *l)
{
    FILE *f = fopen(file, "w");
    if (!f) {
        perror(file);
        exit(2);
    }
    for (size_t i = 0; i < l->len; i++)
        if (l->data[i])
            fprintf(f, "%s\n", l->data[i]);
    fclose(f);
}

/* Fails in the same way: the difference starts with the same words. */
static bool still_fails(struct session *s, const lines *l, uint64_t seed, const char *difference)
{
    struct program p;
    char file[128], who[32];
    snprintf(file, sizeof file, "%s/shrunk.c", s->folder);
    write_lines(file, l);
    const char *now = load(s, &p, file, how_of(seed), false) ? run_program(s, &p, seed, who) : NULL;
    unload(&p);
    return now && strncmp(now, difference, 24) == 0;
}

/* Only the failing transaction matters: drop the others, whole. */
static void keep_one(lines *l, const char *who)
{
    char head[48];
    snprintf(head, sizeof head, " %s(", who);
    for (size_t i = 0; i < l->len; i++) {
        if (strncmp(l->data[i], "TRANSACTION", 11) != 0 || strstr(l->data[i], head))
            continue;
        for (bool end = false; !end && i < l->len; i++) {
            end = strcmp(l->data[i], "}") == 0;
            l->data[i] = NULL;
        }
        i--;
    }
    size_t n = 0;
    for (size_t i = 0; i < l->len; i++)
        if (l->data[i])
            l->data[n++] = l->data[i];
    l->len = n;
}

static size_t indentation(const char *line)
{
    return strspn(line, " ");
}

/* The line that closes the block which line i opens; 0 if it opens none. */
static size_t closing(const lines *l, size_t i)
{
    const char *head = l->data[i];
    if (!head || !*head || head[strlen(head) - 1] != '{' || strcmp(head, "{") == 0)
        return 0;
    for (size_t k = i + 1; k < l->len; k++)
        if (l->data[k] && indentation(l->data[k]) == indentation(head) &&
            l->data[k][indentation(head)] == '}')
            return k;
    return 0;
}

/* Without lines [i, k], or without lines i and k alone: keep it if the failure stays. */
static void try_without(struct session *s, lines *l, size_t i, size_t k, bool between,
                        uint64_t seed, const char *difference)
{
    lines saved = {0};
    for (size_t j = i; j <= k; j++) {
        vec_push(&saved, l->data[j]);
        if (between || j == i || j == k)
            l->data[j] = NULL;
    }
    if (!still_fails(s, l, seed, difference))
        memcpy(&l->data[i], saved.data, saved.len * sizeof *saved.data);
    vec_free(&saved);
}

static void shrink_blocks(struct session *s, lines *l, uint64_t seed, const char *difference)
{
    for (size_t i = 0; i < l->len; i++) {
        size_t k = closing(l, i);
        if (k)
            try_without(s, l, i, k, true, seed, difference);
        k = closing(l, i);
        if (k)
            try_without(s, l, i, k, false, seed, difference);
    }
}

/* Remove ever smaller groups of lines as long as the failure stays. */
static void shrink(struct session *s, lines *l, uint64_t seed, const char *difference)
{
    for (size_t size = l->len / 2; size >= 1; size /= 2) {
        for (size_t i = 0; i + size <= l->len; i += size > 4 ? size / 2 : 1) {
            char *saved[4096];
            size_t n = size < 4096 ? size : 4096;
            bool any = false;
            for (size_t k = 0; k < n; k++) {
                saved[k] = l->data[i + k];
                any |= saved[k] != NULL;
                /* A function must not run off its end: its value would be open. */
                if (saved[k] && strncmp(saved[k], "    return", 10) != 0)
                    l->data[i + k] = NULL;
            }
            if (any && still_fails(s, l, seed, difference))
                continue;
            for (size_t k = 0; k < n; k++)
                l->data[i + k] = saved[k];
        }
    }
}

static void report(struct session *s, const char *text, uint64_t seed, const char *who,
                   const char *difference)
{
    char file[256];
    lines l = {0};
    printf("not ok symexec-fuzz: seed %llu, %s: %s\n", (unsigned long long)seed, who, difference);
    fflush(stdout);
    split(text, &l);
    keep_one(&l, who);
    shrink_blocks(s, &l, seed, difference);
    shrink(s, &l, seed, difference);
    snprintf(file, sizeof file, "%s/failure-%llu.c", s->options.keep, (unsigned long long)seed);
    write_lines(file, &l);
    printf("# shrunk into %s; replay: --file it --seed %llu\n", file, (unsigned long long)seed);
    vec_free(&l);
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool fuzz_text(struct session *s, const char *text, uint64_t seed)
{
    struct program p;
    char file[128], who[32] = "";
    snprintf(file, sizeof file, "%s/program.c", s->folder);
    FILE *f = fopen(file, "w");
    if (!f) {
        perror(file);
        exit(2);
    }
    fputs(text, f);
    fclose(f);
    bool ok = load(s, &p, file, how_of(seed), true);
    if (!ok)
        printf("not ok symexec-fuzz: seed %llu: the program is not accepted\n",
               (unsigned long long)seed);
    const char *difference = ok ? run_program(s, &p, seed, who) : NULL;
    s->totals.programs += ok ? p.sx.n_txns : 0;
    char *copy = difference ? mem_strdup(difference) : NULL;
    unload(&p);
    if (copy)
        report(s, text, seed, who, copy);
    mem_free(copy);
    return ok && !difference;
}

static bool fuzz_file(struct session *s)
{
    struct arena messages = {0};
    struct io_bytes bytes;
    const char *error = io_read(s->options.file, &messages, &bytes);
    if (error) {
        fprintf(stderr, "%s: %s\n", s->options.file, error);
        return false;
    }
    struct options saved = s->options;
    struct program p;
    char who[32] = "";
    bool ok = load(s, &p, s->options.file, how_of(saved.seed), true);
    const char *difference = ok ? run_program(s, &p, saved.seed, who) : "not accepted";
    printf("%s %s%s%s\n", difference ? "not ok" : "ok", who, difference ? ": " : "",
           difference ? difference : "");
    unload(&p);
    io_bytes_free(&bytes);
    arena_free(&messages);
    return !difference;
}

static unsigned long number(const char *text)
{
    char *end;
    errno = 0;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;
    if (!text || errno || *end) {
        fprintf(stderr, "a number is needed, not '%s'\n", text ? text : "");
        exit(1);
    }
    return n;
}

static void parse_arguments(int argc, char **argv, struct options *o)
{
    *o = (struct options){
        .seed = 1, .files = 10, .per_file = 100, .states = 40, .keep = ".", .compiler = "gcc"};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--seed"))
            o->seed = number(value);
        else if (!strcmp(argv[i], "--files"))
            o->files = (unsigned)number(value);
        else if (!strcmp(argv[i], "--per-file"))
            o->per_file = (unsigned)number(value);
        else if (!strcmp(argv[i], "--states"))
            o->states = (unsigned)number(value);
        else if (!strcmp(argv[i], "--keep") && value)
            o->keep = value;
        else if (!strcmp(argv[i], "--compiler") && value)
            o->compiler = value;
        else if (!strcmp(argv[i], "--file") && value)
            o->file = value;
        else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    struct session s = {0};
    bool ok = true;
    parse_arguments(argc, argv, &s.options);
    snprintf(s.folder, sizeof s.folder, "%s", "/tmp/fuzz_symexec_XXXXXX");
    if (!mkdtemp(s.folder)) {
        perror("mkdtemp");
        return 2;
    }
    if (s.options.file) {
        ok = fuzz_file(&s);
    } else {
        for (unsigned i = 0; i < s.options.files && ok; i++) {
            struct strbuf text = {0};
            generate_program(s.options.seed + i, s.options.per_file, &text);
            ok = fuzz_text(&s, sb_str(&text), s.options.seed + i);
            sb_free(&text);
        }
        printf("# %lu transactions, %lu runs (%lu committed, %lu skipped, %lu of them as the "
               "compiler missed something)\n",
               s.totals.programs, s.totals.runs, s.totals.ends[FZ_COMMITTED], s.totals.skipped,
               s.totals.missed);
        if (s.totals.missed * 10 > s.totals.undefined && s.totals.undefined > 100) {
            printf("not ok symexec-fuzz: %s missed %lu of %lu undefined operations\n",
                   s.options.compiler, s.totals.missed, s.totals.undefined);
            ok = false;
        }
        for (int e = 0; e <= FZ_TOO_LONG; e++)
            printf("#   %s: %lu\n", fz_end_name((enum fz_end)e), s.totals.ends[e]);
    }
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", s.folder);
    if (system(command) != 0)
        fprintf(stderr, "cannot remove %s\n", s.folder);
    return ok ? 0 : 1;
}
