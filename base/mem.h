/* Memory.  Allocation never returns NULL: running out ends the program with UNKNOWN (memory)
 * through the hook that `limit.c` installs, so that callers have no failure path to get wrong.
 * `mem_inject` lets the tests fail the n-th allocation. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t bytes) __attribute__((returns_nonnull));
void *mem_calloc(size_t count, size_t size) __attribute__((returns_nonnull));
void *mem_realloc(void *p, size_t bytes) __attribute__((returns_nonnull));
/* NULL if there is not enough memory; p is then unchanged. */
void *mem_try_realloc(void *p, size_t bytes);
void mem_free(void *p);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);

/* count * size, or the out-of-memory exit if that does not fit in a size_t. */
size_t mem_mul(size_t count, size_t size);

/* Called, once, when memory is exhausted; must not return. */
void mem_on_exhausted(void (*hook)(void));

/* End the program as out of memory, when a library could not allocate or a size does not fit. */
_Noreturn void mem_exhausted(void);

/* Makes C++ libraries that get no memory from `new`, or none for a thread, end the program in the
 * same way.  Call it once they are loaded (library.h does); it has no effect if they are not. */
void mem_guard_libraries(void);

/* Fail the nth allocation from now on (1 = the next); 0 turns it off. */
void mem_inject(long nth);

#endif
