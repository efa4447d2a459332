/* base/: containers against naive ones, diagnostics to the letter, files that appear whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/heap.h"
#include "base/io.h"
#include "base/library.h"
#include "base/map.h"
#include "base/stats.h"
#include "base/strbuf.h"
#include "base/vec.h"

static void vec_grows_and_shrinks(void **state)
{
    (void)state;
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i);
    assert_int_equal(v.len, 1000);
    assert_int_equal(vec_pop(&v), 999);
    vec_resize(&v, 2000);
    assert_int_equal(v.data[998], 998);
    assert_int_equal(v.data[999], 0);
    assert_int_equal(v.data[1999], 0);
    *vec_add(&v) = 7;
    assert_int_equal(vec_last(&v), 7);
    vec_free(&v);
    assert_null(v.data);
}

static void heap_gives_the_smallest(void **state)
{
    (void)state;
    heap_u64 h = {0};
    for (uint64_t i = 0; i < 1000; i++)
        heap_push(&h, i * 7919 % 500); /* each of 500 numbers twice */
    for (uint64_t i = 0; i < 400; i++)
        assert_int_equal(heap_pop(&h), i / 2);
    heap_push(&h, 3);
    assert_int_equal(heap_pop(&h), 3);
    for (uint64_t i = 400; i < 1000; i++)
        assert_int_equal(heap_pop(&h), i / 2);
    assert_int_equal(h.len, 0);
    vec_free(&h);
}

static void arena_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena a = {0};
    for (size_t n = 0; n < 3000; n += 7) {
        unsigned char *p = arena_alloc(&a, n);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, n);
    }
    assert_non_null(arena_alloc(&a, 10 << 20));
    assert_string_equal(arena_printf(&a, "%d-%s", 5, "x"), "5-x");
    arena_free(&a);
}

static void map_agrees_with_an_array(void **state)
{
    (void)state;
    enum { KEYS = 512 };
    uint64_t truth[KEYS] = {0};
    bool there[KEYS] = {0};
    struct map m = {0};
    assert_null(map_get(&m, 0));
    srand(1);
    for (int i = 0; i < 20000; i++) {
        uint64_t k = (uint64_t)rand() % KEYS, key = k * 0x100000001u, value = (uint64_t)rand();
        bool fresh;
        uint64_t *slot = map_put(&m, key, value, &fresh);
        assert_int_equal(fresh, !there[k]);
        if (fresh)
            truth[k] = value;
        assert_int_equal(*slot, truth[k]);
        *slot = truth[k] = value;
        there[k] = true;
    }
    for (uint64_t k = 0; k < KEYS; k++)
        assert_int_equal(*map_get(&m, k * 0x100000001u), truth[k]);
    assert_null(map_get(&m, UINT64_MAX));
    map_clear(&m);
    assert_null(map_get(&m, 0));
    map_free(&m);
}

static void intern_gives_dense_ids(void **state)
{
    (void)state;
    struct intern t = {0};
    char name[32];
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 5000; i++) {
            int n = snprintf(name, sizeof name, "name%u", i);
            assert_int_equal(intern_add(&t, name, (size_t)n), i);
        }
    assert_string_equal(intern_name(&t, 4321), "name4321");
    assert_int_equal(intern_find(&t, "absent", 6), INTERN_NONE);
    assert_int_equal(intern_add(&t, "a\0b", 3), 5000);
    assert_int_equal(intern_add(&t, "a\0c", 3), 5001);
    intern_free(&t);
}

