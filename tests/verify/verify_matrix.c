/* The matrix: every program given, under every model, against the `expect:` line in its header.
 *
 *     verify_matrix HEADERS FILE…
 *
 * Each question is asked twice, with the proof rule and without it (`bounded`): the rule may say
 * PROVED where a bounded run says HOLDS, and nothing else may differ. */
#include <string.h>

#include "base/io.h"
#include "encode/verify.h"

static bool holds(enum verify_status s)
{
    return s == VERIFY_PROVED || s == VERIFY_HOLDS;
}

/* What the file expects under the model: "holds", "violated", or NULL if it does not say. */
static const char *expected(const char *text, const struct model *m)
{
    static const char *const words[] = {"holds", "violated"};
    char key[32];
    const char *line = strstr(text, "expect:");
    snprintf(key, sizeof key, " %s=", m->name);
    const char *at = line ? strstr(line, key) : NULL;
    for (size_t i = 0; at && i < 2; i++)
        if (!strncmp(at + strlen(key), words[i], strlen(words[i])))
            return words[i];
    return NULL;
}

static bool ask(struct verify_program *v, const struct model *m, bool bounded, const char *want,
                const char *name)
{
    struct verify_question q = {.model = m, .bounded = bounded};
    struct verify_result *r = verify_run(v, &q);
    bool fine =
        !r->error && (strcmp(want, "holds") ? r->overall == VERIFY_VIOLATED : holds(r->overall));
    if (!fine)
        printf("not ok %s %s%s: expected %s, got %s\n", name, m->name, bounded ? " bounded" : "",
               want, r->error ? r->error : verify_status_name(r->overall));
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (r->verdicts[i].reason)
            printf("# %s %s: %s\n", name, m->name, r->verdicts[i].reason);
    verify_result_free(r);
    return fine;
}

static bool check_file(const char *headers, const char *path)
{
    struct ast_options options = {
        .include_dirs = &headers, .n_include_dirs = 1, .no_compile_commands = true};
    struct verify_options plain = {0};
    struct diag_list d = {0};
    struct arena arena = {0};
    struct io_bytes text = {0};
    struct ast_program *ast = NULL;
    struct verify_program *v = NULL;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    bool fine = !io_read(path, &arena, &text) && ast_parse(path, &options, &d, &ast) &&
                (v = verify_open(ast, &plain, &d)) != NULL;
    if (!fine)
        printf("not ok %s: it cannot be read\n", name);
    diag_print(&d, stdout, false);
    for (int m = 0; fine && m < MODEL_COUNT; m++) {
        const struct model *model = model_get((enum model_id)m);
        const char *want = expected(text.data, model);
        if (!want) {
            printf("not ok %s: it expects nothing under %s\n", name, model->name);
            fine = false;
        } else {
            fine &= ask(v, model, false, want, name);
            fine &= ask(v, model, true, want, name);
        }
    }
    if (fine)
        printf("ok %s\n", name);
    verify_close(v);
    if (ast)
        ast_free(ast);
    io_bytes_free(&text);
    diag_free(&d);
    arena_free(&arena);
    return fine;
}

int main(int argc, char **argv)
{
    bool fine = argc > 2;
    for (int i = 2; i < argc; i++)
        fine &= check_file(argv[1], argv[i]);
    return !fine;
}
