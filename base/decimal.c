/* Numbers as they are written; see decimal.h.
 *
 * A number is a sign, digits without zeros at either end, and the place of the decimal point: its
 * value is 0.DIGITS times ten to the power of `point`. */
#include "base/decimal.h"

#include <stdio.h>
#include <string.h>

enum { EXPONENT_MAX = 99999 };

struct parts {
    bool negative, too_long;
    char digits[DECIMAL_DIGITS];
    size_t count; /* 0: the number is 0 */
    long point;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *s, size_t i, size_t n)
{
    size_t from = i;
    while (i < n && is_digit(s[i]))
        i++;
    return i - from;
}

size_t decimal_length(const char *s, size_t n)
{
    size_t i = n && s[0] == '-', k = count_digits(s, i, n);
    if (!k || (s[i] == '0' && k > 1))
        return 0;
    i += k;
    if (i < n && s[i] == '.') {
        k = count_digits(s, i + 1, n);
        if (!k)
            return 0;
        i += 1 + k;
    }
    if (i < n && (s[i] == 'e' || s[i] == 'E')) {
        size_t sign = i + 1 < n && (s[i + 1] == '-' || s[i + 1] == '+');
        k = count_digits(s, i + 1 + sign, n);
        if (!k)
            return 0;
        i += 1 + sign + k;
    }
    return i;
}

static void add_digit(struct parts *p, char c, size_t *zeros)
{
    if (c == '0') { /* kept only if another digit follows */
        *zeros += p->count > 0;
        return;
    }
    if (p->count + *zeros >= DECIMAL_DIGITS) {
        p->too_long = true;
        return;
    }
    memset(p->digits + p->count, '0', *zeros);
    p->count += *zeros;
    *zeros = 0;
    p->digits[p->count++] = c;
}

static void split(const char *s, size_t n, struct parts *p)
{
    size_t zeros = 0, i = s[0] == '-';
    bool fraction = false;
    *p = (struct parts){.negative = i > 0};
    for (; i < n && s[i] != 'e' && s[i] != 'E'; i++) {
        if (s[i] == '.') {
            fraction = true;
            continue;
        }
        add_digit(p, s[i], &zeros);
        if (!fraction)
            p->point += p->count > 0;
        else if (!p->count)
            p->point--;
    }
    long exponent = 0;
    bool minus = i + 1 < n && s[i + 1] == '-';
    for (; i < n; i++)
        if (is_digit(s[i]) && exponent <= EXPONENT_MAX)
            exponent = exponent * 10 + (s[i] - '0');
    if (exponent > EXPONENT_MAX)
        p->too_long = true;
    p->point += minus ? -exponent : exponent;
    if (!p->count) {
        p->negative = p->too_long = false;
        p->point = 0;
    }
}

static bool fits_integer(const struct parts *p, int64_t *out)
{
    uint64_t v = 0;
    if (p->point < (long)p->count || p->point > 19)
        return p->count ? false : (*out = 0, true);
    for (long i = 0; i < p->point; i++) {
        unsigned d = (size_t)i < p->count ? (unsigned)(p->digits[i] - '0') : 0;
        if (v > (UINT64_MAX - d) / 10)
            return false;
        v = v * 10 + d;
    }
    if (v > (uint64_t)INT64_MAX + p->negative)
        return false;
    *out = p->negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* In plain notation where that is short, else with one digit before the point and an exponent. */
static void canonical(const struct parts *p, struct decimal *out)
{
    const char *sign = p->negative ? "-" : "", *d = p->digits;
    int count = (int)p->count, point = (int)p->point, n;
    if (point > 0 && point < count)
        n = snprintf(out->text, sizeof out->text, "%s%.*s.%.*s", sign, point, d, count - point,
                     d + point);
    else if (point <= 0 && point > -6)
        n = snprintf(out->text, sizeof out->text, "%s0.%.*s%.*s", sign, -point, "000000", count, d);
    else if (count == 1)
        n = snprintf(out->text, sizeof out->text, "%s%ce%d", sign, d[0], point - 1);
    else
        n = snprintf(out->text, sizeof out->text, "%s%c.%.*se%d", sign, d[0], count - 1, d + 1,
                     point - 1);
    out->len = (size_t)n;
}

bool decimal_read(const char *s, size_t n, struct decimal *out)
{
    struct parts p;
    split(s, n, &p);
    *out = (struct decimal){0};
    if (p.too_long)
        return false;
    out->is_integer = fits_integer(&p, &out->integer);
    if (!out->is_integer)
        canonical(&p, out);
    return true;
}

int decimal_compare(const char *a, size_t n, const char *b, size_t m)
{
    struct parts x, y;
    split(a, n, &x);
    split(b, m, &y);
    if (x.negative != y.negative)
        return x.negative ? -1 : 1;
    int sign = x.negative ? -1 : 1;
    if (!x.count || !y.count)
        return sign * ((x.count > 0) - (y.count > 0));
    if (x.point != y.point)
        return x.point < y.point ? -sign : sign;
    size_t common = x.count < y.count ? x.count : y.count;
    int d = memcmp(x.digits, y.digits, common);
    if (d)
        return d < 0 ? -sign : sign;
    return x.count == y.count ? 0 : x.count < y.count ? -sign : sign;
}
