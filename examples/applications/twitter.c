/* Twitter: following somebody counts on both sides; a tweet is copied into the timelines of all who
 * follow its author when it is sent (fan-out on write), and taken out of all timelines when it is
 * deleted.  Follower counts need the conflict on the users' rows: psi is enough, below they lose
 * updates.  A timeline never has a tweet that is gone: the tweet's own transaction fills the
 * timelines, and a tweet is deleted by somebody who sees it.  Any number of users and tweets.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int followers, following; } user[ANY];
DATABASE struct { bool there; } follows[ANY][ANY]; /* follower, followed */
DATABASE struct { bool present; int author; } tweet[ANY];
DATABASE struct { bool there; } timeline[ANY][ANY]; /* user, tweet */

TRANSACTION void follow(int a, int b)
{
    assume(a >= 0 && a < ANY);
    assume(b >= 0 && b < ANY);
    if (a == b || follows[a][b].there)
        rollback();
    follows[a][b].there = true;
    user[a].following++;
    user[b].followers++;
}

TRANSACTION void unfollow(int a, int b)
{
    assume(a >= 0 && a < ANY);
    assume(b >= 0 && b < ANY);
    if (a == b || !follows[a][b].there)
        rollback();
    follows[a][b].there = false;
    user[a].following--;
    user[b].followers--;
}

TRANSACTION void send(int author)
{
    assume(author >= 0 && author < ANY);
    int t = fresh(tweet);
    tweet[t].present = true;
    tweet[t].author = author;
    for (int u = 0; u < ANY; u++)
        if (follows[u][author].there)
            timeline[u][t].there = true;
}

TRANSACTION void remove_tweet(int t)
{
    assume(t >= 0 && t < ANY);
    if (!tweet[t].present)
        rollback();
    tweet[t].present = false;
    for (int u = 0; u < ANY; u++)
        timeline[u][t].there = false;
}

INVARIANT bool followers_are_counted(int b)
{
    int n = 0;
    for (int a = 0; a < ANY; a++)
        if (follows[a][b].there)
            n++;
    return user[b].followers == n;
}

INVARIANT bool followed_are_counted(int a)
{
    int n = 0;
    for (int b = 0; b < ANY; b++)
        if (follows[a][b].there)
            n++;
    return user[a].following == n;
}

INVARIANT bool timelines_have_tweets_that_exist(int u, int t)
{
    return !timeline[u][t].there || tweet[t].present;
}

SCENARIO void two_followers(void)
{
    follow(0, 2);
    follow(1, 2);
}

SCENARIO void tweet_and_follower(void)
{
    follow(0, 1);
    send(1);
    remove_tweet(0);
}
