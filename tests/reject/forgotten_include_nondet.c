int x;
void t(int a)
{
    if (nondet_int() > a)
        x = a;
}
