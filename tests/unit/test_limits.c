/* Limits, crashes, and how much memory there is.  Everything that ends the program runs in a child.
 * Nothing depends on how fast the machine is: a child that ends too late ends all the same. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/crash.h"
#include "base/io.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/spare_memory.h"
#include "base/vec.h"

#if defined __SANITIZE_ADDRESS__
#define SANITIZED true
#elif defined __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED false
#endif

struct child {
    int exit_code;
    long megabytes; /* at its peak */
    char said[512]; /* on standard output and standard error */
};

static struct child run(void (*fn)(void))
{
    struct child c = {0};
    int ends[2], status;
    struct rusage u;
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        fn();
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], c.said + n, sizeof c.said - 1 - n)) > 0;)
        n += (size_t)got;
    close(ends[0]);
    assert_int_equal(wait4(pid, &status, 0, &u), pid);
    assert_true(WIFEXITED(status));
    c.exit_code = WEXITSTATUS(status);
    c.megabytes = u.ru_maxrss / 1024;
    return c;
}

static int last_words(enum limit_reason why)
{
    (void)why;
    dprintf(STDOUT_FILENO, "UNKNOWN: %s\n", limit_text());
    return 5;
}

/* ---- time and signals ------------------------------------------------------------------------ */

/* What has to have happened before the time is over is done before the clock starts: on a machine
 * with much else to do, any two lines can be a second apart. */
static void polls(void)
{
    limit_phase("counting %d sheep", 7);
    limit_allow(600); /* however long this process waits for a processor */
    limit_start(0.05, 0, last_words);
    while (!limit_reached())
        usleep(1000);
    limit_phase("going home"); /* too late to matter */
    dprintf(STDOUT_FILENO, "%s", limit_text());
    _exit(7);
}

static void does_not_poll(void)
{
    limit_phase("sleeping");
    limit_step("dreaming");
    limit_start(0.05, 0, last_words);
    for (;;)
        pause();
}

static void is_interrupted(void)
{
    limit_start(0, 0, last_words);
    limit_phase("waiting");
    kill(getpid(), SIGINT);
    for (;;)
        pause();
}

static void has_spoken(void)
{
    limit_speak();
    limit_start(0.05, 0, last_words);
    dprintf(STDOUT_FILENO, "VIOLATED");
    limit_said(10);
    kill(getpid(), SIGTERM);
    for (;;)
        pause();
}

/* A second Ctrl-C while a report is being put together, and while it is being printed. */
static void is_stopped_before_a_word(void)
{
    limit_start(0, 0, last_words);
    limit_speak();
    kill(getpid(), SIGINT);
    while (!limit_reached())
        usleep(1000);
    kill(getpid(), SIGINT);
    for (;;)
        pause();
}

static void is_stopped_after_a_word(void)
{
    limit_start(0, 0, last_words);
    limit_speak();
    limit_uttered();
    dprintf(STDOUT_FILENO, "VIOL");
    kill(getpid(), SIGINT);
    while (!limit_reached())
        usleep(1000);
    kill(getpid(), SIGINT);
    for (;;)
        pause();
}

/* The time limit does not count while the verdict is being printed. */
static void speaks_slowly(void)
{
    limit_speak();
    limit_start(0.02, 0, last_words);
    for (int i = 0; i < 20; i++)
        usleep(5000);
    _exit(limit_reached() ? 1 : 9);
}

static void phases_are_named(void **state)
{
    (void)state;
    struct child c = run(polls);
    assert_int_equal(c.exit_code, 7);
    assert_string_equal(c.said, "time ran out (0.05 s) while counting 7 sheep");
    c = run(does_not_poll);
    assert_int_equal(c.exit_code, 5);
    assert_string_equal(c.said, "UNKNOWN: time ran out (0.05 s) while sleeping (dreaming)\n");
    c = run(is_interrupted);
    assert_int_equal(c.exit_code, 5);
    assert_string_equal(c.said, "UNKNOWN: interrupted while waiting\n");
}

static void verdicts_are_not_taken_back(void **state)
{
    (void)state;
    struct child c = run(has_spoken);
    assert_int_equal(c.exit_code, 10);
    assert_string_equal(c.said, "VIOLATED");
    assert_int_equal(run(speaks_slowly).exit_code, 9);
}

