/* C++ libraries that get no memory; see mem.h. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"

typedef void handler(void);
static _Atomic(handler *) terminate_before; /* what C++ does with exceptions that nobody catches */

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
