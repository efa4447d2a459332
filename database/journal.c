#include "database/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    ROOM = 56 /* for the longest outcome: "status":"committed","commit":1234567890123456789 */
};

/* ---- bytes ---------------------------------------------------------------------------------- */

static void fail(struct journal *j)
{
    if (j->error)
        return;
    snprintf(j->error_text, sizeof j->error_text, "%s", strerror(errno));
    j->error = j->error_text;
}

static void put_at(struct journal *j, const char *data, size_t n, int64_t at)
{
    while (n > 0 && !j->error) {
        ssize_t k = pwrite(j->fd, data, n, at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            fail(j);
            return;
        }
        data += k;
        n -= (size_t)k;
        at += k;
    }
}

static bool crosses(int64_t at, size_t n)
{
    return at / PAGE != (at + (int64_t)n - 1) / PAGE;
}

/* Where n bytes can go without crossing the border of a page: blanks make the line before longer,
 * so that it ends with this page. */
static int64_t make_room(struct journal *j, size_t n)
{
    char blanks[PAGE + 1];
    if (!crosses(j->end, n) || n > PAGE || j->end == 0)
        return j->end;
    size_t left = (size_t)(PAGE - j->end % PAGE) + 1;
    memset(blanks, ' ', left - 1);
    blanks[left - 1] = '\n';
    put_at(j, blanks, left, j->end - 1);
    j->end += (int64_t)left - 1;
    return j->end;
}

static int64_t append(struct journal *j, const char *data, size_t n)
{
    int64_t at = make_room(j, n);
    put_at(j, data, n, at);
    if (!j->error)
        j->end = at + (int64_t)n;
    return at;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* The file, and whether it was there before. */
static int open_file(struct journal *j)
{
    int fd = open(j->path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    j->ours = fd >= 0;
    if (fd < 0 && errno == EEXIST)
        fd = open(j->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    return fd;
}

/* NULL, or why the recorder must keep away from the file.  Not every file system has locks. */
static const char *obstacle(struct journal *j, bool force)
{
    struct stat st;
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return "another recorder is writing to it";
    if (fstat(j->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return "a history grows in a regular file only";
    return st.st_size > 0 && !force ? "it is there already; --force overwrites it" : NULL;
}

const char *journal_open(struct journal *j, const char *path, bool force, struct arena *messages)
{
    *j = (struct journal){.path = path};
    j->fd = open_file(j);
    if (j->fd < 0)
        return arena_printf(messages, "%s: %s", path, strerror(errno));
    const char *error = obstacle(j, force);
    if (!error) {
        pthread_mutex_init(&j->lock, NULL);
        return NULL;
    }
    close(j->fd);
    return arena_printf(messages, "%s: %s", path, error);
}

const char *journal_begin(struct journal *j, const char *header, struct arena *messages)
{
    if (ftruncate(j->fd, 0) != 0)
        return arena_printf(messages, "%s: %s", j->path, strerror(errno));
    char *line = arena_printf(messages, "{\"visar-history\":1%s}\n", header);
    append(j, line, strlen(line));
    return j->error ? arena_printf(messages, "%s: %s", j->path, j->error) : NULL;
}

const char *journal_close(struct journal *j, struct arena *messages)
{
    if (close(j->fd) != 0)
        fail(j);
    pthread_mutex_destroy(&j->lock);
    return j->error ? arena_printf(messages, "%s: %s", j->path, j->error) : NULL;
}

void journal_abandon(struct journal *j)
{
    if (j->ours) /* while the lock is held */
        unlink(j->path);
    close(j->fd);
    pthread_mutex_destroy(&j->lock);
}

void journal_line(struct journal *j, const char *text, size_t n)
{
    struct strbuf b = {0};
    sb_add(&b, text, n);
    sb_putc(&b, '\n');
    pthread_mutex_lock(&j->lock);
    append(j, b.data, b.len);
    pthread_mutex_unlock(&j->lock);
    sb_free(&b);
}

/* The outcome, blanks after it up to ROOM. */
static void outcome(char out[ROOM], enum hist_status status, int64_t end)
{
    static const char *const names[] = {"committed", "aborted", "unknown"};
    char text[ROOM + 1];
    int n = snprintf(text, sizeof text, "\"status\":\"%s\"", names[status]);
    if (status == HIST_COMMITTED)
        n += snprintf(text + n, sizeof text - (size_t)n, ",\"commit\":%" PRId64, end);
    memset(out, ' ', ROOM);
    memcpy(out, text, (size_t)n);
}

int64_t journal_add(struct journal *j, const struct journal_txn *t)
{
    struct strbuf b = {0};
    char room[ROOM];
    sb_printf(&b, "{\"session\":%" PRIu64 ",", t->session);
    size_t before = b.len;
    outcome(room, t->status, t->end);
    sb_add(&b, room, ROOM);
    sb_printf(&b, ",\"begin\":%" PRId64, t->begin);
    if (t->begin_answered != HIST_NO_TIME)
        sb_printf(&b, ",\"begin-answered\":%" PRId64, t->begin_answered);
    if (t->commit_asked != HIST_NO_TIME)
        sb_printf(&b, ",\"commit-asked\":%" PRId64, t->commit_asked);
    if (t->name)
        sb_printf(&b, ",\"name\":%s", t->name);
    sb_printf(&b, ",\"ops\":[%s]}\n", sb_str(t->ops));
    pthread_mutex_lock(&j->lock);
    if (b.len > PAGE) /* the outcome at least must not cross a border */
        make_room(j, before + ROOM);
    int64_t place = append(j, b.data, b.len) + (int64_t)before;
    j->count[t->status]++;
    pthread_mutex_unlock(&j->lock);
    sb_free(&b);
    return place;
}

void journal_settle(struct journal *j, int64_t place, enum hist_status status, int64_t end)
{
    char room[ROOM];
    outcome(room, status, end);
    pthread_mutex_lock(&j->lock);
    put_at(j, room, ROOM, place);
    j->count[HIST_UNKNOWN]--;
    j->count[status]++;
    pthread_mutex_unlock(&j->lock);
}

bool journal_failed(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    bool failed = j->error != NULL;
    pthread_mutex_unlock(&j->lock);
    return failed;
}
