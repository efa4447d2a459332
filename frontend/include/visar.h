/* The words of a visar program (docs/language.md).
 *
 *     #include <visar.h>
 *     DATABASE struct { int balance; } account[2];
 *     TRANSACTION void withdraw(int who, int amount) { … }
 *     INVARIANT bool solvent(void) { return account[0].balance + account[1].balance >= 0; }
 *
 * visar reads them as annotations.  To a C11 or C++17 compiler they mean nothing or something
 * simple, so that the program compiles, runs and can be debugged like any other:
 *
 * - assume(e) leaves the program with status 0 if e is false: such a run does not exist;
 * - assert(e) says where and aborts if e is false, with or without NDEBUG (if <assert.h> is
 * included after this file, its assert is used; visar understands that one all the same);
 * - rollback() leaves the program with status 3: nothing here can undo the writes;
 * - nondet_int() and the like give a pseudo-random value, from rand();
 * - for_update(row) and for_share(row) do nothing, skip_locked(row) is true;
 * - ATOMIC, PRESENCE, CONSTRAINT and GHOST mean nothing;
 * - ANY, the size of a table of any size, is 16, unless the program is compiled with -DANY=n;
 * - fresh(table) gives the index of the next row whose bytes are all zero, and never one that it
 *   gave before; if there is none it leaves the program with status 0: such a run does not exist;
 * - SESSION { … } runs the block, once.
 *
 * Every word also exists with the prefix VISAR_: VISAR_DATABASE, VISAR_assume(e), VISAR_ANY …  If
 * VISAR_NO_SHORT_NAMES is defined, the words exist with the prefix only: for programs that need the
 * short names themselves.  (VISAR_ANY is then set with -DVISAR_ANY=n.)
 *
 * To do better (a test bench with undo, a replay of a counterexample), define any of these macros
 * before this file is included:
 *
 *   VISAR_ASSUME(e)  VISAR_ASSERT(e)  VISAR_ROLLBACK()  VISAR_NONDET(type)  VISAR_FOR_UPDATE(row)
 *   VISAR_FOR_SHARE(row)  VISAR_SKIP_LOCKED(row)  VISAR_FRESH(table)  VISAR_SESSION_BEGIN()
 *   VISAR_SESSION_END()
 *
 * VISAR_NONDET(type) is an expression of that type, VISAR_FRESH(table) is one of type int and
 * VISAR_SKIP_LOCKED(row) one of type bool, the others are void expressions; VISAR_ROLLBACK() must
 * not return (longjmp, exit).
 *
 * visar itself defines __VISAR__.  It looks at every function of the program but main; what it
 * should not see (output, test benches) goes between #ifndef __VISAR__ and #endif. */
#ifndef VISAR_H
#define VISAR_H

#ifndef __cplusplus
#include <stdbool.h>
#endif
#ifndef VISAR_NO_SHORT_NAMES
#include <assert.h>
#endif
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#define VISAR_WORD_(word) __attribute__((annotate("visar." word)))
#else
#define VISAR_WORD_(word)
#endif

#define VISAR_DATABASE VISAR_WORD_("database")
#define VISAR_TRANSACTION VISAR_WORD_("transaction")
#define VISAR_INITIAL VISAR_WORD_("initial")
#define VISAR_INVARIANT VISAR_WORD_("invariant")
#define VISAR_FINAL VISAR_WORD_("final")
#define VISAR_CONSTRAINT VISAR_WORD_("constraint")
#define VISAR_SCENARIO VISAR_WORD_("scenario")
#define VISAR_PRESENCE VISAR_WORD_("presence")
#define VISAR_GHOST VISAR_WORD_("ghost")

#if defined ANY && !defined VISAR_ANY && !defined VISAR_NO_SHORT_NAMES
#define VISAR_ANY ANY
#endif

#ifdef __VISAR__

/* As visar reads it: declarations whose annotations name the builtin. */
VISAR_WORD_("assume") void VISAR_assume(bool condition);
VISAR_WORD_("assert") void visar_assert_(bool condition);
VISAR_WORD_("rollback") __attribute__((noreturn)) void VISAR_rollback(void);
VISAR_WORD_("for_update") void visar_for_update_(const volatile void *row);
VISAR_WORD_("for_share") void visar_for_share_(const volatile void *row);
VISAR_WORD_("skip_locked") bool visar_skip_locked_(const volatile void *row);
VISAR_WORD_("fresh") int visar_fresh_(const volatile void *table);
#define VISAR_assert(...) visar_assert_(__VA_ARGS__)
#define VISAR_for_update(row) visar_for_update_(&(row))
#define VISAR_for_share(row) visar_for_share_(&(row))
#define VISAR_skip_locked(row) visar_skip_locked_(&(row))
#define VISAR_fresh(table) visar_fresh_(&(table))
/* An odd number that clang can compute with; visar knows the name.  The word in front of it makes
 * #if ANY an error instead of a silent 0. */