static char *scratch(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/visar-test-%d-%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
             (int)getpid(), name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void diagnostics_to_the_letter(void **state)
{
    (void)state;
    char *path = scratch("d.c"), *text = NULL;
    size_t size;
    write_file(path, "first\n\tint x;\r\n\xc3\xa9 y", 19);
    struct diag_list d = {0};
    uint32_t file = diag_file(&d, path);
    diag_add(&d, DIAG_ERROR, (struct src_loc){file, 3, 4}, "late %d", 2);
    diag_hint(&d, "do this");
    diag_add(&d, DIAG_NOTE, (struct src_loc){file, 1, 1}, "because");
    diag_add(&d, DIAG_WARNING, (struct src_loc){file, 2, 6}, "early");
    diag_add(&d, DIAG_WARNING, (struct src_loc){file, 2, 6}, "early");
    diag_add(&d, DIAG_ERROR, SRC_LOC_NONE, "nowhere");
    diag_sort(&d);
    assert_int_equal(d.errors, 2);
    assert_int_equal(d.warnings, 1);
    FILE *out = open_memstream(&text, &size);
    diag_print(&d, out, false);
    fclose(out);
    struct arena a = {0};
    const char *expected =
        arena_printf(&a,
                     "%s:2:6: warning: early\n    2 | \tint x;\n      | \t    ^\n"
                     "%s:3:4: error: late 2\n    3 | \xc3\xa9 y\n      |   ^\n"
                     "        hint: do this\n"
                     "%s:1:1: note: because\n    1 | first\n      | ^\n"
                     "visar: nowhere\n",
                     path, path, path);
    assert_string_equal(text, expected);
    free(text);
    arena_free(&a);
    diag_free(&d);
    unlink(path);
}

/* "visar: MESSAGE", or with a place "FILE:LINE[:COLUMN]: error: MESSAGE". */
static void errors_have_one_form(void **state)
{
    static const char *const forms[][2] = {
        {"nowhere", "visar: nowhere\n"},
        {"h.jsonl: is empty", "visar: h.jsonl: is empty\n"},
        {"h.jsonl:3:14: expected a: b", "h.jsonl:3:14: error: expected a: b\n"},
        {"h.jsonl:3: expected a", "h.jsonl:3: error: expected a\n"},
        {"a b:3: expected", "a b:3: error: expected\n"},
        {"1:8:9: odd", "1:8:9: error: odd\n"},
        {"h.jsonl: 3:14: expected a", "visar: h.jsonl: 3:14: expected a\n"},
        {"byte 12: expected a", "visar: byte 12: expected a\n"},
        {":3: odd", "visar: :3: odd\n"},
        {"3: odd", "visar: 3: odd\n"},
        {"", "visar: \n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *text = NULL;
        size_t size;
        struct diag_list d = {0};
        diag_add(&d, DIAG_ERROR, SRC_LOC_NONE, "%s", forms[i][0]);
        FILE *out = open_memstream(&text, &size);
        diag_print(&d, out, false);
        fclose(out);
        assert_string_equal(text, forms[i][1]);
        free(text);
        diag_free(&d);
    }
}

static void messages_without_a_line(void **state)
{
    char *text = NULL;
    size_t size;
    struct diag_list d = {0};
    (void)state;
    struct src_loc whole = {diag_file(&d, "bank.c"), 0, 0};
    diag_add(&d, DIAG_ERROR, whole, "no transaction");
    diag_add(&d, DIAG_WARNING, SRC_LOC_NONE, "careful");
    FILE *out = open_memstream(&text, &size);
    diag_print(&d, out, false);
    fclose(out);
    assert_string_equal(text, "visar: bank.c: no transaction\nvisar: warning: careful\n");
    free(text);
    diag_free(&d);
}

static void check_read(const char *path, const char *expected, size_t n)
{
    struct arena a = {0};
    struct io_bytes b = {0};
    assert_null(io_read(path, &a, &b));
    assert_int_equal(b.size, n);
    assert_memory_equal(b.data, expected, n);
    assert_int_equal(b.data[n], 0);
    io_bytes_free(&b);
    arena_free(&a);
}

static void compressed_files_read_like_plain_ones(void **state)
{
    (void)state;
    enum { N = 200000 };
    char *data = malloc(N), *packed = malloc(2 * N), *path = scratch("z");
    for (int i = 0; i < N; i++)
        data[i] = (char)(i % 251 * (i / 1000));
    write_file(path, data, N);
    check_read(path, data, N);
    size_t n = ZSTD_compress(packed, 2 * N, data, N, 3);
    write_file(path, packed, n);
    check_read(path, data, N);
    gzFile gz = gzopen(path, "wb");
    assert_int_equal(gzwrite(gz, data, N / 2), N / 2);
    gzclose(gz);
    gz = gzopen(path, "ab"); /* a second member */
    assert_int_equal(gzwrite(gz, data + N / 2, N / 2), N / 2);
    gzclose(gz);
    check_read(path, data, N);
    write_file(path, "", 0);
    check_read(path, "", 0);
    free(data);
    free(packed);
    unlink(path);
}

static void broken_compression_is_an_error(void **state)
{
    (void)state;
    struct arena a = {0};
    struct io_bytes b = {0};
    char packed[1000], *path = scratch("b");
    size_t n = ZSTD_compress(packed, sizeof packed, "hello hello hello hello", 23, 3);
    write_file(path, packed, n - 3);
    assert_non_null(io_read(path, &a, &b));
    write_file(path, "\x1f\x8b\x08\x00garbage", 11);
    assert_non_null(io_read(path, &a, &b));
    write_file(path, "\x1f\x8b", 2);
    assert_non_null(io_read(path, &a, &b));
    unlink(path);
    assert_non_null(io_read(path, &a, &b));
    arena_free(&a);
}

static void output_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    struct arena a = {0};
    struct io_out o;
    char *path = scratch("o");
    assert_null(io_create(path, &a, &o));
    fputs("half", o.file);
    assert_int_not_equal(access(path, F_OK), 0);
    io_discard(&o);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_null(io_create(path, &a, &o));
    fputs("whole", o.file);
    assert_null(io_commit(&o, &a));
    check_read(path, "whole", 5);
    unlink(path);
    assert_non_null(io_create("/nonexistent/folder/file", &a, &o));
    assert_null(io_create("/dev/null", &a, &o));
    assert_null(io_commit(&o, &a));
    assert_int_equal(access("/dev/null", W_OK), 0);
    assert_null(io_create("/dev/full", &a, &o));
    fputs("x", o.file);
    assert_non_null(io_commit(&o, &a));
    arena_free(&a);
}

/* Runs fn in a child with the n-th allocation failing; its exit code. */
static int run_failing(void (*fn)(void), long nth)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(99);
        mem_inject(nth);
        fn();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void allocate_much(void)
{
    struct arena a = {0};
    struct intern t = {0};
    struct map m = {0};
    struct strbuf b = {0};
    struct diag_list d = {0};
    for (int i = 0; i < 100; i++) {
        const char *name = arena_printf(&a, "name %d", i);
        intern_add(&t, name, strlen(name));
        map_put(&m, (uint64_t)i, 0, NULL);
        sb_printf(&b, "%s ", name);
        diag_add(&d, DIAG_ERROR, SRC_LOC_NONE, "%s", name);
    }
    diag_sort(&d);
}

static void every_failed_allocation_ends_cleanly(void **state)
{
    (void)state;
    long nth = 1;
    for (int rc; (rc = run_failing(allocate_much, nth)) != 0; nth++)
        assert_int_equal(rc, 5);
    assert_true(nth > 10);
}

static void stats_add_up(void **state)
{
    (void)state;
    struct stats a = {.conflicts = 3, .solve_seconds = 0.5}, b = {.conflicts = 4};
    stats_add(&a, &b);
    assert_int_equal(a.conflicts, 7);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    stats_print(&a, out);
    fclose(out);
    assert_non_null(strstr(text, "solver conflicts"));
    assert_null(strstr(text, "solver decisions"));
    free(text);
}

/* A library that is not there: one line that names it, and exit code 1.  One that is there is found
 * by its name, or else by its path. */
static void late_library_is_found_or_named(void **state)
{
    (void)state;
    struct library zlib = {.soname = "libz.so.1", .path = "/nowhere"};
    struct library gone = {.soname = "libnothing.so.7", .path = "/nowhere"};
    assert_ptr_equal(library_find(&zlib, "zlibVersion"), (void *)zlibVersion);
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        dup2(ends[1], STDERR_FILENO);
        library_find(&gone, "nothing");
        _exit(0);
    }
    close(ends[1]);
    char text[512];
    ssize_t n = read(ends[0], text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_non_null(strstr(text, "this command needs libnothing.so.7, which cannot be loaded"));
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_library_is_found_or_named),
        cmocka_unit_test(vec_grows_and_shrinks),
        cmocka_unit_test(heap_gives_the_smallest),
        cmocka_unit_test(arena_is_zeroed_and_aligned),
        cmocka_unit_test(map_agrees_with_an_array),
        cmocka_unit_test(intern_gives_dense_ids),
        cmocka_unit_test(diagnostics_to_the_letter),
        cmocka_unit_test(errors_have_one_form),
        cmocka_unit_test(messages_without_a_line),
        cmocka_unit_test(compressed_files_read_like_plain_ones),
        cmocka_unit_test(broken_compression_is_an_error),
        cmocka_unit_test(output_appears_whole_or_not_at_all),
        cmocka_unit_test(every_failed_allocation_ends_cleanly),
        cmocka_unit_test(stats_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
