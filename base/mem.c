#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The allocator is one per process by nature, and so are its hook and its test switch. */
static void (*exhausted_hook)(void);
static atomic_long inject_countdown;

_Noreturn void mem_exhausted(void)
{
    static const char text[] = "visar: out of memory\n";
    atomic_store(&inject_countdown, 0);
    if (exhausted_hook)
        exhausted_hook();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(5);
    _exit(5);
}

static int injected(void)
{
    if (atomic_load_explicit(&inject_countdown, memory_order_relaxed) == 0)
        return 0;
    return atomic_fetch_sub(&inject_countdown, 1) == 1;
}

void mem_on_exhausted(void (*hook)(void))
{
    exhausted_hook = hook;
}

void mem_inject(long nth)
{
    atomic_store(&inject_countdown, nth);
}

void *mem_alloc(size_t bytes)
{
    void *p = injected() ? NULL : malloc(bytes ? bytes : 1);
    if (!p)
        mem_exhausted();
    return p;
}

void *mem_calloc(size_t count, size_t size)
{
    void *p = injected() ? NULL : calloc(count ? count : 1, size ? size : 1);
    if (!p)
        mem_exhausted();
    return p;
}

void *mem_realloc(void *old, size_t bytes)
{
    void *p = injected() ? NULL : realloc(old, bytes ? bytes : 1);
    if (!p)
        mem_exhausted();
    return p;
}

void *mem_try_realloc(void *old, size_t bytes)
{
    return realloc(old, bytes ? bytes : 1);
}

void mem_free(void *p)
{
    free(p);
}

char *mem_strndup(const char *s, size_t n)
{
    char *copy = mem_alloc(n + 1);
    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

char *mem_strdup(const char *s)
{
    return mem_strndup(s, strlen(s));
}

size_t mem_mul(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        mem_exhausted();
    return count * size;
}