/* Whatever happens while a report is put together: either some of it is out, or the limit is. */
static void nobody_is_left_without_a_word(void **state)
{
    (void)state;
    struct child c = run(is_stopped_before_a_word);
    assert_int_equal(c.exit_code, 5);
    assert_string_equal(c.said, "UNKNOWN: interrupted\n");
    c = run(is_stopped_after_a_word);
    assert_int_equal(c.exit_code, 5);
    assert_string_equal(c.said, "VIOL");
}

static char folder[] = "/tmp/visar-limits-XXXXXX";

static void leaves_half_a_file(void)
{
    struct arena messages = {0};
    struct io_out out;
    char path[64];
    snprintf(path, sizeof path, "%s/half", folder);
    limit_start(0.05, 0, last_words);
    if (io_create(path, &messages, &out))
        _exit(99);
    fputs("half", out.file);
    fflush(out.file);
    for (;;)
        pause();
}

static void half_written_files_are_removed(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(run(leaves_half_a_file).exit_code, 5);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
}

/* ---- memory --------------------------------------------------------------------------------- */

#define MEGABYTES 200
#define SLACK 8

/* A library does this: it knows nothing of limits. */
static void allocates_without_asking(void)
{
    limit_start(0, MEGABYTES, last_words);
    limit_phase("hoarding");
    for (;;) {
        void *p = malloc(1 << 20);
        if (!p)
            mem_exhausted();
        memset(p, 1, 1 << 20);
    }
}

static void grows_a_vector(void)
{
    VEC(char) v = {0};
    limit_start(0, MEGABYTES, last_words);
    for (;;)
        vec_push(&v, 1);
}

static void wants_too_much_at_once(void)
{
    limit_start(0, MEGABYTES, last_words);
    usleep(50000);
    while (!limit_reached()) { /* until the watcher has looked for the first time */
        char *p = mem_try_realloc(NULL, (size_t)4 << 30);
        if (!p)
            mem_exhausted();
        free(p);
    }
}

static void reads_without_end(void)
{
    struct arena messages = {0};
    struct io_bytes bytes;
    limit_start(0, MEGABYTES, last_words);
    if (io_read("/dev/zero", &messages, &bytes))
        _exit(last_words(limit_why()));
}

static void memory_has_no_grace(void **state)
{
    (void)state;
    static void (*const hungry[])(void) = {allocates_without_asking, grows_a_vector,
                                           reads_without_end};
    for (size_t i = 0; i < sizeof hungry / sizeof *hungry; i++) {
        struct child c = run(hungry[i]);
        assert_int_equal(c.exit_code, 5);
        assert_non_null(strstr(c.said, "UNKNOWN: memory ran out (200 MB)"));
        if (!SANITIZED)
            assert_in_range(c.megabytes, 1, MEGABYTES + SLACK);
    }
    if (!SANITIZED)
        assert_int_equal(run(wants_too_much_at_once).exit_code, 5);
}

/* ---- libraries that do not bear it ------------------------------------------------------------
 */

static volatile size_t wanted = (size_t)4 << 30;

static void begin_to_crash(void)
{
    crash_catch("visar 0", 6);
    limit_start(0, MEGABYTES, last_words);
    limit_phase("trusting");
}

static void writes_to_what_it_did_not_get(void)
{
    begin_to_crash();
    volatile char *p = malloc(wanted);
    *p = 1;
    free((void *)p);
}

/* Its error is not that of an allocation, but there is hardly anything left. */
static void aborts_with_little_left(void)
{
    begin_to_crash();
    for (void *p; (p = malloc(1 << 20));)
        ((volatile char *)p)[1 << 19] = 1;
    errno = EAGAIN;
    abort();
}

static void aborts_with_much_left(void)
{
    begin_to_crash();
    errno = EAGAIN;
    abort();
}

static void bears_it_and_crashes_later(void)
{
    begin_to_crash();
    if (malloc(wanted))
        _exit(99);
    limit_phase("minding its own business");
    raise(SIGSEGV);
}

