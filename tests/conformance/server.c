#include "tests/conformance/server.h"

#include <string.h>

static bool has_scheme(const char *url, const char *scheme)
{
    size_t n = strlen(scheme);
    return !strncmp(url, scheme, n) && !strncmp(url + n, "://", 3);
}

const struct server_driver *server_driver_of(const char *url)
{
    if (has_scheme(url, server_pg.scheme) || has_scheme(url, "postgres"))
        return &server_pg;
    if (has_scheme(url, server_mariadb.scheme) || has_scheme(url, "mysql"))
        return &server_mariadb;
    return NULL;
}
