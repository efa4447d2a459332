/* Growable array of any type.
 *
 *     VEC(int) v = {0};
 *     vec_push(&v, 7);
 *     for (size_t i = 0; i < v.len; i++) use(v.data[i]);
 *     vec_free(&v);
 *
 * Invariant: len <= cap, data holds cap elements (NULL when cap is 0).  A zeroed struct is an
 * empty vector.  Name the type with a typedef where it crosses a function boundary. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *data;                                                                                   \
        size_t len, cap;                                                                           \
    }

#define vec_reserve(v, n)                                                                          \
    ((n) <= (v)->cap                                                                               \
         ? (void)0                                                                                 \
         : (void)((v)->data = vec_grow_((v)->data, &(v)->cap, (n), sizeof *(v)->data)))

#define vec_push(v, x) (vec_reserve(v, (v)->len + 1), (void)((v)->data[(v)->len++] = (x)))

/* Room for one more element, zeroed; gives its address. */
#define vec_add(v)                                                                                 \
    (vec_reserve(v, (v)->len + 1), memset(&(v)->data[(v)->len], 0, sizeof *(v)->data),             \
     &(v)->data[(v)->len++])

#define vec_pop(v) ((v)->data[--(v)->len])
#define vec_last(v) ((v)->data[(v)->len - 1])
#define vec_clear(v) ((void)((v)->len = 0))

/* Length n; new elements are zero. */
#define vec_resize(v, n)                                                                           \
    (vec_reserve(v, n),                                                                            \
     (n) > (v)->len ? (void)memset(&(v)->data[(v)->len], 0, ((n) - (v)->len) * sizeof *(v)->data)  \
                    : (void)0,                                                                     \
     (void)((v)->len = (n)))

#define vec_free(v) (mem_free((v)->data), (void)((v)->data = NULL), (void)((v)->len = (v)->cap = 0))

#define VEC_LARGE ((size_t)8 << 20)

__attribute__((returns_nonnull)) static inline void *vec_grow_(void *data, size_t *cap, size_t need,
                                                               size_t size)
{
    size_t now = *cap ? *cap * 2 : 8;
    if (now < need)
        now = need;
    /* Near the memory limit there may be room for what is needed, though not for twice as much. */
    void *grown = NULL;
    if (mem_mul(now, size) >= VEC_LARGE && now > need + need / 8) {
        grown = mem_try_realloc(data, mem_mul(now, size));
        if (!grown)
            now = need + need / 8;
    }
    *cap = now;
    return grown ? grown : mem_realloc(data, mem_mul(now, size));
}

#endif