/* A crash is the limit's if memory was refused, and nobody else's. */
static void crashes_for_want_of_memory(void **state)
{
    (void)state;
    static const char unknown[] = "UNKNOWN: memory ran out (200 MB) while trusting\n";
    if (SANITIZED)
        return;
    struct child c = run(writes_to_what_it_did_not_get);
    assert_int_equal(c.exit_code, 5);
    assert_string_equal(c.said, unknown);
    c = run(aborts_with_little_left);
    assert_int_equal(c.exit_code, 5);
    assert_string_equal(c.said, unknown);
    c = run(aborts_with_much_left);
    assert_int_equal(c.exit_code, 6);
    assert_non_null(strstr(c.said, "internal error (SIGABRT) while trusting; no verdict is given"));
    c = run(bears_it_and_crashes_later);
    assert_int_equal(c.exit_code, 6);
    assert_non_null(strstr(c.said, "while minding its own business; no verdict is given"));
}

/* ---- needs and steps ------------------------------------------------------------------------- */

static void takes_a_step(void)
{
    limit_start(0.05, 100, last_words);
    limit_phase("dancing");
    limit_step("waltz");
    limit_step("");
    limit_needs(120, "a ball");
    for (;;)
        pause();
}

static void asks_for_more_than_it_may(void)
{
    limit_start(0, 100, last_words);
    limit_phase("dancing");
    limit_needs(90, "a waltz");
    limit_needs(120, "a ball");
    mem_exhausted();
}

static void least_memory_is_told(void **state)
{
    (void)state;
    assert_string_equal(run(takes_a_step).said, "UNKNOWN: time ran out (0.05 s) while dancing\n");
    assert_string_equal(run(asks_for_more_than_it_may).said,
                        "UNKNOWN: memory ran out (100 MB) while dancing; a ball takes about "
                        "120 MB at least\n");
}

/* ---- how much there is ----------------------------------------------------------------------- */

static char root[] = "/tmp/visar-spare-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void spare_is_the_least(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    assert_int_equal(spare_megabytes(root), 0); /* nothing says */
    put("/proc/meminfo", "MemTotal:  64000000 kB\nMemAvailable:   16384000 kB\n");
    assert_int_equal(spare_megabytes(root), 15000);
    /* Version 2: less what is used, but files that are only cached do not count; an outer group. */
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put("/sys/fs/cgroup/a/b/memory.current", "1048576\n");
    assert_int_equal(spare_megabytes(root), 15000);
    put("/sys/fs/cgroup/a/memory.max", "2097152000\n");
    put("/sys/fs/cgroup/a/memory.current", "1048576000\n");
    put("/sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 524288000\n");
    assert_int_equal(spare_megabytes(root), 1406); /* 1500 MB */
    /* Version 1 beside it; the group's path is the host's, so its root is looked at. */
    put("/proc/self/cgroup", "4:memory:/docker/x\n0::/a/b\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "209715200\n");
    assert_int_equal(spare_megabytes(root), 750); /* 800 MB */
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "2097152000\n");
    assert_int_equal(spare_megabytes(root), 1); /* none: but 0 would be no limit */
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
    assert_true(spare_megabytes("") > 0);
}

/* ---- crashes -------------------------------------------------------------------------------- */

static volatile int depth_wanted = 1 << 30;

static int overflows_the_stack(int depth)
{
    volatile char page[4096] = {0};
    page[depth % 4096] = (char)depth;
    return depth < depth_wanted ? overflows_the_stack(depth + 1) + page[0] : 0;
}

static void crashes(void)
{
    crash_catch("visar 0", 6);
    limit_phase("going down");
    exit(overflows_the_stack(0));
}

static void aborts(void)
{
    crash_catch("visar 0", 6);
    abort();
}

static void crashes_say_so(void **state)
{
    (void)state;
    struct child c = run(aborts);
    assert_int_equal(c.exit_code, 6);
    assert_non_null(
        strstr(c.said, "internal error (SIGABRT); no verdict is given.  Please report"));
    if (SANITIZED)
        return;
    c = run(crashes);
    assert_int_equal(c.exit_code, 6);
    assert_non_null(strstr(c.said, "the stack is used up) while going down; no verdict is given."));
    assert_non_null(strstr(c.said, "the version (visar 0).\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_named),
        cmocka_unit_test(verdicts_are_not_taken_back),
        cmocka_unit_test(nobody_is_left_without_a_word),
        cmocka_unit_test(half_written_files_are_removed),
        cmocka_unit_test(memory_has_no_grace),
        cmocka_unit_test(crashes_for_want_of_memory),
        cmocka_unit_test(least_memory_is_told),
        cmocka_unit_test(spare_is_the_least),
        cmocka_unit_test(crashes_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
