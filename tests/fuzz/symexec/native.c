/* The real thing: a compiler compiles the program, the transaction runs on the machine.  Undefined
 * behaviour is caught by the sanitizer's checks, which call hooks.h, which jumps back here. */
#include <assert.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "fuzz.h"

struct host { /* as in hooks.h */
    void (*stop)(int why) __attribute__((noreturn));
    void (*assertion)(int line, int holds);
    unsigned long long (*nondet)(void);
    unsigned long long (*call)(const char *name, const long long *args, int n);
    void (*session)(int begins);
};

struct fz_native {
    void *library;
    char *path;
};

/* ---- compiling ----------------------------------------------------------------------------- */

/* For each function that is run as such, one that takes and gives 64-bit values. */
static void add_wrappers(const struct ast_program *p, FILE *out)
{
    fprintf(out, "#pragma GCC diagnostic ignored \"-Wmissing-prototypes\"\n");
    for (uint32_t i = 0; i < p->n_funcs; i++) {
        const struct ast_func *f = p->funcs[i];
        bool is_void = f->result->kind == AST_VOID;
        if (!is_void && f->role == AST_HELPER)
            continue;
        fprintf(out, "long long fz_%s(const long long *a) { return %s%s(", f->name,
                is_void ? "" : "(long long)", f->name);
        for (uint32_t k = 0; k < f->n_params; k++)
            fprintf(out, "%s(%s)a[%u]", k ? ", " : "", f->params[k]->type->name, k);
        fprintf(out, ")%s; }\n", is_void ? ", 0" : "");
    }
}

