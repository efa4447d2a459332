/* Large libraries are loaded when one of their functions is called for the first time: relocating
 * LLVM, Z3 and libpq takes longer than most commands do, and most commands need one of them or
 * none.
 *
 * A folder that knows such a library declares the functions that it calls once, in a .def table of
 *
 *     LIBRARY_FUNCTION(type, name, (parameters), (arguments))
 *
 * and makes functions of these names out of it:
 *
 *     static struct library z3 = {.soname = …, .path = …};
 *     #define LIBRARY_FUNCTION(type, name, parameters, arguments)                                 \
 *         LIBRARY_STUB(z3, type, name, parameters, arguments)
 *     #include "check/solver/z3.def"
 *
 * The library's own header has declared them, so the compiler checks every line of the table.  The
 * linker never sees the library. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdatomic.h>

struct library {
    const char *soname; /* as the dynamic linker finds it: "libz3.so.4" */
    const char *path;   /* where it was when visar was built; tried next */
    _Atomic(void *) handle;
};

/* The library's function.  If it cannot be loaded, says why and ends the program, which cannot go
 * on without it.  Any thread may call this. */
void *library_find(struct library *l, const char *name);

#define LIBRARY_STUB(library, type, name, parameters, arguments)                                   \
    type name parameters                                                                           \
    {                                                                                              \
        static _Atomic(void *) found;                                                              \
        void *function = atomic_load_explicit(&found, memory_order_acquire);                       \
        if (!function) {                                                                           \
            function = library_find(&library, #name);                                              \
            atomic_store_explicit(&found, function, memory_order_release);                         \
        }                                                                                          \
        return ((__typeof__(&name))function)arguments;                                             \
    }

#endif
