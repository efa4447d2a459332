/* Fuzzing a reader: any bytes give a history or a message with its place, never a crash.
 *
 * What was read is then written in every format that can say it, read again, and must be the same.
 * A line "%%" separates the files of a folder.  VISAR_FUZZ_FORMAT names the format; without it, or
 * with "auto", the content decides, as for a user who names none. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/format/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies of exactly the right size, so that the sanitizer sees every byte too far. */
static void add_file(struct fmt_input *in, const char *data, size_t size)
{
    char *copy = mem_alloc(size + 1);
    memcpy(copy, data, size);
    copy[size] = 0;
    vec_push(&in->files, ((struct fmt_file){"fuzz/1.log", copy, size, NULL}));
}

static void split(struct fmt_input *in, const char *data, size_t size, bool folder)
{
    in->path = "fuzz";
    in->folder = folder;
    for (const char *mark; folder && (mark = memmem(data, size, "\n%%\n", 4));) {
        add_file(in, data, (size_t)(mark - data));
        size -= (size_t)(mark - data) + 4;
        data = mark + 4;
    }
    add_file(in, data, size);
}

static void free_files(struct fmt_input *in)
{
    for (size_t i = 0; i < in->files.len; i++)
        mem_free((char *)in->files.data[i].data);
    vec_free(&in->files);
}

/* Aborted transactions have no numbers in this format: neighbours become one. */
static bool merges_aborted(const struct format *f, const struct history *h)
{
    bool aborted = false;
    for (size_t i = 0; i < h->txns.len; i++)
        aborted |= h->txns.data[i].status == HIST_ABORTED;
    return aborted && !strcmp(f->name, "plume");
}

static char *written(const struct history *h, const struct format *f, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    f->write(h, out);
    fclose(out);
    return text;
}

/* visar's own format says everything, so what was read from it is written in the same words. */
static const char *check_rewritten(const struct history *h, const struct format *f,
                                   const char *text, size_t size)
{
    if (strcmp(f->name, "jsonl"))
        return NULL;
    size_t again = 0;
    char *second = written(h, f, &again);
    bool same = again == size && !memcmp(second, text, size);
    if (!same)
        fprintf(stderr, "%.*s\n", (int)again, second);
    free(second);
    return same ? NULL : "written again it is another text";
}

static void check_round_trip(const struct history *h, const struct format *f)
{
    struct arena messages = {0};
    fmt_notes notes = {0};
    if (f->write && !fmt_check_losses(h, f, &messages, &notes)) {
        size_t size = 0;
        char *text = written(h, f, &size);
        struct fmt_input in = {0};
        split(&in, text, size, false);
        struct fmt_result again;
        const char *error = fmt_parse(&in, f, &messages, &again);
        if (!error && !merges_aborted(f, h))
            error = fmt_difference(h, again.history, f->keeps, &messages);
        if (!error)
            error = check_rewritten(again.history, f, text, size);
        if (error) {
            fprintf(stderr, "%s: %s\n%.*s\n", f->name, error, (int)size, text);
            abort();
        }
        hist_free(again.history);
        vec_free(&again.notes);
        free_files(&in);
        free(text);
    }
    vec_free(&notes);
    arena_free(&messages);
}

/* "fuzz/1.log:3:7: …" or "fuzz/1.log: byte 12: …"; what is wrong between transactions, and not with
 * one, names the history. */
static void check_place(const char *error)
{
    unsigned line, column;
    size_t byte;
    bool located = sscanf(error, "fuzz/1.log:%u:%u: ", &line, &column) == 2 ||
                   sscanf(error, "fuzz/1.log: byte %zu: ", &byte) == 1;
    if (!located && strncmp(error, "fuzz: ", 6)) {
        fprintf(stderr, "a message without a place: %s\n", error);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena messages = {0};
    struct fmt_input in = {0};
    const char *name = getenv("VISAR_FUZZ_FORMAT");
    const struct format *f = fmt_find(name ? name : "auto");
    split(&in, (const char *)data, size, f && f->folder);
    if (!f)
        f = fmt_detect(&in);
    struct fmt_result r;
    if (f) {
        const char *error = fmt_parse(&in, f, &messages, &r);
        assert(!error == !!r.history);
        if (error)
            check_place(error);
        for (size_t i = 0; !error && size < 4096 && i < fmt_count(); i++)
            check_round_trip(r.history, fmt_at(i));
        hist_free(r.history);
        vec_free(&r.notes);
    }
    free_files(&in);
    arena_free(&messages);
    return 0;
}