static int run_command(const char *command)
{
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct fz_native *fz_native_load(const struct fz_database *db, const char *file, const char *folder,
                                 const char *compiler)
{
    struct strbuf b = {0};
    struct fz_native *n = mem_calloc(1, sizeof *n);
    sb_printf(&b, "%s/wrapped.c", folder);
    FILE *out = fopen(sb_str(&b), "w");
    if (!out) {
        perror(sb_str(&b));
        exit(2);
    }
    fprintf(out, "#include \"%s\"\n", file);
    add_wrappers(db->ast, out);
    fclose(out);
    sb_clear(&b);
    sb_printf(&b, "%s/program-%d-%p.so", folder, (int)getpid(), (void *)n);
    n->path = mem_strdup(sb_str(&b));
    sb_clear(&b);
    const char *bounds = strstr(compiler, "clang") ? "bounds" : "bounds-strict";
    sb_printf(&b,
              "%s -std=c11 -O0 -w -fPIC -fsanitize=signed-integer-overflow,shift,"
              "integer-divide-by-zero,%s -fno-sanitize-recover=all -I'%s' -include '%s/hooks.h' "
              "-DANY=%d -c '%s/wrapped.c' -o '%s/wrapped.o' && %s -shared '%s/wrapped.o' -o '%s'",
              compiler, bounds, FZ_INCLUDE, FZ_SOURCE, (int)db->rows, folder, folder, compiler,
              folder, n->path);
    int status = run_command(sb_str(&b));
    sb_free(&b);
    n->library = status == 0 ? dlopen(n->path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (n->library)
        return n;
    fprintf(stderr, "cannot compile or load %s\n", file);
    fz_native_unload(n);
    return NULL;
}

void fz_native_unload(struct fz_native *n)
{
    if (n->library)
        dlclose(n->library);
    unlink(n->path);
    mem_free(n->path);
    mem_free(n);
}

/* ---- the state in memory ------------------------------------------------------------------- */

static size_t alignment(const struct ast_type *t)
{
    size_t a = 1;
    switch (t->kind) {
    case AST_ARRAY:
        return alignment(t->elem);
    case AST_STRUCT:
        for (uint32_t i = 0; i < t->n_fields; i++)
            a = alignment(t->fields[i].type) > a ? alignment(t->fields[i].type) : a;
        return a;
    default:
        return t->size;
    }
}

struct copying {
    const struct fz_database *db;
    bool to_memory;
    ast_int *next;
};

static size_t size_of(const struct fz_database *db, const struct ast_type *t)
{
    return t->kind == AST_ARRAY ? fz_extent(db, t->count) * size_of(db, t->elem) : t->size;
}

static void copy_scalar(char *at, const struct ast_type *t, struct copying *c)
{
    uint64_t bits = 0;
    if (c->to_memory) {
        bits = (uint64_t)*c->next++;
        memcpy(at, &bits, t->size);
        return;
    }
    memcpy(&bits, at, t->size);
    *c->next++ = t->is_bool ? (ast_int)bits : ast_int_cast(t, (ast_int)bits);
}

static void copy(char *at, const struct ast_type *t, struct copying *c)
{
    size_t offset = 0;
    switch (t->kind) {
    case AST_ARRAY:
        for (uint64_t i = 0; i < fz_extent(c->db, t->count); i++)
            copy(at + i * size_of(c->db, t->elem), t->elem, c);
        return;
    case AST_STRUCT:
        for (uint32_t i = 0; i < t->n_fields; i++) {
            size_t a = alignment(t->fields[i].type);
            offset = (offset + a - 1) / a * a;
            copy(at + offset, t->fields[i].type, c);
            offset += t->fields[i].type->size;
        }
        return;
    default:
        copy_scalar(at, t, c);
    }
}

static void copy_all(struct fz_native *n, const struct fz_database *db, ast_int *state,
                     bool to_memory)
{
    struct copying c = {db, to_memory, state};
    for (uint32_t i = 0; i < db->ast->n_tables; i++) {
        const struct ast_var *v = db->ast->tables[i];
        char *at = dlsym(n->library, v->name);
        assert(at);
        copy(at, v->type, &c);
    }
    assert(c.next == state + db->n);
}

/* ---- running ------------------------------------------------------------------------------- */

/* Callbacks from compiled code have no argument of ours: the run under way is here.  (The only such
 * variables in the project; the fuzzer is single-threaded.) */
static struct {
    jmp_buf stop;
    volatile int why;
    const struct fz_input *in;
    unsigned nondet;
    const struct ast_program *program;
    uint32_t sessions, session; /* begun so far; the one that is open, or 0 */
    struct fz_outcome *out;
} now;

__attribute__((noreturn)) static void on_stop(int why)
{
    now.why = why;
    longjmp(now.stop, 1);
}

static void on_assertion(int line, int holds)
{
    vec_push(&now.out->asserts, ((struct fz_assert){(uint32_t)line, holds != 0}));
}

static unsigned long long on_nondet(void)
{
    return (unsigned long long)now.in->nondet[now.nondet++ % FZ_NONDET];
}

static unsigned long long on_call(const char *name, const long long *args, int n)
{
    struct fz_call c = {.func = ast_find_func(now.program, name),
                        .session = now.session ? now.session : ++now.sessions};
    assert(c.func && (uint32_t)n == c.func->n_params && n <= FZ_ARGS);
    for (int i = 0; i < n; i++)
        c.args[i] = ast_int_cast(c.func->params[i]->type, args[i]);
    vec_push(&now.out->calls, c);
    return (unsigned long long)now.in->returned[(now.out->calls.len - 1) % FZ_NONDET];
}

static void on_session(int begins)
{
    now.session = begins ? ++now.sessions : 0;
}

void fz_native_initial(struct fz_native *n, const struct fz_database *db, ast_int *state)
{
    copy_all(n, db, state, false);
}

void fz_native_run(struct fz_native *n, const struct fz_database *db, const struct ast_func *f,
                   const struct fz_input *in, struct fz_outcome *out)
{
    char name[64];
    long long args[FZ_ARGS];
    struct host *host = dlsym(n->library, "fz_host");
    *host = (struct host){on_stop, on_assertion, on_nondet, on_call, on_session};
    snprintf(name, sizeof name, "fz_%s", f->name);
    long long (*call)(const long long *);
    void *symbol = dlsym(n->library, name);
    assert(symbol);
    memcpy(&call, &symbol, sizeof call);
    for (int i = 0; i < FZ_ARGS; i++)
        args[i] = (long long)in->args[i];
    copy_all(n, db, out->state, true);
    now.in = in;
    now.nondet = now.sessions = now.session = 0;
    now.program = db->ast;
    now.out = out;
    if (setjmp(now.stop) == 0) {
        long long result = call(args);
        out->result = f->result->kind == AST_VOID ? 0 : ast_int_cast(f->result, result);
        out->end = FZ_COMMITTED;
        copy_all(n, db, out->state, false);
    } else {
        out->end = (enum fz_end)now.why;
    }
}
