#include "check/problem/question.h"

struct check_options check_defaults(void)
{
    return (struct check_options){.level = {MODEL_SER, true, LEVEL_NO_TIME}};
}