#ifndef VISAR_ANY
enum { visar_rows_ VISAR_WORD_("any") = 7919 };
#define VISAR_ANY __extension__ visar_rows_
#endif
#define VISAR_SESSION                                                                              \
    for (VISAR_WORD_("session") int visar_session_ = 1; visar_session_; visar_session_ = 0)
#define VISAR_ATOMIC                                                                               \
    for (VISAR_WORD_("atomic") int visar_atomic_ = 1; visar_atomic_; visar_atomic_ = 0)
#define VISAR_NONDET_BODY_(name, type) VISAR_WORD_("nondet") type name(void);
#define VISAR_VERIFIER_NONDET_(name, type) type __VERIFIER_nondet_##name(void);
#define VISAR_VERIFIER_ASSUME_(name, type) void name(type condition);

#else

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
#define VISAR_WEAK_ extern "C" __attribute__((weak))
#else
#define VISAR_WEAK_ __attribute__((weak))
#endif

static inline void visar_assume_(bool condition)
{
    if (!condition)
        exit(EXIT_SUCCESS);
}

static inline void visar_assert_(bool condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, text);
    abort();
}

__attribute__((noreturn)) static inline void visar_rollback_(const char *file, int line)
{
    fprintf(stderr, "%s:%d: rollback: the program ends here (define VISAR_ROLLBACK to go on)\n",
            file, line);
    exit(3);
}

/* 64 bits from rand(), which promises 15 at a time. */
static inline unsigned long long visar_any_(void)
{
    unsigned long long bits = 0;
    for (int i = 0; i < 5; i++)
        bits = bits << 15 ^ (unsigned long long)rand();
    return bits;
}

/* A serial column: of each table, or each part of one, the rows after the last one given. */
static inline int visar_fresh_(const void *table, size_t size, size_t rows)
{
    static struct visar_serial_ {
        const void *table;
        size_t next;
    } *serials;
    static size_t n;
    size_t k = 0;
    while (k < n && serials[k].table != table)
        k++;
    if (k == n) {
        void *more = realloc(serials, (n + 1) * sizeof *serials);
        if (!more)
            abort();
        serials = (struct visar_serial_ *)more;
        serials[n].table = table;
        serials[n++].next = 0;
    }
    for (size_t i = serials[k].next; i < rows; i++) {
        const unsigned char *row = (const unsigned char *)table + i * size;
        size_t zeros = 0;
        while (zeros < size && !row[zeros])
            zeros++;
        serials[k].next = i + 1;
        if (zeros == size)
            return (int)i;
    }
    exit(EXIT_SUCCESS);
}

#ifndef VISAR_ANY
#define VISAR_ANY 16
#endif
#ifndef VISAR_ASSUME
#define VISAR_ASSUME(e) visar_assume_(e)
#endif
#ifndef VISAR_ASSERT
#define VISAR_ASSERT(e) visar_assert_(e, #e, __FILE__, __LINE__)
#endif
#ifndef VISAR_ROLLBACK
#define VISAR_ROLLBACK() visar_rollback_(__FILE__, __LINE__)
#endif
#ifndef VISAR_NONDET
#define VISAR_NONDET(type) ((type)(visar_any_() & ((type)2 == (type)1 ? 1 : ~0ULL)))
#endif
#ifndef VISAR_FOR_UPDATE
#define VISAR_FOR_UPDATE(row) ((void)&(row))
#endif
#ifndef VISAR_FOR_SHARE
#define VISAR_FOR_SHARE(row) ((void)&(row))
#endif
#ifndef VISAR_SKIP_LOCKED
#define VISAR_SKIP_LOCKED(row) ((void)&(row), true)
#endif
#ifndef VISAR_FRESH
#define VISAR_FRESH(table)                                                                         \
    visar_fresh_(&(table)[0], sizeof(table)[0], sizeof(table) / sizeof(table)[0])
#endif
#ifndef VISAR_SESSION_BEGIN
#define VISAR_SESSION_BEGIN() ((void)0)
#endif
#ifndef VISAR_SESSION_END
#define VISAR_SESSION_END() ((void)0)
#endif

#define VISAR_assume(e) VISAR_ASSUME(e)
#define VISAR_assert(e) VISAR_ASSERT(e)
#define VISAR_rollback() VISAR_ROLLBACK()
#define VISAR_for_update(row) VISAR_FOR_UPDATE(row)
#define VISAR_for_share(row) VISAR_FOR_SHARE(row)
#define VISAR_skip_locked(row) VISAR_SKIP_LOCKED(row)
#define VISAR_fresh(table) VISAR_FRESH(table)
#define VISAR_SESSION                                                                              \
    for (int visar_session_ = (VISAR_SESSION_BEGIN(), 1); visar_session_;                          \
         visar_session_ = 0, VISAR_SESSION_END())
