/* The matrix: every program given, under every model, against the `expect:` line in its header.
 *
 *     verify_matrix HEADERS FILE…
 *
 * A line `prove: ser=proved si=proved pc=not` says what the proof rule alone can prove; a file with
 * such a line and no `expect:` is not run.
 * A line `robust: si=proved pc=not …` says where the program is robust: `proved` for any number of
 * transactions, `robust` in its runs, `not`.
 * A line `mixed: ser,si=holds` gives the levels of the transactions, in order of definition.
 * Each question is asked twice, with the proof rule and without it (`bounded`): the rule may say
 * PROVED where a bounded run says HOLDS, and nothing else may differ. */
#include <string.h>

#include "base/io.h"
#include "cli/serial_judge.h"
#include "encode/verify.h"

/* What the file expects under the model, or NULL if it does not say. */
static const char *const words[] = {"holds", "violated", "unknown", "vacuous"};

static bool meets(const char *want, enum verify_status got)
{
    if (!strcmp(want, "holds"))
        return got == VERIFY_PROVED || got == VERIFY_HOLDS;
    return got == (!strcmp(want, "violated")  ? VERIFY_VIOLATED
                   : !strcmp(want, "unknown") ? VERIFY_UNKNOWN
                                              : VERIFY_VACUOUS);
}

static const char *expected(const char *text, const struct model *m)
{
    char key[32];
    const char *line = strstr(text, "expect:");
    snprintf(key, sizeof key, " %s=", m->name);
    const char *at = line ? strstr(line, key) : NULL;
    for (size_t i = 0; at && i < sizeof words / sizeof *words; i++)
        if (!strncmp(at + strlen(key), words[i], strlen(words[i])))
            return words[i];
    return NULL;
}

static bool ask(struct verify_program *v, const struct model *m, const struct model *const *levels,
                bool bounded, const char *want, const char *name)
{
    struct verify_question q = {.model = m, .levels = levels, .bounded = bounded};
    struct verify_result *r = verify_run(v, &q);
    bool fine = !r->error && meets(want, r->overall);
    if (!fine)
        printf("not ok %s %s%s: expected %s, got %s\n", name, m->name, bounded ? " bounded" : "",
               want, r->error ? r->error : verify_status_name(r->overall));
    for (size_t i = 0; i < r->n_verdicts; i++)
        if (r->verdicts[i].reason)
            printf("# %s %s: %s\n", name, m->name, r->verdicts[i].reason);
    verify_result_free(r);
    return fine;
}

/* The lines `mixed: a,b,…=word`. */
static bool check_mixed(struct verify_program *v, const char *text, const char *name)
{
    bool fine = true;
    while ((text = strstr(text, "mixed: "))) {
        const struct model *levels[16] = {0};
        size_t n = 0, length;
        text += strlen("mixed: ");
        for (const char *at = text; n < 15 && (length = strcspn(at, ",=\n")); at += length + 1) {
            char word[16];
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            levels[n++] = model_find(word);
            if (at[length] != ',')
                break;
        }
        const char *equals = strchr(text, '='), *want = NULL;
        for (size_t i = 0; equals && i < sizeof words / sizeof *words; i++)
            if (!strncmp(equals + 1, words[i], strlen(words[i])))
                want = words[i];
        for (size_t i = 0; i < n; i++)
            fine &= levels[i] != NULL;
        if (!fine || !want) {
            printf("not ok %s: a line `mixed:` makes no sense\n", name);
            return false;
        }
        fine &= ask(v, levels[0], levels, true, want, name);
    }
    return fine;
}

/* The line `prove: ser=proved pc=not`: what the proof rule alone says. */
static bool check_proofs(struct verify_program *v, const char *text, const char *name)
{
    bool fine = true;
    const char *line = strstr(text, "prove:");
    for (int m = 0; line && m < MODEL_COUNT; m++) {
        const struct model *model = model_get((enum model_id)m);
        char key[32];
        snprintf(key, sizeof key, " %s=", model->name);
        const char *at = strstr(line, key);
        if (!at)
            continue;
        struct verify_question q = {.model = model, .prove_only = true};
        struct verify_result *r = verify_run(v, &q);
        bool proved = r->overall == VERIFY_PROVED;
        if (r->error || proved != !strncmp(at + strlen(key), "proved", 6)) {
            printf("not ok %s %s: %s\n", name, model->name,
                   r->error ? r->error
                   : proved ? "it is proved"
                            : "it is not proved");
            fine = false;
        }
        verify_result_free(r);
    }
    return fine;
}

/* What the line `robust:` says of the model: meets or not. */
static bool meets_robust(const char *want, bool bounded, enum verify_status got)
{
    if (!strcmp(want, "proved"))
        return got == (bounded ? VERIFY_HOLDS : VERIFY_PROVED);
    if (!strcmp(want, "robust"))
        return got == VERIFY_HOLDS;
    return !strcmp(want, "not") && got == VERIFY_VIOLATED;
}

static bool ask_robust(struct verify_program *v, const struct verify_judge *judge,
                       const struct model *m, bool bounded, const char *want, const char *name)
{
    struct verify_question q = {.model = m, .judge = judge, .bounded = bounded, .max_txns = 4};
    struct verify_result *r = verify_run(v, &q);
    bool fine = !r->error && meets_robust(want, bounded, r->overall);
    if (!fine)
        printf("not ok %s %s%s: expected robust: %s, got %s\n", name, m->name,
               bounded ? " bounded" : "", want,
               r->error ? r->error : verify_status_name(r->overall));
    for (size_t i = 0; !fine && i < r->n_verdicts; i++)
        if (r->verdicts[i].reason)
            printf("# %s %s: %s\n", name, m->name, r->verdicts[i].reason);
    verify_result_free(r);
    return fine;
}

/* The line `robust: ser=proved si=not …`, if there is one, has a word for every model. */
static bool check_robust(struct verify_program *v, const char *text, const char *name)
{
    const char *line = strstr(text, "robust: ");
    struct serial_judge judge;
    bool fine = true;
    if (!line)
        return true;
    serial_judge_init(&judge);
    for (int m = 0; m < MODEL_COUNT; m++) {
        const struct model *model = model_get((enum model_id)m);
        char key[32], word[16] = "";
        snprintf(key, sizeof key, " %s=", model->name);
        const char *at = strstr(line, key);
        if (at && at < line + strcspn(line, "\n"))
            snprintf(word, sizeof word, "%.*s", (int)strcspn(at + strlen(key), " \n"),
                     at + strlen(key));
        fine &= ask_robust(v, &judge.judge, model, false, word, name);
        fine &= ask_robust(v, &judge.judge, model, true, word, name);
    }
    serial_judge_free(&judge);
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
    bool runs = fine && (strstr(text.data, "expect:") || !strstr(text.data, "prove:"));
    for (int m = 0; runs && m < MODEL_COUNT; m++) {
        const struct model *model = model_get((enum model_id)m);
        const char *want = expected(text.data, model);
        if (!want) {
            printf("not ok %s: it expects nothing under %s\n", name, model->name);
            fine = false;
        } else {
            fine &= ask(v, model, NULL, false, want, name);
            fine &= ask(v, model, NULL, true, want, name);
        }
    }
    fine = fine && check_mixed(v, text.data, name);
    fine = fine && check_proofs(v, text.data, name);
    fine = fine && check_robust(v, text.data, name);
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
