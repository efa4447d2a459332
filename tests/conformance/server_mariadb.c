/* MariaDB and MySQL, through libmariadb.
 *
 * Who waits is asked with SHOW ENGINE INNODB STATUS, which looks at all transactions at one moment.
 * (information_schema.innodb_trx would not do: it is renewed only ten times a second.)  A lock is
 * granted by the transaction that releases it, before its client hears that it has ended.  So if
 * every statement that has not been answered is found waiting at one moment, none of them moves
 * before somebody does something.  InnoDB's detection of deadlocks is switched off where that is
 * permitted: the explorer ends them. */
#include "tests/conformance/server.h"
#include "tests/conformance/sql.h"
#include "tests/conformance/statements.h"

#include <mysql.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct connection {
    MYSQL *my;
    int level; /* of the session; -1: not set yet */
};

struct server {
    MYSQL *monitor;
    struct connection connection[CF_TRANSACTIONS];
    char version[120];
};

/* The parts of scheme://user:password@host:port/database?socket=path. */
struct address {
    char text[400];
    const char *user, *password, *host, *database, *socket;
    unsigned port;
};

static void fail(const char *what, MYSQL *my)
{
    fprintf(stderr, "visar-conformance: %s: %s\n", what, mysql_error(my));
    exit(2);
}

static char *cut(char *text, char at)
{
    char *found = text ? strchr(text, at) : NULL;
    if (found)
        *found++ = '\0';
    return found;
}

static void read_address(struct address *a, const char *url)
{
    *a = (struct address){.user = "root"};
    snprintf(a->text, sizeof(a->text), "%s", strstr(url, "://") + 3);
    char *options = cut(a->text, '?');
    char *database = cut(a->text, '/');
    char *at = strrchr(a->text, '@');
    char *host = at ? at + 1 : a->text;
    if (at) {
        *at = '\0';
        a->password = cut(a->text, ':');
        a->user = a->text;
    }
    char *port = cut(host, ':');
    a->host = *host ? host : NULL;
    a->port = port ? (unsigned)strtoul(port, NULL, 10) : 0;
    a->database = database && *database ? database : "visar";
    if (options && !strncmp(options, "socket=", 7)) {
        a->socket = options + 7;
        a->host = NULL;
    }
}

static void tell(MYSQL *my, const char *sql)
{
    if (mysql_query(my, sql))
        fail(sql, my);
    mysql_free_result(mysql_store_result(my));
}

static MYSQL *connect_to(const struct address *a)
{
    MYSQL *my = mysql_init(NULL);
    char sql[200];
    if (!mysql_real_connect(my, a->host, a->user, a->password, NULL, a->port, a->socket,
                            CLIENT_FOUND_ROWS))
        fail("cannot connect", my);
    snprintf(sql, sizeof(sql), "CREATE DATABASE IF NOT EXISTS `%s`", a->database);
    tell(my, sql);
    if (mysql_select_db(my, a->database))
        fail(a->database, my);
    tell(my, "SET SESSION innodb_lock_wait_timeout = 3600");
    return my;
}

static struct server *my_open(const char *url)
{
    struct server *s = calloc(1, sizeof(*s));
    struct address address;
    if (!s)
        abort();
    read_address(&address, url);
    s->monitor = connect_to(&address);
    snprintf(s->version, sizeof(s->version), "%s", mysql_get_server_info(s->monitor));
    mysql_query(s->monitor, "SET GLOBAL innodb_deadlock_detect = OFF");
    tell(s->monitor, "DROP TABLE IF EXISTS t");
    tell(s->monitor, "CREATE TABLE " CF_SQL_TABLE " ENGINE = InnoDB");
    for (unsigned i = 0; i < CF_TRANSACTIONS; i++) {
        s->connection[i].my = connect_to(&address);
        s->connection[i].level = -1;
    }
    return s;
}

static void my_close(struct server *s)
{
    for (unsigned i = 0; i < CF_TRANSACTIONS; i++)
        mysql_close(s->connection[i].my);
    tell(s->monitor, "DROP TABLE t");
    mysql_query(s->monitor, "SET GLOBAL innodb_deadlock_detect = ON");
    mysql_close(s->monitor);
    mysql_library_end();
    free(s);
}

static const char *my_version(const struct server *s)
{
    return s->version;
}

static void my_reset(struct server *s, const struct cf_program *p, size_t run)
{
    (void)run;
    char rows[CF_SQL];
    cf_sql_rows(p, rows);
    tell(s->monitor, "DELETE FROM t");
    if (*rows)
        tell(s->monitor, rows);
}

