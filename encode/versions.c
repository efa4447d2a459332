#include "encode/versions.h"

#include "encode/zx.h"

const char *enc_z3_version(void)
{
    return zx_version();
}
