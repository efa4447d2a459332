/* Folds of every shape, one function for each. */
#include <visar.h>
#ifndef FZ
#define FZ(e) (e)
#define FZ_STUB(...)
#endif
DATABASE struct account { bool present; int owner; int balance; short limit; } account[ANY];
DATABASE int grid[ANY][ANY];
DATABASE struct { int to, n; } edge[7];
DATABASE int next, tally[ANY];

/* ---- sums and counts */
TRANSACTION long sum_all(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        sum += account[i].balance;
    return sum;
}
TRANSACTION int sum_some(int owner, int start)
{
    int sum = start, n = 0;
    for (int i = 0; i < ANY; i++) {
        if (account[i].owner != owner)
            continue;
        sum = sum + account[i].balance;
        n++;
        if (account[i].present)
            sum -= account[i].limit;
    }
    return sum * 2 + n;
}
TRANSACTION unsigned sum_modulo(unsigned start)
{
    unsigned sum = start;
    for (unsigned i = 0; i < ANY; i++)
        sum += account[i].balance;
    return sum;
}
TRANSACTION short sum_short(short start)
{
    short sum = start;
    for (int i = 0; i < ANY; i++)
        sum += account[i].limit;
    return sum;
}
TRANSACTION int count_from(int from)
{
    int n = 0;
    for (int i = from; i < ANY; i++)
        n += account[i].present ? 2 : 1;
    return n;
}
TRANSACTION int count_all(int from)
{
    int n = 0;
    for (int i = from; i < ANY; i++)
        n++;
    return n;
}
TRANSACTION long sum_grid(int d)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        for (int j = 0; j < ANY; j++)
            if (grid[i][j] > d)
                sum += grid[i][j];
    return sum;
}
TRANSACTION int count_pairs(void)
{
    int n = 0;
    for (int i = 0; i < ANY; i++)
        for (int j = i + 1; j < ANY; j++)
            n += account[i].owner == account[j].owner;
    return n;
}
TRANSACTION int sum_edges(int d)
{
    int s = 0;
    for (int i = 0; i < 7; i++) {
        int q = edge[i].n;
        s += q * d;
    }
    return s;
}
TRANSACTION int rows_with_many(int d)
{
    int rows = 0;
    for (int i = 0; i < ANY; i++) {
        int n = 0;
        for (int j = 0; j < ANY; j++)
            n += grid[i][j] == d;
        if (n > 1)
            rows++;
    }
    return rows;
}

/* ---- flags */
TRANSACTION bool flag_set(int d)
{
    bool found = false;
    int last = 9;
    for (int i = 0; i < ANY; i++) {
        if (account[i].owner == d)
            found = true;
        if (account[i].balance < 0)
            last = 4;
    }
    return found && last == 4;
}
TRANSACTION int flag_all(bool start, int d)
{
    bool ok = start;
    int ok2 = d, or2 = d;
    bool some = start;
    for (int i = 0; i < ANY; i++) {
        ok = ok && account[i].balance >= d;
        some |= account[i].owner == d;
        if (account[i].present)
            ok2 = ok2 && account[i].balance;
        if (account[i].balance > 1)
            or2 = account[i].limit || or2;
    }
    return ok * 1000 + some * 100 + ok2 * 10 + or2;
}
TRANSACTION bool flag_checks(bool start)
{
    bool ok = start;
    for (int i = 0; i < ANY; i++)
        ok = ok && account[account[i].owner].present;
    return ok;
}
TRANSACTION int flag_or_checks(int start)
{
    int some = start;
    for (int i = 0; i < ANY; i++)
        some = some || edge[account[i].owner].n > 1;
    return some;
}
TRANSACTION bool flag_bits(bool b)
{
    bool c = b;
    for (int i = 0; i < ANY; i++) {
        b &= account[i].owner;
        c |= account[i].balance;
    }
    return b && !c;
}
TRANSACTION bool flag_grid(bool b)
{
    for (int i = 0; i < ANY; i++)
        for (int j = 0; j < ANY; j++)
            b = b && grid[i][j] != 3;
    return b;
}