static void read_rows(MYSQL_RES *r, struct cf_result *out)
{
    MYSQL_ROW row;
    *out = (struct cf_result){0};
    while ((row = mysql_fetch_row(r)))
        cf_result_add(
            out, (struct cf_row){(int)strtol(row[0], NULL, 10), (int)strtol(row[1], NULL, 10)});
}

static void my_rows(struct server *s, struct cf_result *out)
{
    if (mysql_query(s->monitor, "SELECT k, v FROM t"))
        fail("SELECT", s->monitor);
    MYSQL_RES *r = mysql_store_result(s->monitor);
    if (!r)
        fail("SELECT", s->monitor);
    read_rows(r, out);
    mysql_free_result(r);
}

static void my_begin(struct server *s, unsigned connection, enum cf_level level)
{
    static const char *const set[] = {"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                                      "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
                                      "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE"};
    struct connection *c = &s->connection[connection];
    if (c->level != (int)level)
        tell(c->my, set[level - CF_MY_RC]);
    c->level = (int)level;
    tell(c->my, "START TRANSACTION");
}

static void my_send(struct server *s, unsigned connection, const char *sql)
{
    MYSQL *my = s->connection[connection].my;
    if (mysql_send_query(my, sql, (unsigned long)strlen(sql)))
        fail(sql, my);
}

static int my_descriptor(const struct server *s, unsigned connection)
{
    return (int)mysql_get_socket(s->connection[connection].my);
}

static bool lost(MYSQL *my)
{
    return mysql_errno(my) >= 2000 && mysql_errno(my) < 3000;
}

static bool my_receive(struct server *s, unsigned connection, struct server_answer *answer)
{
    MYSQL *my = s->connection[connection].my;
    struct pollfd ready = {.fd = (int)mysql_get_socket(my), .events = POLLIN};
    if (poll(&ready, 1, 0) <= 0)
        return false;
    *answer = (struct server_answer){0};
    /* A SELECT can fail among its rows. */
    MYSQL_RES *r = NULL;
    if (mysql_read_query_result(my) || (!(r = mysql_store_result(my)) && mysql_errno(my))) {
        if (lost(my))
            fail("the connection is lost", my);
        answer->failed = true;
        snprintf(answer->error, sizeof(answer->error), "%u", mysql_errno(my));
    } else if (r) {
        read_rows(r, &answer->result);
    } else {
        answer->result.rows = (int)mysql_affected_rows(my);
    }
    mysql_free_result(r);
    return true;
}

static unsigned connection_of(const struct server *s, unsigned long thread)
{
    for (unsigned c = 0; c < CF_TRANSACTIONS; c++)
        if (mysql_thread_id(s->connection[c].my) == thread)
            return 1u << c;
    return 0;
}

/* The report has a paragraph for each transaction; one that waits has a line that begins with LOCK
 * WAIT, before the line that names its thread. */
static unsigned read_status(const struct server *s, char *text)
{
    unsigned set = 0;
    bool waits = false;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *thread = strstr(line, " thread id ");
        if (!strncmp(line, "---TRANSACTION", 14))
            waits = false;
        else if (!strncmp(line, "LOCK WAIT", 9))
            waits = true;
        else if (thread && waits)
            set |= connection_of(s, strtoul(thread + 11, NULL, 10));
    }
    return set;
}

static unsigned my_waiting(struct server *s)
{
    if (mysql_query(s->monitor, "SHOW ENGINE INNODB STATUS"))
        fail("SHOW ENGINE INNODB STATUS", s->monitor);
    MYSQL_RES *r = mysql_store_result(s->monitor);
    MYSQL_ROW row = r ? mysql_fetch_row(r) : NULL;
    if (!row)
        fail("SHOW ENGINE INNODB STATUS", s->monitor);
    unsigned set = read_status(s, row[2]);
    mysql_free_result(r);
    return set;
}

static void my_cancel(struct server *s, unsigned connection)
{
    char sql[60];
    snprintf(sql, sizeof(sql), "KILL QUERY %lu", mysql_thread_id(s->connection[connection].my));
    tell(s->monitor, sql);
}

static void my_rollback(struct server *s, unsigned connection)
{
    tell(s->connection[connection].my, "ROLLBACK");
}

const struct server_driver server_mariadb = {
    .scheme = "mariadb",
    .open = my_open,
    .close = my_close,
    .version = my_version,
    .reset = my_reset,
    .rows = my_rows,
    .begin = my_begin,
    .send = my_send,
    .descriptor = my_descriptor,
    .receive = my_receive,
    .waiting = my_waiting,
    .cancel = my_cancel,
    .rollback = my_rollback,
};
