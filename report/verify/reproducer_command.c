/* How a reproducer names the source that it includes, and how it is compiled. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/verify/reproducer.h"

/* A name with a quotation mark goes between < and >, which takes an absolute one. */
const char *reproducer_include(struct arena *a, const char *source, const char *out)
{
    char from[PATH_MAX], to[PATH_MAX];
    const char *slash = strrchr(out, '/');
    const char *folder = slash ? arena_strndup(a, out, (size_t)(slash - out) + 1) : ".";
    if (!realpath(folder, from) || !realpath(source, to))
        return source;
    if (strchr(to, '"'))
        return arena_strdup(a, to);
    size_t common = 0; /* up to the last slash that both have */
    for (size_t i = 0; from[i] == to[i] || (!from[i] && to[i] == '/'); i++) {
        if (to[i] == '/')
            common = i + 1;
        if (!from[i] || !to[i])
            break;
    }
    struct strbuf b = {0};
    if (strlen(from) + 1 > common)
        for (const char *p = from + common; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
            sb_puts(&b, "../");
    sb_puts(&b, to + common);
    const char *path = arena_strdup(a, sb_str(&b));
    sb_free(&b);
    return path;
}

/* As one word of a shell's command line. */
static void put_word(struct strbuf *b, const char *s)
{
    if (*s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:") ==
                  strlen(s)) {
        sb_puts(b, s);
        return;
    }
    sb_putc(b, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            sb_puts(b, "'\\'");
        sb_putc(b, *s);
    }
    sb_putc(b, '\'');
}

const char *reproducer_command(struct arena *a, const char *include_dir, const char *const *flags,
                               size_t n_flags, uint64_t rows, const char *out)
{
    struct strbuf b = {0};
    sb_puts(&b, "cc ");
    if (include_dir) {
        sb_puts(&b, "-I");
        put_word(&b, include_dir);
        sb_putc(&b, ' ');
    }
    for (size_t i = 0; i < n_flags; i++) {
        put_word(&b, flags[i]);
        sb_putc(&b, ' ');
    }
    if (rows)
        sb_printf(&b, "-DANY=%llu ", (unsigned long long)rows);
    put_word(&b, strcmp(out, "-") ? out : "cex.c");
    sb_puts(&b, " && ./a.out");
    const char *text = arena_strdup(a, sb_str(&b));
    sb_free(&b);
    return text;
}
