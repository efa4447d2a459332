/* Helpers of the tests of history formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats_help.h"

void parse_bytes(struct parsed *p, const char *format, const char *bytes, size_t size)
{
    const struct format *f = fmt_find(format);
    *p = (struct parsed){0};
    p->in.path = "test";
    p->in.folder = f->folder;
    while (true) {
        const char *mark = f->folder ? memmem(bytes, size, "\n%%\n", 4) : NULL;
        size_t n = mark ? (size_t)(mark - bytes) : size;
        const char *name =
            arena_printf(&p->messages, f->folder ? "test/s%zu.log" : "test", p->in.files.len);
        vec_push(&p->in.files, ((struct fmt_file){name, arena_strndup(&p->messages, "", 0), 0}));
        char *copy = arena_alloc(&p->messages, n + 1);
        memcpy(copy, bytes, n);
        vec_last(&p->in.files).data = copy;
        vec_last(&p->in.files).size = n;
        if (!mark)
            break;
        bytes += n + 4;
        size -= n + 4;
    }
    p->error = fmt_parse(&p->in, f, &p->messages, &p->r);
}

void parse(struct parsed *p, const char *format, const char *text)
{
    parse_bytes(p, format, text, strlen(text));
}

void release(struct parsed *p)
{
    hist_free(p->r.history);
    vec_free(&p->r.notes);
    vec_free(&p->in.files);
    arena_free(&p->messages);
}

char *dump(const struct history *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    hist_dump(h, out);
    fclose(out);
    return text;
}

void expect_dump(const char *format, const char *text, const char *expected)
{
    struct parsed p;
    parse(&p, format, text);
    if (p.error)
        fail_msg("%s: %s", format, p.error);
    char *got = dump(p.r.history);
    assert_string_equal(got, expected);
    free(got);
    release(&p);
}

void expect_error(const char *format, const char *text, const char *expected)
{
    struct parsed p;
    parse(&p, format, text);
    if (!p.error)
        fail_msg("%s accepted: %s", format, text);
    assert_string_equal(p.error, expected);
    release(&p);
}

char *write_text(const struct history *h, const struct format *f, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    f->write(h, out);
    fclose(out);
    return text;
}

void put_le(struct strbuf *b, int n, ...)
{
    va_list ap;
    va_start(ap, n);
    while (n--) {
        uint64_t v = (uint64_t)va_arg(ap, int);
        for (int i = 0; i < 8; i++)
            sb_putc(b, (char)(v >> 8 * i));
    }
    va_end(ap);
}

void put_event(struct strbuf *b, int write, int key, int value, int ok)
{
    sb_putc(b, (char)write);
    put_le(b, 2, key, value);
    sb_putc(b, (char)ok);
}

void small_dbcop(struct strbuf *b)
{
    put_le(b, 5, 1, 99, 99, 99, 99);
    put_le(b, 1, 2);
    sb_puts(b, "db");
    put_le(b, 2, 0, 0);
    put_le(b, 1, 2); /* sessions */
    put_le(b, 1, 2); /* transactions */
    put_le(b, 1, 2);
    put_event(b, 1, 7, 1, 1);
    put_event(b, 0, 8, 0, 0);
    sb_putc(b, 1);
    put_le(b, 1, 1);
    put_event(b, 1, 8, -2, 1);
    sb_putc(b, 0);
    put_le(b, 1, 0);
}

const char jsonl_everything[] =
    "{\"visar-history\":1,\"default\":0,\"sessions\":[\"a\",null],\"versions-complete\":true}\n"
    "{\"initial\":[[\"x\",5]]}\n"
    "{\"initial\":[[7,null]]}\n"
    "{\"session\":0,\"begin\":3,\"begin-answered\":4,\"commit-asked\":8,\"commit\":9,\"id\":17,"
    "\"name\":\"withdraw(1, 5)\",\"ops\":"
    "[[\"r\",\"x\",5],[\"w\",\"x\",6,{\"id\":4}]]}\n"
    "{\"session\":1,\"status\":\"aborted\",\"ops\":[[\"w\",7,8,{\"failed\":true}],"
    "[\"r\",7,null,{\"initial\":true,\"same-statement\":true}]]}\n"
    "{\"session\":1,\"status\":\"unknown\",\"ops\":[[\"append\",9,1],[\"r\",9,[1,2]],"
    "[\"r\",9,[]]]}\n"
    "{\"session\":1,\"ops\":[]}\n"
    "{\"versions\":\"x\",\"order\":[[0,1]]}\n"
    "{\"arbitration\":[0,2]}\n"
    "{\"visibility\":[[0,2]]}\n";
