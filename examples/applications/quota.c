/* Quota in a hierarchy: a user belongs to a team, a team to an organisation, and each of them has a
 * limit on what is stored.  Storing adds to all three rows, so psi is enough for every limit and
 * every sum; below, additions are lost and limits are exceeded.  Users move between teams of one
 * organisation.  Any number of organisations, teams and users.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int limit, used; } organisation[ANY];
DATABASE struct { int organisation, limit, used; } team[ANY];
DATABASE struct { int team, limit, used; } user[ANY];

TRANSACTION void store(int u, int size)
{
    assume(u >= 0 && u < ANY);
    int t = user[u].team;
    int o = team[t].organisation;
    if (size <= 0 || user[u].used + size > user[u].limit || team[t].used + size > team[t].limit ||
        organisation[o].used + size > organisation[o].limit)
        rollback();
    user[u].used += size;
    team[t].used += size;
    organisation[o].used += size;
}

TRANSACTION void erase(int u, int size)
{
    assume(u >= 0 && u < ANY);
    int t = user[u].team;
    int o = team[t].organisation;
    if (size <= 0 || size > user[u].used)
        rollback();
    user[u].used -= size;
    team[t].used -= size;
    organisation[o].used -= size;
}

TRANSACTION void move_user(int u, int to)
{
    assume(u >= 0 && u < ANY);
    assume(to >= 0 && to < ANY);
    int from = user[u].team;
    if (from == to || team[from].organisation != team[to].organisation ||
        team[to].used + user[u].used > team[to].limit)
        rollback();
    user[u].team = to;
    team[from].used -= user[u].used;
    team[to].used += user[u].used;
}

INITIAL void one_organisation(void)
{
    for (int i = 0; i < ANY; i++) {
        organisation[i].limit = 100;
        team[i].limit = 80;
        user[i].limit = 60;
    }
}

INVARIANT bool organisations_keep_their_limit(int o)
{
    return organisation[o].used <= organisation[o].limit;
}

INVARIANT bool teams_keep_their_limit(int t)
{
    return team[t].used <= team[t].limit;
}

INVARIANT bool users_keep_their_limit(int u)
{
    return user[u].used >= 0 && user[u].used <= user[u].limit;
}

INVARIANT bool team_is_sum_of_users(int t)
{
    long sum = 0;
    for (int u = 0; u < ANY; u++)
        if (user[u].team == t)
            sum += user[u].used;
    return team[t].used == sum;
}

INVARIANT bool organisation_is_sum_of_teams(int o)
{
    long sum = 0;
    for (int t = 0; t < ANY; t++)
        if (team[t].organisation == o)
            sum += team[t].used;
    return organisation[o].used == sum;
}

/* The lemma: teams and organisations that are named exist. */
INVARIANT bool references_are_good(int i)
{
    return user[i].team >= 0 && user[i].team < ANY && team[i].organisation >= 0 &&
           team[i].organisation < ANY;
}

SCENARIO void two_users_of_a_team(void)
{
    store(0, 50);
    store(1, 50);
}

SCENARIO void stores_and_moves(void)
{
    SESSION {
        store(0, 30);
        move_user(0, 1);
    }
    erase(0, 10);
}
