#include "encode/z3/z3_version.h"

#include "encode/z3/z3ctx.h"

const char *enc_z3_version(void)
{
    return z3ctx_version();
}
