/* Every byte of an EDN history counts.  Small files are damaged in every place, a byte changed,
 * left out or put in, and whatever a plain reader of the notation refuses must be refused with a
 * place.  The plain reader knows nothing of histories and builds nothing; it was written from the
 * description of the notation, not from ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats_help.h"

/* --- a plain reader --------------------------------------------------------------------------- */

struct plain {
    const unsigned char *s;
    size_t n, at;
};

static bool form(struct plain *r, int depth);

static int peek(const struct plain *r, size_t ahead)
{
    return r->at + ahead < r->n ? r->s[r->at + ahead] : -1;
}

static bool one_of(int c, const char *set)
{
    return c > 0 && strchr(set, c);
}

static bool digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool blank(int c)
{
    return one_of(c, " ,\n\r\t\f\v");
}

static bool ends_word(int c)
{
    return c <= 0 || blank(c) || one_of(c, "()[]{}\";");
}

/* Bytes of the character at p, 0 if it is not UTF-8. */
static size_t utf8(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80)
        return 1;
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (!len || len > n || p[0] > 0xf4)
        return 0;
    uint32_t c = p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return c >= least[len] && c <= 0x10ffff && !(c >= 0xd800 && c < 0xe000) ? len : 0;
}

static bool gaps(struct plain *r, int depth)
{
    for (;;) {
        while (blank(peek(r, 0)))
            r->at++;
        if (peek(r, 0) == ';') {
            while (r->at < r->n && r->s[r->at] != '\n')
                r->at++;
        } else if (peek(r, 0) == '#' && peek(r, 1) == '_') {
            r->at += 2;
            if (!form(r, depth + 1))
                return false;
        } else {
            return true;
        }
    }
}

static bool string(struct plain *r)
{
    for (r->at++; r->at < r->n;) {
        if (r->s[r->at] == '"')
            return r->at++, true;
        if (r->s[r->at] == '\\') {
            int c = peek(r, 1);
            if (c == 'u') {
                for (size_t i = 2; i < 6; i++)
                    if (!digit(peek(r, i)) && !one_of(peek(r, i), "abcdefABCDEF"))
                        return false;
                r->at += 6;
                continue;
            }
            if (!one_of(c, "trn\\\"bf"))
                return false;
            r->at += 2;
            continue;
        }
        size_t len = r->s[r->at] ? utf8(r->s + r->at, r->n - r->at) : 0;
        if (!len)
            return false;
        r->at += len;
    }
    return false;
}

static bool name(const unsigned char *p, size_t n)
{
    size_t slashes = 0;
    if (!n || one_of(p[0], ":#/") || p[n - 1] == '/')
        return false;
    for (size_t i = 0, len; i < n; i += len) {
        len = p[i] ? utf8(p + i, n - i) : 0;
        slashes += p[i] == '/';
        if (!len ||
            (len == 1 && !letter(p[i]) && !digit(p[i]) && !one_of(p[i], ".*+!-_?$%&=<>:#'/")))
            return false;
    }
    return slashes <= 1;
}

static size_t count_digits(const unsigned char *p, size_t n)
{
    size_t i = 0;
    while (i < n && digit(p[i]))
        i++;
    return i;
}

static bool number(const unsigned char *p, size_t n)
{
    size_t i = p[0] == '+' || p[0] == '-', len;
    if (n > i + 2 && p[i] == '0' && one_of(p[i + 1], "xX")) {
        for (i += 2; i < n && (digit(p[i]) || one_of(p[i], "abcdefABCDEF")); i++)
            ;
        if (one_of(p[i - 1], "xX"))
            return false;
        return i == n || (i + 1 == n && p[i] == 'N');
    }
    len = count_digits(p + i, n - i);
    if (!len || (len > 1 && p[i] == '0'))
        return false;
    i += len;
    if (i < n && p[i] == 'N')
        return i + 1 == n;
    if (i < n && p[i] == '/')
        return i + 1 < n && count_digits(p + i + 1, n - i - 1) == n - i - 1;
    if (i < n && p[i] == '.') {
        len = count_digits(p + i + 1, n - i - 1);
        if (!len)
            return false;
        i += 1 + len;
    }
    if (i < n && one_of(p[i], "eE")) {
        i++;
        i += i < n && one_of(p[i], "+-");
        len = count_digits(p + i, n - i);
        if (!len)
            return false;
        i += len;
    }
    return i == n || (p[i] == 'M' && i + 1 == n);
}

