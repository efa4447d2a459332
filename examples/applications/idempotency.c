/* Idempotency keys: a client that gets no answer sends its payment again, with the same key.  The
 * first request claims the row of the key and makes a charge; every later one finds the charge.  Two
 * requests with one key conflict on the key's row, so psi is enough; below, the customer is charged
 * twice.  Any number of keys, charges and accounts.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool used; int charge; } key[ANY];
DATABASE struct { bool present; int key, account, amount; } charge[ANY];
DATABASE struct { int charged; } account[ANY];

/* The number of the charge. */
TRANSACTION int pay(int k, int a, int amount)
{
    assume(k >= 0 && k < ANY);
    assume(a >= 0 && a < ANY);
    if (amount <= 0)
        rollback();
    if (key[k].used)
        return key[k].charge;
    int c = fresh(charge);
    charge[c].present = true;
    charge[c].key = k;
    charge[c].account = a;
    charge[c].amount = amount;
    account[a].charged += amount;
    key[k].used = true;
    key[k].charge = c;
    return c;
}

INVARIANT bool one_charge_per_key(int i, int j)
{
    return i == j || !charge[i].present || !charge[j].present || charge[i].key != charge[j].key;
}

INVARIANT bool accounts_add_up(int a)
{
    long sum = 0;
    for (int c = 0; c < ANY; c++)
        if (charge[c].present && charge[c].account == a)
            sum += charge[c].amount;
    return account[a].charged == sum;
}

/* The lemma: the key of a charge knows it. */
INVARIANT bool keys_know_their_charge(int c, int k)
{
    return !charge[c].present || charge[c].key != k || (key[k].used && key[k].charge == c);
}

/* What a later request is told is the key's own charge.  There is one, so all are told the same. */
INVARIANT bool answers_are_the_charge(int k)
{
    return !key[k].used || (charge[key[k].charge].present && charge[key[k].charge].key == k);
}

SCENARIO void sent_twice(void)
{
    pay(0, 0, 500);
    pay(0, 0, 500);
}

SCENARIO void sent_again(void)
{
    SESSION {
        pay(0, 0, 500);
        pay(0, 0, 500);
    }
    pay(0, 1, 200);
}
