#include <visar.h>

DATABASE int x;

#include <setjmp.h>

TRANSACTION void t(void)
{
    jmp_buf env;
    if (setjmp(env))
        x = 1;
    else
        longjmp(env, 1);
}