/* ---- least and greatest */
TRANSACTION int least(int start)
{
    int m = start, g = -100;
    for (int i = 0; i < ANY; i++) {
        if (account[i].present && account[i].balance < m)
            m = account[i].balance;
        g = account[i].limit > g ? account[i].limit : g;
    }
    return m * 7 + g;
}
TRANSACTION int least_checked(int start)
{
    int m = start;
    for (int i = 0; i < ANY; i++)
        if (account[i].balance <= m && edge[account[i].owner].n > 0)
            m = account[i].balance;
    return m;
}
TRANSACTION long greatest_grid(long g)
{
    for (int i = 0; i < ANY; i++)
        for (int j = 0; j < ANY; j++)
            if (g < grid[i][j])
                g = grid[i][j];
    return g;
}

TRANSACTION int least_grid(int m)
{
    for (int i = 0; i < ANY; i++)
        for (int j = 0; j < ANY; j++)
            m = grid[i][j] < m ? grid[i][j] : m;
    return m;
}
TRANSACTION int least_twice(int m)
{
    for (int i = 0; i < ANY; i++) {
        if (account[i].present && account[i].owner < m)
            m = account[i].owner;
        m = m > account[i].limit ? account[i].limit : m;
    }
    return m;
}

/* ---- first match */
TRANSACTION int first_free(int d)
{
    int k = -1, who = 77;
    for (int i = 0; i < ANY; i++)
        if (!account[i].present) {
            k = i;
            who = account[i].owner + d;
            break;
        }
    if (k < 0)
        rollback();
    account[k].present = true;
    account[k].owner = d;
    return who;
}
static int find(int owner)
{
    for (int i = 0; i < ANY; i++) {
        if (account[i].owner == owner)
            return i;
        if (account[i].owner > 4)
            return -2;
    }
    return -1;
}
TRANSACTION int first_by_function(int owner)
{
    int k = find(owner);
    return k < 0 ? k : account[k].balance;
}
TRANSACTION int break_or_return(int d)
{
    int k = ANY, v = 0;
    for (int i = 0; i < ANY; i++) {
        if (account[i].balance == d) {
            k = i;
            v = account[i].limit;
            break;
        }
        if (account[i].owner == d)
            return account[i].limit * 100;
    }
    return k * 10 + v;
}
TRANSACTION int find_pair(void)
{
    for (int i = 0; i < ANY; i++)
        for (int j = i + 1; j < ANY; j++)
            if (account[i].owner == account[j].owner)
                return i * 10 + j;
    return -1;
}
TRANSACTION int first_of_each(int d)
{
    int sum = 0;
    for (int i = 0; i < ANY; i++) {
        int k = -1;
        for (int j = 0; j < ANY; j++)
            if (grid[i][j] == d) {
                k = j;
                break;
            }
        if (k >= 0)
            sum += grid[k][i];
    }
    return sum;
}
TRANSACTION void leave_at_once(int d)
{
    for (int i = 0; i < ANY; i++) {
        account[i].balance = d;
        return;
    }
}

/* ---- what may stop */
TRANSACTION void rolls_back(int d)
{
    for (int i = 0; i < ANY; i++)
        if (account[i].owner == d)
            rollback();
    next = 1;
}
TRANSACTION int many_stops(int d)
{
    int n = 0;
    for (int i = 0; i < ANY; i++) {
        if (account[i].owner == d)
            rollback();
        assume(account[i].balance != 3);
        assert(account[i].limit < 4);
        n += 10 / account[i].balance;
        n += edge[account[i].limit].n;
        assert(account[i].owner != 2);
    }
    return n;
}
TRANSACTION int stops_and_leaves(int d)
{
    for (int i = 0; i < ANY; i++) {
        assert(account[i].limit != 1);
        if (account[i].owner == d)
            break;
        if (10 % account[i].balance == 1)
            return i;
        account[i].balance = edge[account[i].limit].n;
    }
    return -1;
}
TRANSACTION int products(int d)
{
    int n = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].balance * d * 100000 > 3)
            n++;
    return n;
}
TRANSACTION int always_stops(int from)
{
    for (int i = from; i < ANY; i++)
        rollback();
    return 5;
}