static bool character(const unsigned char *p, size_t n)
{
    static const char *const names[] = {"newline", "return",    "space",
                                        "tab",     "backspace", "formfeed"};
    for (size_t i = 0; i < 6; i++)
        if (n == strlen(names[i]) && !memcmp(p, names[i], n))
            return true;
    bool hex = n == 5 && p[0] == 'u';
    for (size_t i = 1; i < n && hex; i++)
        hex = digit(p[i]) || one_of(p[i], "abcdefABCDEF");
    if (hex)
        return true;
    if (p[0] == 'o' && n > 1 && n <= 4)
        return count_digits(p + 1, n - 1) == n - 1;
    return p[0] > ' ' && p[0] != 0x7f && utf8(p, n) == n;
}

static bool word(struct plain *r)
{
    const unsigned char *p = r->s + r->at;
    size_t n = 0;
    if (peek(r, 0) == '\\') {
        if (r->at + 1 >= r->n)
            return false;
        n = 2;
    }
    while (!ends_word(peek(r, n)))
        n++;
    r->at += n;
    if (!n)
        return false;
    if (p[0] == '\\')
        return character(p + 1, n - 1);
    if (p[0] == ':')
        return name(p + 1, n - 1);
    if (digit(p[0]) || (n > 1 && one_of(p[0], "+-") && digit(p[1])))
        return number(p, n);
    if (n == 1 && p[0] == '/')
        return true;
    if ((n == 5 && (!memcmp(p, "##Inf", 5) || !memcmp(p, "##NaN", 5))) ||
        (n == 6 && !memcmp(p, "##-Inf", 6)))
        return true;
    return name(p, n) && !(n > 1 && p[0] == '.' && digit(p[1]));
}

static bool collection(struct plain *r, int close, bool map, int depth)
{
    size_t count = 0;
    for (r->at++; gaps(r, depth + 1); count++) {
        if (peek(r, 0) == close) {
            r->at++;
            return !map || count % 2 == 0;
        }
        if (!form(r, depth + 1))
            return false;
    }
    return false;
}

static bool form(struct plain *r, int depth)
{
    if (depth > 100 || !gaps(r, depth))
        return false;
    while (peek(r, 0) == '#' && !one_of(peek(r, 1), "{_#")) {
        size_t from = ++r->at;
        while (!ends_word(peek(r, 0)))
            r->at++;
        size_t skip = from < r->n && r->s[from] == ':';
        const unsigned char *p = r->s + from + skip;
        if (r->at <= from + skip || (!letter(*p) && *p < 0x80) || !name(p, r->at - from - skip) ||
            !gaps(r, depth))
            return false;
    }
    switch (peek(r, 0)) {
    case '"':
        return string(r);
    case '(':
        return collection(r, ')', false, depth);
    case '[':
        return collection(r, ']', false, depth);
    case '{':
        return collection(r, '}', true, depth);
    case '#':
        if (peek(r, 1) == '{')
            return r->at++, collection(r, '}', false, depth);
        return word(r);
    default:
        return word(r);
    }
}

static bool well_formed(const char *s, size_t n)
{
    struct plain r = {(const unsigned char *)s, n, 0};
    while (gaps(&r, 0)) {
        if (r.at == r.n)
            return true;
        if (!form(&r, 0))
            return false;
    }
    return false;
}

/* --- damage ----------------------------------------------------------------------------------- */

