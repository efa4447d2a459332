#include <visar.h>

DATABASE int x;

struct node { int value; struct node *next; };
DATABASE struct node list[3];
TRANSACTION void t(void) { list[0].value = 1; }