/* ---- writes */
TRANSACTION void raise_all(int owner, int by)
{
    for (int i = 0; i < ANY; i++) {
        if (account[i].owner != owner)
            continue;
        account[i].balance += by;
        if (account[i].balance > 3)
            account[i].limit = 3;
    }
}
TRANSACTION int write_around(int k, int d)
{
    account[0].owner = 5;
    account[k].balance = 8;
    for (int i = 0; i < ANY; i++)
        if (account[i].owner > d)
            account[i].owner = account[i].balance;
    account[k].limit = account[k].owner;
    int s = account[0].owner;
    for (int i = 1; i < ANY; i++)
        account[i].balance = account[i].limit + account[i].owner;
    account[0].balance++;
    for (int i = 0; i < ANY; i++)
        s += account[i].balance;
    return s;
}
TRANSACTION int write_if(bool c, int k)
{
    if (c) {
        for (int i = 0; i < ANY; i++)
            account[i].balance = i;
        account[k].owner = 3;
    } else {
        account[k].balance = 9;
    }
    if (k > 0)
        for (int i = k; i < ANY; i++)
            account[i].limit = account[i].balance;
    return account[0].balance;
}
TRANSACTION void write_grid(int d)
{
    for (int i = 0; i < ANY; i++) {
        if (account[i].present)
            continue;
        for (int j = i; j < ANY; j++)
            if (grid[i][j] < d)
                grid[i][j] = account[j].balance + i;
        grid[i][0] = 2;
    }
}
TRANSACTION int read_moved(int k)
{
    for (int i = 0; i < ANY; i++)
        for (int j = 0; j < ANY; j++)
            grid[i][j] = grid[i][j] + account[j].owner;
    int s = 0;
    for (int j = 0; j < ANY; j++)
        for (int i = 0; i < ANY; i++)
            if (i < j)
                s += grid[j][i] * 2 + grid[i][j];
    return s + grid[k][0];
}
TRANSACTION void write_sums(int d)
{
    for (int i = 0; i < ANY; i++) {
        int s = 0;
        for (int j = 0; j < ANY; j++)
            s += grid[i][j];
        account[i].balance = s;
    }
    for (int i = 0; i < ANY; i++) {
        int s = 0;
        for (int j = 0; j < ANY; j++)
            if (account[j].balance == i + d)
                s++;
        tally[i] = s;
    }
}
TRANSACTION void write_until(int d)
{
    for (int i = 0; i < ANY; i++) {
        account[i].owner = d;
        if (account[i].balance == d)
            break;
        account[i].limit = d;
    }
}
TRANSACTION void write_row(int w, int d)
{
    for (int i = 0; i < ANY; i++) {
        grid[w][i] = d;
        grid[i][i] = 4;
    }
}
TRANSACTION void write_column(int w, int v, int d)
{
    for (int i = 0; i < ANY; i++) {
        grid[i][w] = d;
        if (account[i].present)
            grid[i][v] = grid[i][w] + 1;
    }
}
TRANSACTION void lock_some(int d)
{
    for (int i = 0; i < ANY; i++) {
        if (account[i].owner == d)
            for_update(account[i]);
        if (account[i].owner == 1)
            for_update(edge[2]);
    }
}
static int worth(int i)
{
    if (account[i].present)
        return account[i].balance * 2;
    return -account[i].limit;
}
TRANSACTION int by_function(int d)
{
    int s = 0;
    for (int i = 0; i < ANY; i++) {
        int k;
        k = worth(i);
        if (k > d)
            s += k;
    }
    return s;
}
TRANSACTION int small_inside(int d)
{
    int s = 0;
    for (int i = 0; i < ANY; i++)
        for (int k = 0; k < 3; k++)
            if (edge[k].n == account[i].owner)
                s += edge[k].to + d;
    return s;
}
INITIAL void init0(void)
{
    for (int i = 0; i < ANY; i++) {
        account[i].balance = 10 + i;
        for (int j = 0; j < ANY; j++)
            grid[i][j] = i == j;
    }
    account[0].balance = 3;
    for (int i = 1; i < ANY; i++)
        if (account[i].balance > 12)
            account[i].owner = account[i].balance;
    for (int i = 0; i < 7; i++)
        edge[i].n = i;
}

INVARIANT bool every(int i) { return account[i].balance >= 0 || account[i].owner < ANY; }
INVARIANT bool none_negative(void)
{
    for (int i = 0; i < ANY; i++)
        if (account[i].balance < 0)
            return false;
    return true;
}
INVARIANT bool unique(int i, int j) { return i == j || account[i].owner != account[j].owner; }
INVARIANT bool total(int v)
{
    int sum = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].owner == v)
            sum += account[i].balance;
    return sum > 4;
}
FINAL bool parents(void)
{
    bool ok = true;
    for (int i = 0; i < ANY; i++)
        if (account[i].present && !account[account[i].owner].present)
            ok = false;
    return ok;
}
