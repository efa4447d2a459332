/* Shrinking: first the functions that the failing one does not need go, then whole blocks, then the
 * braces around blocks, then ever smaller groups of lines; each step is kept if the rest is still
 * wrong in the same way. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "fuzz.h"

struct shrinking {
    VEC(char *) lines; /* NULL: removed */
    fz_still_wrong wrong;
    void *arg;
};

static void split(struct shrinking *s, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        vec_push(&s->lines, mem_strndup(text, length));
        text += length + (text[length] == '\n');
    }
}

static char *join(const struct shrinking *s)
{
    struct strbuf b = {0};
    for (size_t i = 0; i < s->lines.len; i++)
        if (s->lines.data[i])
            sb_printf(&b, "%s\n", s->lines.data[i]);
    char *text = mem_strdup(sb_str(&b));
    sb_free(&b);
    return text;
}

static bool still_wrong(struct shrinking *s)
{
    char *text = join(s);
    bool wrong = s->wrong(s->arg, text);
    mem_free(text);
    return wrong;
}

/* ---- functions ----------------------------------------------------------------------------- */

struct function {
    size_t first, last; /* lines */
    char name[32];
    bool kept;
};
typedef VEC(struct function) function_list;

/* A head at the margin, "{" alone, and "}" alone. */
static void find_functions(const struct shrinking *s, function_list *out)
{
    for (size_t i = 0; i + 1 < s->lines.len; i++) {
        const char *head = s->lines.data[i], *end = strchr(head, '(');
        struct function f = {.first = i};
        if (!end || strcmp(s->lines.data[i + 1], "{") != 0)
            continue;
        const char *name = end;
        while (name > head && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
            name--;
        size_t length = (size_t)(end - name) < sizeof f.name ? (size_t)(end - name) : 0;
        memcpy(f.name, name, length);
        while (i < s->lines.len && strcmp(s->lines.data[i], "}") != 0)
            i++;
        f.last = i;
        vec_push(out, f);
    }
}

static bool mentions(const char *line, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name)) {
        bool starts = at == line || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (starts && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

static void keep(const struct shrinking *s, function_list *all, struct function *f)
{
    if (f->kept)
        return;
    f->kept = true;
    for (size_t i = f->first; i <= f->last; i++)
        for (size_t k = 0; k < all->len; k++)
            if (mentions(s->lines.data[i], all->data[k].name))
                keep(s, all, &all->data[k]);
}

static void drop(struct shrinking *s, size_t i)
{
    mem_free(s->lines.data[i]);
    s->lines.data[i] = NULL;
}

/* Only what the failing function can reach; the line that stands for a transaction goes with it. */
static void keep_needed(struct shrinking *s, const char *who)
{
    function_list all = {0};
    find_functions(s, &all);
    for (size_t k = 0; k < all.len; k++)
        if (strcmp(all.data[k].name, who) == 0)
            keep(s, &all, &all.data[k]);
    for (size_t k = 0; k < all.len; k++) {
        const struct function *f = &all.data[k];
        bool stub = f->last + 1 < s->lines.len && s->lines.data[f->last + 1] &&
                    strncmp(s->lines.data[f->last + 1], "FZ_STUB", 7) == 0;
        for (size_t i = f->first; i <= f->last + stub && !f->kept; i++)
            drop(s, i);
    }
    vec_free(&all);
    size_t n = 0;
    for (size_t i = 0; i < s->lines.len; i++)
        if (s->lines.data[i])
            s->lines.data[n++] = s->lines.data[i];
    s->lines.len = n;
}

/* ---- blocks and lines ---------------------------------------------------------------------- */

static size_t indentation(const char *line)
{
    return strspn(line, " ");
}

/* The line that closes the block which line i opens; 0 if it opens none. */
static size_t closing(const struct shrinking *s, size_t i)
{
    const char *head = s->lines.data[i];
    if (!head || !*head || head[strlen(head) - 1] != '{' || strcmp(head, "{") == 0)
        return 0;
    for (size_t k = i + 1; k < s->lines.len; k++)
        if (s->lines.data[k] && indentation(s->lines.data[k]) == indentation(head) &&
            s->lines.data[k][indentation(head)] == '}')
            return k;
    return 0;
}

/* A function must not run off its end: its value would be open. */
static bool is_last_return(const char *line)
{
    return strncmp(line, "    return", 10) == 0;
}

/* Without lines [i, k], or without lines i and k alone: leave it so if that is still wrong. */
static void try_without(struct shrinking *s, size_t i, size_t k, bool between)
{
    VEC(char *) saved = {0};
    bool any = false;
    for (size_t j = i; j <= k; j++) {
        char *line = s->lines.data[j];
        vec_push(&saved, line);
        if (line && (between ? !is_last_return(line) : j == i || j == k)) {
            s->lines.data[j] = NULL;
            any = true;
        }
    }
    if (!any || !still_wrong(s))
        memcpy(&s->lines.data[i], saved.data, saved.len * sizeof *saved.data);
    else
        for (size_t j = 0; j < saved.len; j++)
            if (!s->lines.data[i + j])
                mem_free(saved.data[j]);
    vec_free(&saved);
}

static void shrink_blocks(struct shrinking *s)
{
    for (size_t i = 0; i < s->lines.len; i++) {
        size_t k = closing(s, i);
        if (k)
            try_without(s, i, k, true);
        k = closing(s, i);
        if (k)
            try_without(s, i, k, false);
    }
}

static void shrink_lines(struct shrinking *s)
{
    for (size_t size = s->lines.len / 2; size >= 1; size /= 2)
        for (size_t i = 0; i + size <= s->lines.len; i += size > 4 ? size / 2 : 1)
            try_without(s, i, i + size - 1, true);
}

char *fz_shrink(const char *text, const char *who, fz_still_wrong wrong, void *arg)
{
    struct shrinking s = {.wrong = wrong, .arg = arg};
    split(&s, text);
    keep_needed(&s, who);
    if (still_wrong(&s)) { /* else something outside the function matters: leave it whole */
        shrink_blocks(&s);
        shrink_lines(&s);
    } else {
        for (size_t i = 0; i < s.lines.len; i++)
            mem_free(s.lines.data[i]);
        vec_clear(&s.lines);
        split(&s, text);
    }
    char *result = join(&s);
    for (size_t i = 0; i < s.lines.len; i++)
        mem_free(s.lines.data[i]);
    vec_free(&s.lines);
    return result;
}
