#include "database/turns.h"

#include "base/map.h"
#include "base/mem.h"

void turns_init(struct turns *t, bool on, unsigned n, uint64_t seed)
{
    *t = (struct turns){.on = on, .n = n, .here = n, .rng = seed};
    if (!on)
        return;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->moved, NULL);
    t->gone = mem_calloc(n, sizeof *t->gone);
}

void turns_free(struct turns *t)
{
    if (!t->on)
        return;
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->moved);
    mem_free(t->gone);
}

/* Under the lock. */
static void draw(struct turns *t)
{
    if (t->here == 0)
        return;
    t->rng = hash_u64(t->rng + 1);
    uint64_t skip = t->rng % t->here;
    for (unsigned i = 0; i < t->n; i++)
        if (!t->gone[i] && skip-- == 0) {
            t->now = i;
            break;
        }
    pthread_cond_broadcast(&t->moved);
}

static void await(struct turns *t, unsigned who)
{
    while (t->now != who)
        pthread_cond_wait(&t->moved, &t->lock);
}

void turns_join(struct turns *t, unsigned who)
{
    if (!t->on)
        return;
    pthread_mutex_lock(&t->lock);
    await(t, who);
    pthread_mutex_unlock(&t->lock);
}

void turns_next(struct turns *t, unsigned who)
{
    if (!t->on)
        return;
    pthread_mutex_lock(&t->lock);
    draw(t);
    await(t, who);
    pthread_mutex_unlock(&t->lock);
}

void turns_leave(struct turns *t, unsigned who)
{
    if (!t->on)
        return;
    pthread_mutex_lock(&t->lock);
    t->gone[who] = true;
    t->here--;
    if (t->now == who)
        draw(t);
    pthread_mutex_unlock(&t->lock);
}
