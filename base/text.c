/* See text.h.  UTF-8 is decoded by hand because the C library's decoder depends on the locale. */
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

size_t text_decode(const char *text, size_t n, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || len > n)
        return 0;
    uint32_t c = s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    *code = c;
    return c < smallest[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : len;
}

bool text_is_hostile(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0xfeff ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x2069);
}

static void put_safe(const char *s, size_t len, uint32_t code, struct strbuf *out)
{
    if (len == 0)
        sb_printf(out, "\\x%02x", (unsigned char)s[0]);
    else if (code == '\n')
        sb_puts(out, "\\n");
    else if (code == '\t')
        sb_puts(out, "\\t");
    else if (code < 0x100 && text_is_hostile(code))
        sb_printf(out, "\\x%02" PRIx32, code);
    else if (text_is_hostile(code))
        sb_printf(out, "\\u{%" PRIx32 "}", code);
    else
        sb_add(out, s, len);
}

void text_safe(const char *s, size_t n, struct strbuf *out)
{
    for (size_t i = 0, len; i < n; i += len ? len : 1) {
        uint32_t code = 0;
        len = text_decode(s + i, n - i, &code);
        put_safe(s + i, len, code, out);
    }
}

size_t text_cut(const char *s, size_t at)
{
    while (at > 0 && ((unsigned char)s[at] & 0xc0) == 0x80)
        at--;
    return at;
}

size_t text_place(const char *text)
{
    const char *end = strstr(text, ": "), *at = end;
    for (int numbers = 0; at && numbers < 2; numbers++) {
        const char *digits = at;
        while (digits > text && isdigit((unsigned char)digits[-1]))
            digits--;
        if (digits == at || digits - text < 2 || digits[-1] != ':')
            return numbers ? (size_t)(end - text) : 0;
        at = digits - 1;
    }
    return at ? (size_t)(end - text) : 0;
}
