/* The history formats: what writers refuse to lose, round trips of generated histories through
 * every format, files.  The published histories are read as well, if they are there. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/io.h"
#include "history/generate/generate.h"
#include "formats_help.h"

/* --- writers --------------------------------------------------------------------------------- */

static void test_losses(void **state)
{
    (void)state;
    static const struct {
        const char *to, *text, *error;
    } cases[] = {
        {"cobra", TXN(""), "the format cobra is only read, not written"},
        {"plume", TXN("[\"append\",1,1]"), "the format plume cannot express lists (jsonl can)"},
        {"dbcop", TXN("[\"w\",1,null]"), "the format dbcop cannot express null values (jsonl can)"},
        {"blocks", HEADER "{\"session\":0,\"status\":\"aborted\",\"ops\":[]}",
         "the format blocks cannot express aborted transactions (jsonl can)"},
        {"plume", HEADER "{\"session\":0,\"status\":\"unknown\",\"ops\":[[\"r\",1,1]]}",
         "the format plume cannot express transactions of unknown outcome, reads of "
         "transactions of unknown outcome (jsonl can)"},
        {"edn",
         HEADER "{\"session\":0,\"status\":\"unknown\",\"ops\":[]}\n{\"session\":0,\"ops\":[]}",
         "the format edn cannot express transactions of unknown outcome that are not the last "
         "of their session (jsonl can)"},
        {"dbcop", TXN("[\"w\",1,1,{\"id\":1}],[\"w\",1,1,{\"id\":2}],[\"r\",1,1,{\"id\":2}]"),
         "the format dbcop cannot express write ids, which tell equal values apart (jsonl "
         "can)"},
        {"dbcop", TXN("[\"w\",1,0],[\"r\",1,null]"),
         "the format dbcop cannot express the initial value of key 1 (jsonl can)"},
        {"dbcop", TXN("[\"r\",1,0]"),
         "the format dbcop cannot express the initial value of key 1 (jsonl can)"},
        {"edn",
         "{\"visar-history\":1,\"default\":3}\n{\"session\":0,\"ops\":[[\"r\",1,3],[\"w\",1,3]]}",
         "the format edn cannot express the initial value of key 1 (jsonl can)"},
        {"plume",
         HEADER "{\"session\":0,\"ops\":[[\"w\",1,5]]}\n{\"versions\":1,\"order\":[[0,0]]}",
         "the format plume cannot express version orders (jsonl can)"},
        {"blocks",
         "{\"visar-history\":1,\"default\":0}\n{\"session\":0,\"ops\":[[\"r\",1,0],[\"w\",1,0]]}",
         "the format blocks cannot express the initial value of key 1 (jsonl can)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed p;
        parse(&p, "jsonl", cases[i].text);
        assert_null(p.error);
        const char *error =
            fmt_check_losses(p.r.history, fmt_find(cases[i].to), &p.messages, &p.r.notes);
        assert_string_equal(error ? error : "none", cases[i].error);
        release(&p);
    }
}

static void test_notes(void **state)
{
    (void)state;
    struct parsed p;
    parse(&p, "jsonl",
          HEADER
          "{\"session\":\"s\",\"begin\":1,\"ops\":[[\"w\",\"k\",\"v\"],[\"r\",\"k\",\"v\"]]}");
    const char *error = fmt_check_losses(p.r.history, fmt_find("plume"), &p.messages, &p.r.notes);
    assert_null(error);
    assert_int_equal(p.r.notes.len, 1);
    assert_string_equal(p.r.notes.data[0],
                        "lost in the format plume: keys or values that are not integers (numbered "
                        "instead), timestamps, names and numbers of sessions and transactions");
    size_t size;
    char *text = write_text(p.r.history, fmt_find("plume"), &size);
    assert_string_equal(text, "w(0,1,0,1)\nr(0,1,0,1)\n");
    free(text);
    release(&p);
}

/* In EDN a transaction is one call: what is known beyond its two times is lost, and said to be. */
static void test_interval_notes(void **state)
{
    (void)state;
    static const struct {
        const char *times, *note;
    } cases[] = {
        {"\"begin\":1,\"commit\":5", NULL},
        {"\"begin\":1,\"begin-answered\":5,\"commit-asked\":1,\"commit\":5", NULL},
        {"\"begin\":1,\"begin-answered\":2,\"commit\":5",
         "lost in the format edn: when begins were answered and commits asked for"},
        {"\"begin\":1,\"commit-asked\":2,\"commit\":5",
         "lost in the format edn: when begins were answered and commits asked for"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[200];
        struct parsed p;
        snprintf(line, sizeof line, HEADER "{\"session\":0,%s,\"ops\":[[\"w\",1,2]]}",
                 cases[i].times);
        parse(&p, "jsonl", line);
        assert_null(fmt_check_losses(p.r.history, fmt_find("edn"), &p.messages, &p.r.notes));
        assert_int_equal(p.r.notes.len, cases[i].note != NULL);
        if (cases[i].note)
            assert_string_equal(p.r.notes.data[0], cases[i].note);
        release(&p);
    }
}

/* --- round trips ----------------------------------------------------------------------------- */

static void round_trip(const struct history *h, const struct format *f)
{
    struct arena messages = {0};
    fmt_notes notes = {0};
    const char *error = fmt_check_losses(h, f, &messages, &notes);
    if (error)
        fail_msg("%s", error);
    size_t size;
    char *text = write_text(h, f, &size);
    struct parsed p;
    parse_bytes(&p, f->name, text, size);
    if (p.error)
        fail_msg("%s: %s", f->name, p.error);
    assert_ptr_equal(fmt_detect(&p.in), f);
    error = fmt_difference(h, p.r.history, f->keeps, &messages);
    if (error)
        fail_msg("%s: %s", f->name, error);
    free(text);
    release(&p);
    vec_free(&notes);
    arena_free(&messages);
}

static void test_round_trips(void **state)
{
    (void)state;
    for (int level = 0; level < MODEL_COUNT; level++)
        for (int seed = 0; seed < 5; seed++) {
            struct arena messages = {0};
            struct gen_options o = gen_defaults();
            struct history *h;
            o.level = (enum model_id)level;
            o.transactions = 200;
            o.seed = (uint64_t)seed;
            o.lists = seed == 4 && (level == MODEL_SER || level == MODEL_SI);
            const char *error = gen_history(&o, &messages, &h);
            if (error)
                fail_msg("%s", error);
            for (size_t i = 0; i < fmt_count(); i++)
                if (fmt_at(i)->write && (!o.lists || fmt_at(i)->keeps & FMT_LISTS))
                    round_trip(h, fmt_at(i));
            hist_free(h);
            arena_free(&messages);
        }
}

static void test_aborted_round_trips(void **state)
{
    (void)state;
    struct arena messages = {0};
    struct gen_options o = gen_defaults();
    struct history *h;
    o.keys = 4;
    o.sessions = 30;
    o.aborts = true;
    assert_null(gen_history(&o, &messages, &h));
    round_trip(h, fmt_find("jsonl"));
    round_trip(h, fmt_find("edn"));
    round_trip(h, fmt_find("dbcop"));
    hist_free(h);
    arena_free(&messages);
}

/* --- files ----------------------------------------------------------------------------------- */

static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/visar-formats-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct arena messages = {0};
    struct fmt_result r;
    const char *path = arena_printf(&messages, "%s/h.jsonl.gz", folder);
    gzFile gz = gzopen(path, "wb");
    gzputs(gz, jsonl_everything);
    gzclose(gz);
    assert_null(fmt_read(path, NULL, &messages, &r));
    assert_int_equal(r.history->txns.len, 4);

    const char *copy = arena_printf(&messages, "%s/copy.jsonl", folder);
    assert_null(fmt_write(r.history, r.format, copy, &messages, &r.notes));
    hist_free(r.history);
    vec_free(&r.notes);
    assert_null(fmt_read(copy, "jsonl", &messages, &r));
    hist_free(r.history);
    assert_non_null(fmt_read(copy, "edn", &messages, &r));
    assert_null(r.history);
    const char *error = fmt_read(copy, "xml", &messages, &r);
    assert_non_null(strstr(error, "unknown format `xml`"));
    error = fmt_read(folder, "plume", &messages, &r);
    assert_non_null(strstr(error, "several histories in this folder"));
    unlink(path);
    unlink(copy);
    error = fmt_read(folder, NULL, &messages, &r);
    assert_non_null(strstr(error, "expected one history in the folder"));
    rmdir(folder);
    error = fmt_read(folder, NULL, &messages, &r);
    assert_non_null(strstr(error, "cannot be opened"));
    arena_free(&messages);
}

/* What the fuzzers start from, and what they found: read, and if that works written and read. */
static void test_corpus(void **state)
{
    (void)state;
    glob_t files;
    size_t read = 0;
    assert_int_equal(glob("tests/fuzz/formats/corpus/*/*", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct arena messages = {0};
        struct io_bytes bytes;
        struct parsed p;
        char *folder = arena_strdup(&messages, files.gl_pathv[i]);
        *strrchr(folder, '/') = 0;
        assert_null(io_read(files.gl_pathv[i], &messages, &bytes));
        parse_bytes(&p, strrchr(folder, '/') + 1, bytes.data, bytes.size);
        if (!p.error)
            round_trip(p.r.history, fmt_find("jsonl"));
        read += !p.error;
        release(&p);
        io_bytes_free(&bytes);
        arena_free(&messages);
    }
    globfree(&files);
    assert_true(read >= 10);
}

/* --- the published histories ----------------------------------------------------------------- */

static const char *histories_folder(void)
{
    const char *given = getenv("VISAR_HISTORIES");
    return given ? given : "../shared/histories";
}

/* Counted by another program from the bytes. */
static const struct {
    const char *path;
    uint32_t sessions;
    size_t committed, aborted, unknown, ops, keys;
} counts[] = {
    {"speed/duplicates-2k.bincode", 20, 2000, 0, 0, 30000, 4927},
    {"speed/rw-ser-10000.bincode", 25, 9565, 0, 0, 81429, 9992},
    {"speed/tpcc-10k-cobra", 8, 10364, 0, 0, 11397, 2849},
    {"speed/twitter-10k-cobra", 8, 10444, 0, 0, 51653, 16299},
    {"speed/rw-si-10000-cobra", 24, 9623, 0, 0, 76984, 9994},
    {"speed/rw-si-1000-viper-json", 24, 962, 0, 0, 7696, 5389},
    {"violations/dgraph/history.bincode", 10, 480, 320, 0, 16000, 1000},
    {"violations/cockroach-G2", 10, 446, 0, 0, 1338, 890},
    {"violations/yugabyte/yugabyte.txt", 2, 20, 0, 0, 200, 20},
    {"violations/yugabyte_tcc.txt", 2, 20, 0, 0, 200, 20},
    {"levels/causal/generated/l100e1000sqrt.txt", 33, 278, 0, 0, 1100, 33},
    {"elle/huge-scc.edn", 173, 3036, 7070, 148, 16400, 106},
    {"elle/paper-example.edn", 4, 4, 0, 0, 19, 4},
};

static void test_published_counts(void **state)
{
    (void)state;
    if (access(histories_folder(), R_OK))
        skip();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct arena messages = {0};
        struct fmt_result r;
        const char *path = arena_printf(&messages, "%s/%s", histories_folder(), counts[i].path);
        const char *error = fmt_read(path, NULL, &messages, &r);
        if (error)
            fail_msg("%s", error);
        size_t status[3] = {0};
        for (size_t j = 0; j < r.history->txns.len; j++)
            status[r.history->txns.data[j].status]++;
        assert_int_equal(r.history->session_count, counts[i].sessions);
        assert_int_equal(status[HIST_COMMITTED], counts[i].committed);
        assert_int_equal(status[HIST_ABORTED], counts[i].aborted);
        assert_int_equal(status[HIST_UNKNOWN], counts[i].unknown);
        assert_int_equal(r.history->ops.len, counts[i].ops);
        if (counts[i].keys != 33)
            assert_int_equal(r.history->keys.len, counts[i].keys);
        hist_free(r.history);
        vec_free(&r.notes);
        arena_free(&messages);
    }
}

/* Every line of the manifest: the format is recognised, and visar's own format keeps everything. */
static void test_published_formats(void **state)
{
    (void)state;
    char line[4096];
    struct arena names = {0};
    FILE *manifest = fopen(arena_printf(&names, "%s/manifest.tsv", histories_folder()), "r");
    if (!manifest) {
        arena_free(&names);
        skip();
    }
    size_t read = 0;
    assert_non_null(fgets(line, sizeof line, manifest));
    while (fgets(line, sizeof line, manifest)) {
        struct arena messages = {0};
        struct fmt_result r;
        char *path = strtok(line, "\t"), *format = strtok(NULL, "\t");
        const char *error = fmt_read(arena_printf(&messages, "%s/%s", histories_folder(), path),
                                     NULL, &messages, &r);
        if (error)
            fail_msg("%s", error);
        assert_string_equal(r.format->name, format);
        round_trip(r.history, fmt_find("jsonl"));
        hist_free(r.history);
        vec_free(&r.notes);
        arena_free(&messages);
        read++;
    }
    assert_true(read > 100);
    fclose(manifest);
    arena_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_interval_notes),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_aborted_round_trips),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_published_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
