#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"

/* The allocator is one per process by nature, and so are its hook and its test switch. */
static void (*exhausted_hook)(void);
static atomic_long inject_countdown;

typedef void handler(void);
static _Atomic(handler *) terminate_before; /* what C++ does with exceptions that nobody catches */

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

/* An exception that nobody catches: a thread could not be started, say. */
static void terminated(void)
{
    int error = errno;
    handler *before = atomic_load(&terminate_before);
    if (limit_refused_memory(error))
        mem_exhausted();
    if (before)
        before();
    abort();
}

static handler *set_handler(void *library, const char *name, handler *h)
{
    handler *(*set)(handler *) = NULL;
    void *symbol = dlsym(library, name);
    if (!symbol)
        return NULL;
    memcpy(&set, &symbol, sizeof set);
    return set(h);
}

/* std::set_new_handler and std::set_terminate, by the names that they have for the linker: visar
 * itself is not C++. */
void mem_guard_libraries(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return;
    set_handler(library, "_ZSt15set_new_handlerPFvvE", mem_exhausted);
    handler *before = set_handler(library, "_ZSt13set_terminatePFvvE", terminated);
    if (before != terminated)
        atomic_store(&terminate_before, before);
    dlclose(library);
}
