#include <visar.h>

DATABASE int x;

__asm__(".globl nothing");
TRANSACTION void t(void) { x++; }
