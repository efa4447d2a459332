/* Included first when a generated program is compiled for the machine: the words of visar.h and the
 * sanitizer's calls report to the fuzzer.  gcc's -fsanitize=… emits calls of __ubsan_handle_*; they
 * are defined here, hidden, so that no run-time library is needed and the fuzzer may use one
 * itself. */
struct fz_host {
    void (*stop)(int why) __attribute__((noreturn));
    void (*assertion)(int line, int holds);
    unsigned long long (*nondet)(void);
    unsigned long long (*call)(const char *name, const long long *args, int n);
    void (*session)(int begins);
};
struct fz_host fz_host;

enum { FZ_ROLLBACK = 1, FZ_OVERFLOW, FZ_BOUNDS, FZ_DIVISION, FZ_SHIFT, FZ_NOT_ASSUMED };

#define VISAR_ASSUME(e) ((e) ? (void)0 : fz_host.stop(FZ_NOT_ASSUMED))
#define VISAR_ASSERT(e) fz_host.assertion(__LINE__, !!(e))
#define VISAR_ROLLBACK() fz_host.stop(FZ_ROLLBACK)
#define VISAR_NONDET(type) ((type)fz_host.nondet())
#define VISAR_SESSION_BEGIN() fz_host.session(1)
#define VISAR_SESSION_END() fz_host.session(0)

#define VISAR_FOR_UPDATE(row) ((void)FZ(row))
#define VISAR_FOR_SHARE(row) ((void)FZ(row))

/* Where a value is about to be converted to another type: gcc would otherwise compute it in the
 * narrow type, unsigned, and not notice the overflow. */
#define FZ(e)                                                                                      \
    __extension__({                                                                                \
        volatile __typeof__(e) fz_value = (e);                                                     \
        fz_value;                                                                                  \
    })

/* A scenario calls not the transaction but what notes the call. */
#define CALL(name) stub_##name
#define FZ_STUB(result, name, params, ...)                                                         \
    static result stub_##name params                                                               \
    {                                                                                              \
        long long fz_args[] = {__VA_ARGS__};                                                       \
        return (result)fz_host.call(#name, fz_args, (int)(sizeof fz_args / sizeof *fz_args));      \
    }

/* Predicates with exact values, see gen_exact.c: int and long, but without bounds. */
#define X __int128
#define XL __int128
#define I(e) ((__int128)(int)(e))
#define IL(e) ((__int128)(long)(e))
#define W(e) ((__int128)(int)(e))
#define WL(e) ((__int128)(long)(e))

#define FZ_HANDLER __attribute__((visibility("hidden"), noreturn))
#define FZ_OVERFLOW_HANDLER(name)                                                                  \
    FZ_HANDLER void __ubsan_handle_##name##_overflow_abort(void *data, unsigned long a,            \
                                                           unsigned long b);                       \
    FZ_HANDLER void __ubsan_handle_##name##_overflow_abort(void *data, unsigned long a,            \
                                                           unsigned long b)                        \
    {                                                                                              \
        (void)data, (void)a, (void)b;                                                              \
        fz_host.stop(FZ_OVERFLOW);                                                                 \
    }
FZ_OVERFLOW_HANDLER(add)
FZ_OVERFLOW_HANDLER(sub)
FZ_OVERFLOW_HANDLER(mul)
FZ_OVERFLOW_HANDLER(negate)

struct fz_type {
    unsigned short kind, info; /* of an integer: log2 of the width, twice, plus 1 if signed */
};
struct fz_division_data {
    const char *file;
    unsigned line, column;
    struct fz_type *type;
};
struct fz_shift_data {
    const char *file;
    unsigned line, column;
    struct fz_type *left, *right;
};

FZ_HANDLER void __ubsan_handle_divrem_overflow_abort(void *data, unsigned long a, unsigned long b);
FZ_HANDLER void __ubsan_handle_divrem_overflow_abort(void *data, unsigned long a, unsigned long b)
{
    const struct fz_division_data *d = data;
    /* A value of more than 64 bits is passed by its address. */
    int zero = d->type->info >> 1 > 6 ? *(const __int128 *)b == 0 : b == 0;
    (void)a;
    fz_host.stop(zero ? FZ_DIVISION : FZ_OVERFLOW);
}

FZ_HANDLER void __ubsan_handle_shift_out_of_bounds_abort(void *data, unsigned long a,
                                                         unsigned long b);
FZ_HANDLER void __ubsan_handle_shift_out_of_bounds_abort(void *data, unsigned long a,
                                                         unsigned long b)
{
    const struct fz_shift_data *d = data;
    unsigned long width = 1ul << (d->left->info >> 1);
    (void)a;
    fz_host.stop(b >= width ? FZ_SHIFT : FZ_OVERFLOW);
}

FZ_HANDLER void __ubsan_handle_out_of_bounds_abort(void *data, unsigned long index);
FZ_HANDLER void __ubsan_handle_out_of_bounds_abort(void *data, unsigned long index)
{
    (void)data, (void)index;
    fz_host.stop(FZ_BOUNDS);
}
