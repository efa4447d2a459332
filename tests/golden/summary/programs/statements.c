/* Statements as a database has them: UPDATEs of one row and of many, a queue with SKIP LOCKED. */
#include <visar.h>

enum state { NEW, RUNNING, DONE };
DATABASE struct {
    PRESENCE bool present;
    enum state state;
    int runs;
} job[ANY];
DATABASE struct {
    int stock, price;
} item[6];
DATABASE int next;
GHOST int started;

TRANSACTION int take(void)
{
    int k = -1;
    for (int i = 0; i < ANY; i++)
        if (job[i].present && job[i].state == NEW && skip_locked(job[i])) {
            k = i;
            break;
        }
    if (k >= 0) {
        ATOMIC {
            job[k].state = RUNNING;
            job[k].runs++;
        }
        started++;
    }
    return k;
}

TRANSACTION int cheapest(int most)
{
    for (int i = 1; i < 6; i++)
        if (item[i].price <= most && skip_locked(item[i]))
            return item[i].price;
    return 0;
}

TRANSACTION bool buy(int i, int n)
{
    bool done = false;
    if (i < 0 || i > 5 || n < 0)
        rollback();
    for_share(item[i]);
    ATOMIC if (item[i].stock >= n) {
        item[i].stock -= n;
        done = item[i].stock > next;
    }
    else done = n > 3;
    return done;
}

TRANSACTION int close(int n)
{
    ATOMIC for (int i = 0; i < ANY; i++)
        if (job[i].state == RUNNING && job[i].runs > n)
            job[i].state = DONE;
    ATOMIC for (int i = 0; i < 6; i++) {
        item[i].stock = item[i].price + next;
        if (item[i].stock > n)
            item[i].price = n;
    }
    ATOMIC {
        item[2].stock = item[3].price;
        item[3].stock = next + n;
    }
    int left = 0;
    for (int i = 0; i < ANY; i++)
        left += job[i].state == RUNNING;
    return left + item[3].stock;
}

CONSTRAINT bool in_stock(int i) { return item[i].stock >= 0; }
INVARIANT bool counted(int i) { return job[i].runs >= 0 && started >= 0; }
