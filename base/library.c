/* Libraries that are loaded on first use; see library.h.  If two threads load one at the same time,
 * the dynamic linker gives both the same handle. */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"

/* As when MonoSAT is asked for and is not there: the command cannot be used on this machine. */
#define EXIT_MISSING 1

static void __attribute__((noreturn)) give_up(const struct library *l, const char *why)
{
    fprintf(stderr, "visar: this command needs %s, which cannot be loaded: %s\n", l->soname,
            why ? why : "no reason given");
    fflush(stdout);
    _exit(EXIT_MISSING);
}

/* The reason to give is that for the name: the path is of the machine where visar was built. */
static void *load(struct library *l)
{
    char why[512] = "", step[80];
    snprintf(step, sizeof step, "loading %s", l->soname);
    limit_step(step);
    void *handle = dlopen(l->soname, RTLD_NOW | RTLD_LOCAL);
    const char *error = handle ? NULL : dlerror();
    if (error)
        snprintf(why, sizeof why, "%s", error);
    if (!handle)
        handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
    if (!handle && strstr(why, strerror(ENOMEM)))
        mem_exhausted();
    if (!handle)
        give_up(l, why);
    mem_guard_libraries();
    limit_step("");
    atomic_store_explicit(&l->handle, handle, memory_order_release);
    return handle;
}

void *library_find(struct library *l, const char *name)
{
    void *handle = atomic_load_explicit(&l->handle, memory_order_acquire);
    if (!handle)
        handle = load(l);
    void *f = dlsym(handle, name);
    if (!f)
        give_up(l, dlerror());
    return f;
}
