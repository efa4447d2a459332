/* Which of the files of a folder are read, where a folder is named instead of a history.
 *
 * A folder stands for a history if it has exactly one file that could be one, or if its files are
 * the logs of the sessions of one history (formats with `folder` set).  Every file is looked at:
 * one that is passed over because of its name might be the one with the violation, and the answer
 * would be an OK about something else.  A README and the like do no harm, as no format knows them;
 * but a file that is named as histories are and that no format knows may be a broken history. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "history/format/format_internal.h"

enum role {
    ROLE_OTHER,   /* no history */
    ROLE_EMPTY,   /* nothing in it; a session without transactions, where there are sessions */
    ROLE_SESSION, /* the log of a session */
    ROLE_HISTORY  /* it is or could be a whole history */
};

struct member {
    struct fmt_file file;
    const struct format *format; /* by content, or NULL */
    enum role role;
    bool session_name; /* the extension is one of those of logs */
};

struct folder {
    const char *path;
    const struct format *named; /* by the user, or NULL */
    struct arena *messages;
    VEC(struct member) members;
};

/* --- names ----------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n >= m && !strcmp(s + n - m, tail);
}

/* Does the name end with one of the extensions, compressed or not? */
static bool has_extension(const char *name, const char *const *extensions, size_t count)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof packed / sizeof *packed; j++) {
            char tail[16];
            snprintf(tail, sizeof tail, "%s%s", extensions[i], packed[j]);
            if (ends_with(name, tail))
                return true;
        }
    return false;
}

static bool is_session_name(const char *name)
{
    static const char *const extensions[] = {".log", ".json", ".jsonl"};
    return has_extension(name, extensions, 3);
}

static bool is_history_name(const char *name)
{
    static const char *const extensions[] = {".bincode", ".edn", ".jsonl"};
    return has_extension(name, extensions, 3);
}

/* --- contents -------------------------------------------------------------------------------- */

/* No control characters at the beginning, which numbers of a binary format are full of. */
static bool is_text(const struct fmt_file *f)
{
    for (size_t i = 0; i < f->size && i < 64; i++) {
        unsigned char c = (unsigned char)f->data[i];
        if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 127)
            return false;
    }
    return true;
}

/* The format of one file.  That of a cobra log is only a guess until its first write, and a text
 * that begins with an S is no such log. */
static const struct format *format_of(const struct fmt_file *file)
{
    struct fmt_input one = {.path = file->path};
    vec_push(&one.files, *file);
    const struct format *f = fmt_detect(&one);
    if (f && f->folder && f->detect(&one) != FMT_SURE && is_text(file))
        f = NULL;
    vec_free(&one.files);
    return f;
}

static bool is_blank(const struct fmt_file *f)
{
    return strspn(f->data, " \t\r\n") == f->size;
}

static enum role role_of(const struct folder *d, const struct member *m)
{
    if (!m->file.size)
        return ROLE_EMPTY;
    if (m->session_name && d->named && d->named->folder)
        return ROLE_SESSION;
    if (m->format)
        return m->format->folder && m->session_name ? ROLE_SESSION : ROLE_HISTORY;
    bool broken = is_history_name(m->file.path) && !is_blank(&m->file) && !fmt_companion(&m->file);
    return broken ? ROLE_HISTORY : ROLE_OTHER;
}

/* --- the folder ------------------------------------------------------------------------------ */

static int is_visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* The paths of the files of the folder in natural order. */
static const char *list_files(struct folder *d)
{
    struct dirent **entries;
    int n = scandir(d->path, &entries, is_visible, versionsort);
    if (n < 0)
        return arena_printf(d->messages, "%s: cannot be opened: %s", d->path, strerror(errno));
    const char *slash = ends_with(d->path, "/") ? "" : "/";
    for (int i = 0; i < n; i++) {
        struct stat st;
        const char *path = arena_printf(d->messages, "%s%s%s", d->path, slash, entries[i]->d_name);
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
            vec_push(&d->members, ((struct member){.file = {.path = path},
                                                   .session_name = is_session_name(path)}));
        free(entries[i]);
    }
    free(entries);
    return NULL;
}

static void forget(struct member *m)
{
    mem_free((char *)m->file.data);
    m->file.data = NULL;
}

/* Reads the files and keeps the contents of those that may be wanted.  Two whole histories are too
 * many, whatever else there is: *histories ends at 2. */
