/* A double-entry ledger: every entry of the journal takes an amount from one account and gives it to
 * another, and is never changed; a mistake is reversed by an entry of its own, once.  The balance of
 * each account is what the journal says, and all balances add up to nothing.  A posting writes the
 * rows of both accounts, so psi is enough; below, a balance loses a posting that the journal has.
 * Any number of accounts and entries; money is in cents.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int balance; } account[ANY];
DATABASE struct { bool present, reversed; int debit, credit, amount; } entry[ANY];

static void post_entry(int debit, int credit, int amount)
{
    int e = fresh(entry);
    entry[e].present = true;
    entry[e].debit = debit;
    entry[e].credit = credit;
    entry[e].amount = amount;
    account[debit].balance -= amount;
    account[credit].balance += amount;
}

TRANSACTION void post(int debit, int credit, int amount)
{
    assume(debit >= 0 && debit < ANY);
    assume(credit >= 0 && credit < ANY);
    if (debit == credit || amount <= 0)
        rollback();
    post_entry(debit, credit, amount);
}

TRANSACTION void reverse(int e)
{
    assume(e >= 0 && e < ANY);
    if (!entry[e].present || entry[e].reversed)
        rollback();
    entry[e].reversed = true;
    post_entry(entry[e].credit, entry[e].debit, entry[e].amount);
}

INVARIANT bool books_balance(void)
{
    long sum = 0;
    for (int a = 0; a < ANY; a++)
        sum += account[a].balance;
    return sum == 0;
}

INVARIANT bool balance_is_what_the_journal_says(int a)
{
    long sum = 0;
    for (int e = 0; e < ANY; e++)
        if (entry[e].present) {
            if (entry[e].credit == a)
                sum += entry[e].amount;
            if (entry[e].debit == a)
                sum -= entry[e].amount;
        }
    return account[a].balance == sum;
}

/* The lemma: the accounts of an entry exist, and are two. */
INVARIANT bool entries_have_accounts(int e)
{
    return entry[e].debit >= 0 && entry[e].debit < ANY && entry[e].credit >= 0 &&
           entry[e].credit < ANY && (!entry[e].present || entry[e].debit != entry[e].credit);
}

SCENARIO void two_postings(void)
{
    post(0, 1, 100);
    post(0, 2, 40);
}

SCENARIO void reversed_twice(void)
{
    SESSION {
        post(0, 1, 100);
        reverse(0);
    }
    reverse(0);
}