#define VISAR_ATOMIC
#define VISAR_NONDET_BODY_(name, type)                                                             \
    static inline type name(void)                                                                  \
    {                                                                                              \
        return VISAR_NONDET(type);                                                                 \
    }
#define VISAR_VERIFIER_NONDET_(name, type)                                                         \
    VISAR_WEAK_ type __VERIFIER_nondet_##name(void);                                               \
    VISAR_WEAK_ type __VERIFIER_nondet_##name(void)                                                \
    {                                                                                              \
        return VISAR_NONDET(type);                                                                 \
    }
#define VISAR_VERIFIER_ASSUME_(name, type)                                                         \
    VISAR_WEAK_ void name(type condition);                                                         \
    VISAR_WEAK_ void name(type condition)                                                          \
    {                                                                                              \
        VISAR_ASSUME(condition);                                                                   \
    }

#endif

/* The short names. */
#ifndef VISAR_NO_SHORT_NAMES
#define DATABASE VISAR_DATABASE
#define TRANSACTION VISAR_TRANSACTION
#define INITIAL VISAR_INITIAL
#define INVARIANT VISAR_INVARIANT
#define FINAL VISAR_FINAL
#define CONSTRAINT VISAR_CONSTRAINT
#define SCENARIO VISAR_SCENARIO
#define SESSION VISAR_SESSION
#define ATOMIC VISAR_ATOMIC
#define PRESENCE VISAR_PRESENCE
#define GHOST VISAR_GHOST
#ifndef ANY
#define ANY VISAR_ANY
#endif
#undef assert
#ifdef __VISAR__
#define assert(...) VISAR_assert(__VA_ARGS__)
VISAR_WORD_("assume") void assume(bool condition);
VISAR_WORD_("rollback") __attribute__((noreturn)) void rollback(void);
#else
#define assert(e) VISAR_ASSERT(e)
#define assume(e) VISAR_ASSUME(e)
#define rollback() VISAR_ROLLBACK()
#endif
#define for_update(row) VISAR_for_update(row)
#define for_share(row) VISAR_for_share(row)
#define skip_locked(row) VISAR_skip_locked(row)
#define fresh(table) VISAR_fresh(table)
#define VISAR_NONDET_(name, type)                                                                  \
    VISAR_NONDET_BODY_(VISAR_nondet_##name, type) VISAR_NONDET_BODY_(nondet_##name, type)
#else
#define VISAR_NONDET_(name, type) VISAR_NONDET_BODY_(VISAR_nondet_##name, type)
#endif

VISAR_NONDET_(bool, bool)
VISAR_NONDET_(char, char)
VISAR_NONDET_(schar, signed char)
VISAR_NONDET_(uchar, unsigned char)
VISAR_NONDET_(short, short)
VISAR_NONDET_(ushort, unsigned short)
VISAR_NONDET_(int, int)
VISAR_NONDET_(uint, unsigned int)
VISAR_NONDET_(unsigned, unsigned int)
VISAR_NONDET_(long, long)
VISAR_NONDET_(ulong, unsigned long)
VISAR_NONDET_(longlong, long long)
VISAR_NONDET_(ulonglong, unsigned long long)
VISAR_NONDET_(size_t, size_t)
VISAR_NONDET_(int8_t, int8_t)
VISAR_NONDET_(uint8_t, uint8_t)
VISAR_NONDET_(int16_t, int16_t)
VISAR_NONDET_(uint16_t, uint16_t)
VISAR_NONDET_(int32_t, int32_t)
VISAR_NONDET_(uint32_t, uint32_t)
VISAR_NONDET_(int64_t, int64_t)
VISAR_NONDET_(uint64_t, uint64_t)

/* The names that SV-COMP and CBMC use, for programs that come from there.  VISAR_NO_VERIFIER leaves
 * them to the program's own declarations. */
#ifndef VISAR_NO_VERIFIER
VISAR_VERIFIER_NONDET_(bool, bool)
VISAR_VERIFIER_NONDET_(char, char)
VISAR_VERIFIER_NONDET_(uchar, unsigned char)
VISAR_VERIFIER_NONDET_(short, short)
VISAR_VERIFIER_NONDET_(ushort, unsigned short)
VISAR_VERIFIER_NONDET_(int, int)
VISAR_VERIFIER_NONDET_(uint, unsigned int)
VISAR_VERIFIER_NONDET_(long, long)
VISAR_VERIFIER_NONDET_(ulong, unsigned long)
VISAR_VERIFIER_NONDET_(longlong, long long)
VISAR_VERIFIER_NONDET_(ulonglong, unsigned long long)
VISAR_VERIFIER_ASSUME_(__VERIFIER_assume, int)
VISAR_VERIFIER_ASSUME_(__CPROVER_assume, bool)
#endif

#undef VISAR_NONDET_
#undef VISAR_NONDET_BODY_
#undef VISAR_VERIFIER_NONDET_
#undef VISAR_VERIFIER_ASSUME_

#endif