static const char *look_at_files(struct folder *d, size_t *sessions, size_t *histories)
{
    *sessions = *histories = 0;
    for (size_t i = 0; i < d->members.len && *histories < 2; i++) {
        struct member *m = &d->members.data[i];
        const char *error = fmt_load_file(m->file.path, d->messages, &m->file);
        if (error)
            return error;
        m->format = format_of(&m->file);
        m->role = role_of(d, m);
        *sessions += m->role == ROLE_SESSION;
        *histories += m->role == ROLE_HISTORY;
        if (m->role == ROLE_OTHER && !m->session_name && d->members.len > 1)
            forget(m);
    }
    return NULL;
}

static const struct member *first_of(const struct folder *d, enum role role,
                                     const struct member *after)
{
    for (size_t i = after ? (size_t)(after - d->members.data) + 1 : 0; i < d->members.len; i++)
        if (d->members.data[i].role == role)
            return &d->members.data[i];
    return NULL;
}

static const char *several(const struct folder *d, const struct member *a, const struct member *b)
{
    const char *slash = ends_with(d->path, "/") ? "" : "/";
    return arena_printf(d->messages,
                        "%s: there are several histories in this folder, among them %s and %s: "
                        "name one of them, or check each of them: visar check %s%s*",
                        d->path, a->file.path, b->file.path, d->path, slash);
}

/* The input takes over the contents. */
static void take(struct fmt_input *in, struct member *m)
{
    vec_push(&in->files, m->file);
    m->file.data = NULL;
}

static const char *enter(struct fmt_input *in, struct member *m)
{
    in->folder = false;
    in->path = m->file.path;
    take(in, m);
    return NULL;
}

/* All logs, and nothing among them that is none. */
static const char *take_sessions(struct folder *d, struct fmt_input *in)
{
    const struct member *first = first_of(d, ROLE_SESSION, NULL);
    for (size_t i = 0; i < d->members.len; i++) {
        struct member *m = &d->members.data[i];
        if (m->session_name && m->role == ROLE_OTHER)
            return arena_printf(d->messages,
                                "%s: the files of this folder are the sessions of one history "
                                "(%s is one, in the format %s), but %s is none: move it elsewhere",
                                d->path, first->file.path, first->format->name, m->file.path);
        if (m->role == ROLE_SESSION && !d->named && m->format->read != first->format->read)
            return several(d, first, m);
    }
    for (size_t i = 0; i < d->members.len; i++)
        if (d->members.data[i].session_name)
            take(in, &d->members.data[i]);
    return NULL;
}

/* No file is a history.  If there is only one, what is wrong with it is what is wrong. */
static const char *take_nothing(struct folder *d, struct fmt_input *in)
{
    bool all_empty = d->members.len > 0;
    for (size_t i = 0; i < d->members.len; i++)
        all_empty &= d->members.data[i].role == ROLE_EMPTY;
    if (d->members.len == 1)
        return enter(in, &d->members.data[0]);
    if (all_empty)
        return NULL;
    return arena_printf(d->messages,
                        "%s: expected one history in the folder, or the logs of its sessions "
                        "(.log, .json or .jsonl), found none",
                        d->path);
}

static const char *choose_files(struct folder *d, struct fmt_input *in)
{
    size_t sessions, histories;
    const char *error = look_at_files(d, &sessions, &histories);
    if (error)
        return error;
    struct member *history = (struct member *)first_of(d, ROLE_HISTORY, NULL);
    struct member *session = (struct member *)first_of(d, ROLE_SESSION, NULL);
    if (histories > 1)
        return several(d, history, first_of(d, ROLE_HISTORY, history));
    if (histories && sessions)
        return several(d, session, history);
    if (histories)
        return enter(in, history);
    if (sessions == 1 && d->named && !d->named->folder)
        return enter(in, session);
    return sessions ? take_sessions(d, in) : take_nothing(d, in);
}

const char *fmt_load_folder(const char *path, const struct format *named, struct arena *messages,
                            struct fmt_input *in)
{
    struct folder d = {.path = path, .named = named, .messages = messages};
    in->path = path;
    in->folder = true;
    const char *error = list_files(&d);
    if (!error)
        error = choose_files(&d, in);
    for (size_t i = 0; i < d.members.len; i++)
        forget(&d.members.data[i]);
    vec_free(&d.members);
    return error;
}
