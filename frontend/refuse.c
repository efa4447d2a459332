/* Refusals: the table of refuse.def, turned into diagnostics with a place and a hint. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/build.h"

static const char *const messages[] = {
#define REFUSE(id, text, hint) text,
#include "frontend/refuse.def"
#undef REFUSE
};

static const char *const hints[] = {
#define REFUSE(id, text, hint) hint,
#include "frontend/refuse.def"
#undef REFUSE
};

const char *refuse_message(enum refusal why)
{
    return messages[why];
}

const char *refuse_hint(enum refusal why)
{
    return hints[why];
}

static void report(struct builder *b, struct src_loc loc, enum refusal why, const char *hint,
                   va_list ap)
{
    char text[512]; /* names longer than this are cut, which a message can bear */
    vsnprintf(text, sizeof text, messages[why], ap);
    diag_add(b->d, DIAG_ERROR, loc, "%s", text);
    diag_hint(b->d, "%s", hint);
}

void refuse(struct builder *b, struct src_loc loc, enum refusal why, ...)
{
    va_list ap;
    va_start(ap, why);
    report(b, loc, why, hints[why], ap);
    va_end(ap);
}

void refuse_once(struct builder *b, struct src_loc loc, enum refusal why, ...)
{
    if (b->reported[why])
        return;
    b->reported[why] = true;
    va_list ap;
    va_start(ap, why);
    report(b, loc, why, hints[why], ap);
    va_end(ap);
}

void refuse_with(struct builder *b, struct src_loc loc, enum refusal why, const char *hint, ...)
{
    va_list ap;
    va_start(ap, hint);
    report(b, loc, why, hint, ap);
    va_end(ap);
}

/* Library functions that people reach for, and what to do instead. */
const char *refuse_library_hint(const char *name)
{
    static const char *const heap =
        "there is no heap: declare a DATABASE array, or a local of constant size";
    static const char *const print =
        "take output out of the transaction, or put it between #ifndef __VISAR__ and #endif";
    static const char *const copy = "assign the struct as a whole, or its elements in a loop";
    static const char *const jump = "use rollback(), return or a forward goto";
    static const char *const end =
        "use rollback() to end the transaction, assert(false) for what must not happen";
    static const char *const any = "use nondet_int(), and assume() to bound it";
    static const char *const text = "use an enum or an integer to stand for the text";
    static const char *const lock =
        "leave it out: the isolation level decides what transactions see";
    static const char *const list = "give the function a fixed list of parameters";
    static const char *const math = "write it out with integer operators";
    static const struct {
        const char *name, *const *hint;
    } known[] = {
        {"malloc", &heap},
        {"calloc", &heap},
        {"realloc", &heap},
        {"free", &heap},
        {"alloca", &heap},
        {"printf", &print},
        {"fprintf", &print},
        {"puts", &print},
        {"putchar", &print},
        {"perror", &print},
        {"sprintf", &print},
        {"snprintf", &print},
        {"memcpy", &copy},
        {"memset", &copy},
        {"memmove", &copy},
        {"memcmp", &copy},
        {"setjmp", &jump},
        {"_setjmp", &jump},
        {"longjmp", &jump},
        {"sigsetjmp", &jump},
        {"__sigsetjmp", &jump},
        {"siglongjmp", &jump},
        {"abort", &end},
        {"exit", &end},
        {"_Exit", &end},
        {"rand", &any},
        {"random", &any},
        {"time", &any},
        {"getchar", &any},
        {"scanf", &any},
        {"strcmp", &text},
        {"strcpy", &text},
        {"strlen", &text},
        {"strncpy", &text},
        {"strncmp", &text},
        {"strcat", &text},
        {"atoi", &text},
        {"pthread_create", &lock},
        {"pthread_mutex_lock", &lock},
        {"pthread_mutex_unlock", &lock},
        {"abs", &math},
        {"labs", &math},
        {"llabs", &math},
        {"div", &math},
        {"va_start", &list},
        {"va_end", &list},
        {"va_copy", &list},
    };
    bool builtin = strncmp(name, "__builtin_", 10) == 0;
    if (builtin)
        name += 10;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return *known[i].hint;
    return builtin ? math : NULL;
}