static const char *const files[] = {
    "{:type :invoke, :f :txn, :value [[:append 3 1] [:r 4 nil]], :process 0, :time 5, :index 0}\n"
    "{:type :ok, :f :txn, :value [[:append 3 1] [:r 4 [7 9]]], :process 0, :time 8, :index 1}\n"
    "{:type :invoke, :f :txn, :value [[:append 4 7] [:append 4 9]], :process 1, :time 1}\n"
    "{:type :info, :f :txn, :value [[:append 4 7] [:append 4 9]], :process 1, :error :timeout}\n",
    "[{:type :invoke :value [[:w :x \"a\"] [:r \"k\\n\"]] :process 0}\n"
    " {:type :fail :value nil :process 0 :error [\"duplicate \\\"key\\\" \\u00e9 \303\251\" "
    "1.5e-3M]}\n"
    " #jepsen.history.Op{:type :invoke, :value ([:r 1 nil]), :process 2, :x #{1 2/3 \\a}}\n"
    " {:type :ok, :value [[:r 1 nil]], :process 2, :at #inst \"2026-01-01\"} ; the end\n"
    " #_{:a 1} {:type :info, :f :kill, :process :nemesis, :value {\"n1\" [:a/b foo.bar/baz]}}]",
    "{:type :invoke :f :txn :process 7 :value [[:r 10 nil]] :y {:a #object[a.B$c 0x1f \"z\"], 2 "
    "()}}\n"
    "{:type :ok :f :txn :process 7 :value [[:r 10 []]] :z (\\newline \\u0041 ##Inf -0.5 +3N "
    "nil)}\n",
};

static const char bytes[] = "\0\001\t 0a9N/:;\"\\()[]{}#_,-+.x'@^~|\177\200\303\377\n";

static long refused, kept;

static void look(const char *text, size_t n)
{
    struct parsed p;
    parse_bytes(&p, "edn", text, n);
    if (!p.error && !well_formed(text, n))
        fail_msg("accepted: %.*s", (int)n, text);
    if (p.error)
        assert_memory_equal(p.error, "test:", 5);
    refused += p.error != NULL;
    kept += p.error == NULL;
    release(&p);
}

static void damage(const char *text)
{
    size_t n = strlen(text);
    char *copy = malloc(n + 2);
    assert_non_null(copy);
    look(text, n);
    for (size_t at = 0; at <= n; at++) {
        memcpy(copy, text, at);
        for (size_t b = 0; b < sizeof bytes - 1; b++) {
            copy[at] = bytes[b];
            memcpy(copy + at + 1, text + at, n - at);
            look(copy, n + 1);
            if (at < n) {
                memcpy(copy + at + 1, text + at + 1, n - at - 1);
                look(copy, n);
            }
        }
        if (at < n) {
            memcpy(copy + at, text + at + 1, n - at - 1);
            look(copy, n - 1);
        }
    }
    free(copy);
}

static void test_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct parsed p;
        parse(&p, "edn", files[i]);
        if (p.error)
            fail_msg("%s", p.error);
        release(&p);
        assert_true(well_formed(files[i], strlen(files[i])));
        damage(files[i]);
    }
    assert_true(refused > 10 * kept / 10 && kept > 1000);
}

/* Well-formed, but not what an invocation is; nothing of it counts, and yet. */
static void test_invocations(void **state)
{
    (void)state;
    static const struct {
        const char *value, *error;
    } cases[] = {
        {"[[:appendd 1 2]]", "test:1:36: expected `:r`, `:w` or `:append`, found `:appendd`"},
        {"[[:append 1 nil]]", "test:1:46: expected a value to append, found `nil`"},
        {"[[:append 1/2 2]]",
         "test:1:44: expected a key (a number, a string, a keyword, true, false or a vector), "
         "found `1/2`"},
        {"[[:append 1 02]]", "test:1:46: expected a number, found `02`"},
        {"[:append 1 2]",
         "test:1:35: expected an operation, [:r …], [:w …] or [:append …], found `:append`"},
        {"{:a 1}", "test:1:34: expected a vector of operations, found `{`"},
        {"[[:r 1 nil] [:w 1]]", "test:1:51: expected a value, found `]`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf b = {0};
        sb_printf(&b, "{:type :invoke :process 0 :value %s}\n", cases[i].value);
        sb_puts(&b, "{:type :ok :process 0 :value [[:append 1 2]]}");
        expect_error("edn", sb_str(&b), cases[i].error);
        sb_free(&b);
    }
    expect_error("edn", "{:type :ok :process zero :value []}",
                 "test:1:21: expected a process (a number or a keyword), found `zero`");
    expect_error("edn", "{:type :ok :process 0 :process 1 :value []}",
                 "test:1:23: expected one :process, found two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_invocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
