/* The table of formats, what is common to reading them, and detection; see formats.h. */
#include "history/format/formats.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/limit.h"
#include "base/strbuf.h"
#include "history/format/format_internal.h"

/* In the order in which they are listed and, among equals, believed. */
static const struct format *const formats[] = {
    &fmt_jsonl,     &fmt_edn,   &fmt_elle,  &fmt_dbcop,  &fmt_cobra,
    &fmt_cobra_ids, &fmt_viper, &fmt_plume, &fmt_blocks,
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

size_t fmt_count(void)
{
    return FORMAT_COUNT;
}

const struct format *fmt_at(size_t i)
{
    return formats[i];
}

const struct format *fmt_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!strcmp(formats[i]->name, name))
            return formats[i];
    return NULL;
}

const struct format *fmt_detect(const struct fmt_input *in)
{
    const struct format *best = NULL;
    enum fmt_match match = FMT_NO;
    for (size_t i = 0; i < FORMAT_COUNT && in->files.len; i++) {
        enum fmt_match m = formats[i]->detect(in);
        if (m > match) {
            match = m;
            best = formats[i];
        }
    }
    return best;
}

/* --- files --------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n >= m && !strcmp(s + n - m, tail);
}

/* The name without folder, ".gz", ".zst" and extension. */
const char *fmt_base_name(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = arena_strdup(a, slash ? slash + 1 : path);
    if (ends_with(name, ".gz") || ends_with(name, ".zst"))
        *strrchr(name, '.') = 0;
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
    return name;
}

/* Some editors put a mark (U+FEFF) before a text.  Binary formats, whose numbers may begin with the
 * same bytes, have zeros soon after. */
static void skip_mark(struct io_bytes *b)
{
    size_t near = b->size < 64 ? b->size : 64;
    if (b->size < 3 || memcmp(b->data, "\xEF\xBB\xBF", 3) != 0 || memchr(b->data, 0, near))
        return;
    b->size -= 3;
    memmove(b->data, b->data + 3, b->size + 1);
}

const char *fmt_load_file(const char *path, struct arena *messages, struct fmt_file *out)
{
    struct io_bytes bytes;
    const char *error = io_read(path, messages, &bytes);
    if (error)
        return arena_printf(messages, "%s: %s", path, error);
    skip_mark(&bytes);
    *out = (struct fmt_file){path, bytes.data, bytes.size, NULL};
    return NULL;
}

static const char *load(const char *path, const char *format, struct arena *messages,
                        struct fmt_input *in)
{
    struct stat st;
    if (strcmp(path, "-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return fmt_load_folder(path, format ? fmt_find(format) : NULL, messages, in);
    struct fmt_file file;
    const char *error = fmt_load_file(path, messages, &file);
    in->path = path;
    if (!error)
        vec_push(&in->files, file);
    return error;
}

static void unload(struct fmt_input *in)
{
    for (size_t i = 0; i < in->files.len; i++)
        mem_free((char *)in->files.data[i].data);
    vec_free(&in->files);
}

/* --- reading ------------------------------------------------------------------------------- */

const char *fmt_parse(const struct fmt_input *in, const struct format *f, struct arena *messages,
                      struct fmt_result *out)
{
    assert(f);
    *out = (struct fmt_result){.format = f};
    limit_phase("parsing %s (%s)", in->path, f->name);
    return fmt_read_history(in, f->read, messages, &out->notes, &out->history);
}

const char *fmt_companion(const struct fmt_file *file)
{
    const char *text = file->data + strspn(file->data, " \t\r\n");
    if (!strncmp(text, "{\"visar-version-order\"", 22))
        return "these are version orders, which go to a history by --version-order, and no history";
    if (!strncmp(text, "visar-certificate ", 18))
        return "this is a certificate, which goes to a history by --verify-certificate, and no "
               "history";
    if (fmt_is_jepsen_results(file))
        return "these are the results of a Jepsen test (:valid?), and no history";
    return NULL;
}

/* What a file that no format claims looks like. */
static const char *looks_like(const struct fmt_input *in)
{
    const char *text = in->files.len ? in->files.data[0].data : "";
    size_t blank = strspn(text, " \t\r\n");
    text += blank;
    if (ends_with(in->path, ".c"))
        return "this is a C program, which `visar verify` reads, and not a history";
    if (in->folder)
        return NULL;
    if (in->files.len && blank == in->files.data[0].size)
        return "expected a history, found nothing but blank lines";
    if (in->files.len && fmt_companion(&in->files.data[0]))
        return fmt_companion(&in->files.data[0]);
    if (*text == '{')
        return "looks like JSON Lines; the first line must be {\"visar-history\":1}";
    return NULL;
}

static const char *choose(const struct fmt_input *in, const char *name, struct arena *messages,
                          const struct format **out)
{
    *out = name ? fmt_find(name) : fmt_detect(in);
    if (*out) {
        if (in->folder && !(*out)->folder)
            return arena_printf(messages, "%s: expected a file in the format %s, found a folder",
                                in->path, (*out)->name);
        return NULL;
    }
    const char *hint = name ? NULL : looks_like(in);
    if (hint)
        return arena_printf(messages, "%s: %s", in->path, hint);
    struct strbuf b = {0};
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        sb_printf(&b, "%s%s", i ? ", " : "", formats[i]->name);
    const char *error =
        name ? arena_printf(messages, "unknown format `%s`; known: %s", name, sb_str(&b))
             : arena_printf(messages,
                            "%s: the format is none that is known (%s); name it with --format",
                            in->path, sb_str(&b));
    sb_free(&b);
    return error;
}

static bool is_empty(const struct fmt_input *in)
{
    size_t bytes = 0;
    for (size_t i = 0; i < in->files.len; i++)
        bytes += in->files.data[i].size;
    return !bytes;
}

const char *fmt_read(const char *path, const char *format, struct arena *messages,
                     struct fmt_result *out)
{
    *out = (struct fmt_result){0};
    struct fmt_input in = {0};
    const struct format *f;
    const char *error = load(path, format, messages, &in);
    if (!error && is_empty(&in))
        error = arena_printf(messages, "%s: expected a history, found no transactions: %s is empty",
                             in.path, in.folder ? "every file" : "the file");
    if (!error)
        error = choose(&in, format, messages, &f);
    if (!error)
        error = fmt_parse(&in, f, messages, out);
    out->path = in.path;
    if (!error && !out->history->txns.len)
        vec_push(&out->notes, arena_printf(messages, "%s: no transactions", in.path));
    unload(&in);
    return error;
}

/* --- writing ------------------------------------------------------------------------------- */

const char *fmt_write(const struct history *h, const struct format *f, const char *path,
                      struct arena *messages, fmt_notes *notes)
{
    const char *error = fmt_check_losses(h, f, messages, notes);
    if (error)
        return error;
    struct io_out out;
    error = io_create(path, messages, &out);
    if (!error) {
        limit_phase("writing %s", path);
        f->write(h, out.file);
        error = io_commit(&out, messages);
    }
    return error ? arena_printf(messages, "%s: %s", path, error) : NULL;
}
