/* Likes counted: a post shows how many users like it, and a row per user and post says who does.
 * Liking and unliking write that row and the post, so two who like one post conflict on the post:
 * psi is enough.  Below, one of two increments is lost and the post shows too few.  Any number of
 * users and posts.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int likes; } post[ANY];
DATABASE struct { bool there; } liked[ANY][ANY]; /* user, post */

TRANSACTION void like(int user, int p)
{
    assume(user >= 0 && user < ANY);
    assume(p >= 0 && p < ANY);
    if (liked[user][p].there)
        rollback();
    liked[user][p].there = true;
    post[p].likes++;
}

TRANSACTION void unlike(int user, int p)
{
    assume(user >= 0 && user < ANY);
    assume(p >= 0 && p < ANY);
    if (!liked[user][p].there)
        rollback();
    liked[user][p].there = false;
    post[p].likes--;
}

INVARIANT bool likes_are_counted(int p)
{
    int n = 0;
    for (int u = 0; u < ANY; u++)
        if (liked[u][p].there)
            n++;
    return post[p].likes == n;
}

SCENARIO void two_fans(void)
{
    like(0, 0);
    like(1, 0);
}

SCENARIO void one_click_twice(void)
{
    like(0, 0);
    like(0, 0);
    unlike(0, 0);
}
