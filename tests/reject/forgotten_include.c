DATABASE struct { int balance; } account[2];

TRANSACTION void withdraw(int who, int amount)
{
    assume(who == 0 || who == 1);
    account[who].balance -= amount;
}
INVARIANT int solvent(void) { return account[0].balance >= 0; }
