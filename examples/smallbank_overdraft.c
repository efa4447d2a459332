/* SmallBank (Alomari et al. 2008), the dangerous structure: a balance inquiry, a check and a deposit
 * into savings.  The inquiry shows the deposit and not the check, so the check comes after the
 * deposit, which covers it; yet the check is charged for an overdraft.  Any number of customers.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define PENALTY 1
#define DEPOSIT 100
#define AMOUNT 50

DATABASE struct { int balance; } savings[ANY], checking[ANY];
DATABASE struct { int charged; } overdraft[ANY];
DATABASE struct { bool printed; int total; } inquiry[ANY];

TRANSACTION void balance(int c)
{
    assume(c >= 0 && c < ANY);
    inquiry[c].total = savings[c].balance + checking[c].balance;
    inquiry[c].printed = true;
}

TRANSACTION void write_check(int c, int amount)
{
    assume(c >= 0 && c < ANY);
    assume(amount > 0);
    if (savings[c].balance + checking[c].balance < amount) {
        checking[c].balance -= amount + PENALTY;
        overdraft[c].charged += PENALTY;
    } else {
        checking[c].balance -= amount;
    }
}

TRANSACTION void transact_savings(int c, int amount)
{
    assume(c >= 0 && c < ANY);
    if (savings[c].balance + amount < 0)
        rollback();
    savings[c].balance += amount;
}

FINAL bool no_charge_if_the_inquiry_showed_cover(int c)
{
    return !(inquiry[c].printed && inquiry[c].total == DEPOSIT && overdraft[c].charged > 0);
}

SCENARIO void inquiry_check_deposit(void)
{
    balance(0);
    write_check(0, AMOUNT);
    transact_savings(0, DEPOSIT);
}
