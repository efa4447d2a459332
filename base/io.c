#include "base/io.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/limit.h"
#include "base/vec.h"

typedef VEC(char) bytes;

/* ---- reading -------------------------------------------------------------------------------- */

/* So many bytes come at a time: limits are looked at in between. */
#define PIECE ((size_t)1 << 20)

static size_t piece(const bytes *out)
{
    size_t room = out->cap - out->len;
    return room < PIECE ? room : PIECE;
}

static const char *slurp(FILE *in, struct arena *messages, bytes *out)
{
    struct stat st;
    if (fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        vec_reserve(out, (size_t)st.st_size + 1);
    while (!limit_reached()) {
        vec_reserve(out, out->len + 65536);
        size_t n = fread(out->data + out->len, 1, piece(out), in);
        out->len += n;
        if (n == 0)
            break;
    }
    return ferror(in) ? arena_printf(messages, "cannot be read: %s", strerror(errno)) : NULL;
}

/* Concatenated gzip members are one file, as for gunzip. */
static const char *gunzip(const bytes *in, struct arena *messages, bytes *out)
{
    z_stream z = {0};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        mem_exhausted();
    size_t fed = 0;
    int rc = Z_OK;
    while (!limit_reached() && (rc == Z_OK || (rc == Z_STREAM_END && fed - z.avail_in < in->len))) {
        if (rc == Z_STREAM_END)
            inflateReset(&z);
        if (z.avail_in == 0) {
            size_t n = in->len - fed < (1u << 30) ? in->len - fed : (1u << 30);
            if (n == 0)
                break;
            z.next_in = (unsigned char *)in->data + fed;
            z.avail_in = (unsigned)n;
            fed += n;
        }
        vec_reserve(out, out->len + 65536);
        size_t room = piece(out);
        z.next_out = (unsigned char *)out->data + out->len;
        z.avail_out = (unsigned)room;
        rc = inflate(&z, Z_NO_FLUSH);
        out->len += room - z.avail_out;
    }
    if (rc == Z_MEM_ERROR)
        mem_exhausted();
    const char *why = z.msg ? z.msg : "the data ends too early";
    const char *error =
        rc == Z_STREAM_END ? NULL : arena_printf(messages, "broken gzip data: %s", why);
    inflateEnd(&z);
    return error;
}

static const char *unzstd(const bytes *in, struct arena *messages, bytes *out)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();
    if (!z)
        mem_exhausted();
    ZSTD_inBuffer src = {in->data, in->len, 0};
    size_t rc = 1;
    const char *error = NULL;
    while (!limit_reached() && (src.pos < src.size || rc != 0)) {
        vec_reserve(out, out->len + 65536);
        ZSTD_outBuffer dst = {out->data + out->len, piece(out), 0};
        size_t before = src.pos;
        rc = ZSTD_decompressStream(z, &dst, &src);
        out->len += dst.pos;
        if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
            mem_exhausted();
        if (ZSTD_isError(rc)) {
            error = arena_printf(messages, "broken zstd data: %s", ZSTD_getErrorName(rc));
            break;
        }
        if (rc != 0 && src.pos == src.size && before == src.pos && dst.pos == 0) {
            error = "broken zstd data: the data ends too early";
            break;
        }
    }
    ZSTD_freeDCtx(z);
    return error;
}

static const char *decompress(const char *path, bytes *raw, struct arena *messages, bytes *out)
{
    const unsigned char *p = (unsigned char *)raw->data;
    bool gzip = raw->len >= 2 && p[0] == 0x1f && p[1] == 0x8b;
    bool zstd = raw->len >= 4 && !memcmp(p, "\x28\xb5\x2f\xfd", 4);
    if (!gzip && !zstd) {
        *out = *raw;
        memset(raw, 0, sizeof *raw);
        return NULL;
    }
    limit_phase("inflating %s", path);
    return gzip ? gunzip(raw, messages, out) : unzstd(raw, messages, out);
}

const char *io_read(const char *path, struct arena *messages, struct io_bytes *out)
{
    bool standard = !strcmp(path, "-");
    FILE *in = standard ? stdin : fopen(path, "rb");
    if (!in)
        return arena_printf(messages, "cannot be opened: %s", strerror(errno));
    bytes raw = {0}, plain = {0};
    const char *name = standard ? "standard input" : path;
    limit_phase("reading %s", name);
    const char *error = slurp(in, messages, &raw);
    if (!standard)
        fclose(in);
    if (!error && !limit_reached())
        error = decompress(name, &raw, messages, &plain);
    vec_free(&raw);
    if (limit_reached())
        error = limit_text();
    if (error) {
        vec_free(&plain);
        return error;
    }
    vec_push(&plain, 0);
    *out = (struct io_bytes){plain.data, plain.len - 1};
    return NULL;
}

void io_bytes_free(struct io_bytes *b)
{
    mem_free(b->data);
    *b = (struct io_bytes){0};
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Temporaries that exist right now, so that a program that is stopped can remove them: files are
 * process-wide by nature.  A slot is taken and given back without locks. */
#define PENDING_MAX 16
static _Atomic(char *) pending[PENDING_MAX];

static void pend(char *temporary)
{
    for (int i = 0; i < PENDING_MAX; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&pending[i], &none, temporary))
            return;
    }
}

static void unpend(char *temporary)
{
    for (int i = 0; i < PENDING_MAX; i++) {
        char *it = temporary;
        if (temporary && atomic_compare_exchange_strong(&pending[i], &it, NULL))
            return;
    }
}

void io_abandon_all(void)
{
    for (int i = 0; i < PENDING_MAX; i++) {
        char *it = atomic_exchange(&pending[i], NULL);
        if (it)
            unlink(it);
    }
}

/* Devices and pipes cannot be replaced by a rename, and must not be. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static const char *cannot_write(struct arena *messages)
{
    return arena_printf(messages, "cannot be written: %s", strerror(errno));
}

const char *io_create(const char *path, struct arena *messages, struct io_out *out)
{
    memset(out, 0, sizeof *out);
    if (!strcmp(path, "-")) {
        out->file = stdout;
        return NULL;
    }
    if (is_special(path)) {
        out->file = fopen(path, "wb");
        out->path = mem_strdup(path);
        return out->file ? NULL : cannot_write(messages);
    }
    char *temporary = mem_alloc(strlen(path) + 8);
    sprintf(temporary, "%s.XXXXXX", path);
    int fd = mkstemp(temporary);
    if (fd < 0) {
        mem_free(temporary);
        return cannot_write(messages);
    }
    pend(temporary);
    out->path = mem_strdup(path);
    out->temporary = temporary;
    mode_t mask = umask(0);
    umask(mask);
    out->file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "wb") : NULL;
    if (out->file)
        return NULL;
    const char *error = cannot_write(messages);
    close(fd);
    io_discard(out);
    return error;
}

static void forget(struct io_out *out)
{
    unpend(out->temporary);
    mem_free(out->path);
    mem_free(out->temporary);
    memset(out, 0, sizeof *out);
}

const char *io_commit(struct io_out *out, struct arena *messages)
{
    bool bad = fflush(out->file) != 0 || ferror(out->file);
    if (out->path) {
        bad |= fclose(out->file) != 0;
        out->file = NULL;
    }
    if (out->temporary)
        bad = bad || rename(out->temporary, out->path) != 0;
    const char *error = bad ? cannot_write(messages) : NULL;
    if (bad)
        io_discard(out);
    else
        forget(out);
    return error;
}

void io_discard(struct io_out *out)
{
    if (out->path && out->file)
        fclose(out->file);
    if (out->temporary)
        unlink(out->temporary);
    forget(out);
}
