#include <visar.h>
#include "nowhere.h"

DATABASE int x;

TRANSACTION void t(void) { x++; }
