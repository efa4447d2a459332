/* A database server, with a few connections that may wait for each other's locks. */
#ifndef TESTS_CONFORMANCE_SERVER_H
#define TESTS_CONFORMANCE_SERVER_H

#include "tests/conformance/conformance.h"

/* The answer to a statement. */
struct server_answer {
    bool failed;
    char error[120];
    struct cf_result result; /* not sorted */
};

struct server;
struct server_driver {
    const char *scheme; /* of its URLs, as in scheme://user@host:port/database */
    /* Connects.  Servers that refuse, and connections that are lost later, end the program with a
     * message and the exit code 2. */
    struct server *(*open)(const char *url);
    void (*close)(struct server *s);
    const char *(*version)(const struct server *s);
    /* Gives the table the program's rows; nobody has a transaction.  Runs of a program count from
     * 0. */
    void (*reset)(struct server *s, const struct cf_program *p, size_t run);
    void (*rows)(struct server *s, struct cf_result *out);
    /* Begins a transaction; at the latest with the next statement. */
    void (*begin)(struct server *s, unsigned connection, enum cf_level level);
    void (*send)(struct server *s, unsigned connection, const char *sql);
    int (*descriptor)(const struct server *s, unsigned connection);
    /* Reads what has arrived; false: the answer is not there yet. */
    bool (*receive)(struct server *s, unsigned connection, struct server_answer *answer);
    /* The set of connections whose statements wait for a lock, all at one moment, as the server
     * says. A statement that was granted its lock does not wait any more. */
    unsigned (*waiting)(struct server *s);
    /* Makes a statement that waits fail. */
    void (*cancel)(struct server *s, unsigned connection);
    void (*rollback)(struct server *s, unsigned connection);
    /* Gates (sql.h), or NULL: shuts the gate of a connection, which opens again with `open_gate`;
     * the text of the condition.  A statement that is held up by a gate counts as waiting. */
    void (*shut_gate)(struct server *s, unsigned connection);
    void (*open_gate)(struct server *s, unsigned connection);
    const char *(*gate)(const struct server *s, unsigned connection);
};

extern const struct server_driver server_pg, server_mariadb;
/* The driver for a URL; NULL: there is none. */
const struct server_driver *server_driver_of(const char *url);

#endif
