/* The built-in workloads.  All three crowd on a few hot keys, where levels show what they are.
 *
 *   rw      registers: reads, blind writes, and writes that read the register first
 *   append  lists, Elle's workload (Kingsbury and Alvaro, VLDB 2020): a read of a list tells its
 *           whole history.  A key is retired after a number of appends, so that lists stay short
 *   bank    transfers that keep the total, and audits that look for it */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "database/client.h"

enum {
    HOT_SHARE = 80,   /* percent of the traffic */
    HOT_KEYS_IN = 20, /* one key in so many is hot */
    APPENDS = 24,     /* to a key before it is retired */
    OPENING = 100,    /* balance */
    LARGEST_TRANSFER = 20
};

/* ---- keys and operations -------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return hash_u64(*state);
}

uint64_t client_random(struct client *c, uint64_t below)
{
    return next_random(&c->rng) % below;
}

/* One of the keys; most of the time one of the few hot ones. */
static uint64_t random_key(struct client *c)
{
    uint64_t keys = c->r->o->keys, hot = keys / HOT_KEYS_IN < 2 ? 2 : keys / HOT_KEYS_IN;
    return client_random(c, 100) < HOT_SHARE && hot < keys ? client_random(c, hot)
                                                           : client_random(c, keys);
}

uint64_t client_tag(struct client *c)
{
    return atomic_fetch_add(&c->r->tags, 1) + 1;
}

void client_op(struct client *c)
{
    if (c->ops.len)
        sb_putc(&c->ops, ',');
    else
        c->first_answer = client_now();
}

struct number {
    char text[24];
};
static struct number number(uint64_t n)
{
    struct number t;
    snprintf(t.text, sizeof t.text, "%" PRIu64, n);
    return t;
}

/* CREATE TABLE and a row for each key. */
static const char *make_table(struct recorder *r, struct arena *messages, const char *columns,
                              const char *row)
{
    r->table = scratch_table(&r->scratch, "visar", 0, messages);
    struct number last = number(r->o->keys - 1u);
    const char *const params[] = {last.text};
    const char *create = arena_printf(messages, "CREATE TABLE %s (%s)", r->table, columns);
    const char *fill = arena_printf(
        messages, "INSERT INTO %s SELECT k, %s FROM generate_series(0, $1::bigint) AS k", r->table,
        row);
    if (db_run(&r->db, create) != DB_OK ||
        (*row && db_query(&r->db, fill, 1, params, NULL, NULL) != DB_OK))
        return arena_printf(messages, "cannot set up the workload's table: %s", r->db.message);
    return NULL;
}

/* ---- answers -------------------------------------------------------------------------------- */

static const struct db_column bigint = {DB_INTEGER, INT64_MIN, INT64_MAX};
static const struct db_column one = {DB_INTEGER, 1, 1};
static const struct db_column version[] = {{DB_INTEGER, INT64_MIN, INT64_MAX}, /* value */
                                           {DB_INTEGER, 0, INT64_MAX}};        /* tag */
static const struct db_shape one_value = {&bigint, 1, 1, 1};
static const struct db_shape one_row = {&one, 1, 1, 1}; /* RETURNING 1 */
static const struct db_shape one_version = {version, 2, 1, 1};

/* ---- rw ------------------------------------------------------------------------------------- */

static const char *rw_setup(struct recorder *r, struct arena *messages)
{
    return make_table(r, messages, "k bigint PRIMARY KEY, v bigint NOT NULL", "0");
}

static enum db_answer rw_read(struct client *c, uint64_t key)
{
    char sql[160];
    struct number k = number(key);
    const char *const params[] = {k.text};
    struct db_rows rows;
    snprintf(sql, sizeof sql, "SELECT v FROM %s WHERE k = $1", c->r->table);
    enum db_answer a = client_query(c, sql, 1, params, &one_value, &rows);
    if (a != DB_OK)
        return a;
    client_op(c);
    sb_printf(&c->ops, "[\"r\",%" PRIu64 ",%" PRId64 "]", key, (int64_t)db_cell(&rows, 0, 0));
    db_rows_free(&rows);
    return DB_OK;
}

static enum db_answer rw_write(struct client *c, uint64_t key)
{
    char sql[160];
    struct number k = number(key), v = number(client_tag(c));
    const char *const params[] = {k.text, v.text};
    struct db_rows rows;
    snprintf(sql, sizeof sql, "UPDATE %s SET v = $2 WHERE k = $1 RETURNING 1", c->r->table);
    enum db_answer a = client_query(c, sql, 2, params, &one_row, &rows);
    if (a != DB_OK)
        return a;
    client_op(c);
    sb_printf(&c->ops, "[\"w\",%" PRIu64 ",%s]", key, v.text);
    db_rows_free(&rows);
    return DB_OK;
}

static enum db_answer rw_run(struct client *c, bool *rollback)
{
    unsigned n = 2 + (unsigned)client_random(c, 4);
    *rollback = false;
    for (unsigned i = 0; i < n; i++) {
        uint64_t key = random_key(c), kind = client_random(c, 4);
        enum db_answer a = DB_OK;
        if (kind != 0)
            a = rw_read(c, key);
        if (a == DB_OK && kind <= 1)
            a = rw_write(c, key);
        if (a != DB_OK)
            return a;
    }
    return DB_OK;
}

const struct workload workload_rw = {
    .name = "rw", .header = ",\"default\":0", .setup = rw_setup, .run = rw_run};

/* ---- append --------------------------------------------------------------------------------- */

/* Slot s holds the keys s, s + n, s + 2 n, …, one after the other; the recorder's state counts the
 * appends to each slot. */
static const char *append_setup(struct recorder *r, struct arena *messages)
{
    r->state = arena_alloc(messages, mem_mul(r->o->keys, sizeof(_Atomic uint64_t)));
    return make_table(r, messages, "k bigint PRIMARY KEY, v bigint[] NOT NULL", "");
}

static uint64_t append_key(struct client *c, bool append)
{
    _Atomic uint64_t *appended = c->r->state;
    uint64_t slot = random_key(c);
    uint64_t n = append ? atomic_fetch_add(&appended[slot], 1) : atomic_load(&appended[slot]);
    return slot + n / APPENDS * c->r->o->keys;
}

static enum db_answer append_read(struct client *c)
{
    static const struct db_shape list = {&bigint, 1, 0, APPENDS};
    char sql[160];
    uint64_t key = append_key(c, false);
    struct number k = number(key);
    const char *const params[] = {k.text};
    struct db_rows rows;
    snprintf(sql, sizeof sql, "SELECT unnest(v) FROM %s WHERE k = $1", c->r->table);
    enum db_answer a = client_query(c, sql, 1, params, &list, &rows);
    if (a != DB_OK)
        return a;
    client_op(c);
    sb_printf(&c->ops, "[\"r\",%" PRIu64 ",[", key);
    for (uint64_t i = 0; i < rows.count; i++)
        sb_printf(&c->ops, "%s%" PRId64, i ? "," : "", (int64_t)db_cell(&rows, i, 0));
    sb_puts(&c->ops, "]]");
    db_rows_free(&rows);
    return DB_OK;
}

static enum db_answer append_write(struct client *c)
{
    char sql[240];
    uint64_t key = append_key(c, true);
    struct number k = number(key), v = number(client_tag(c));
    const char *const params[] = {k.text, v.text};
    snprintf(sql, sizeof sql,
             "INSERT INTO %s AS t VALUES ($1, ARRAY[$2::bigint]) "
             "ON CONFLICT (k) DO UPDATE SET v = t.v || excluded.v",
             c->r->table);
    enum db_answer a = client_query(c, sql, 2, params, NULL, NULL);
    if (a != DB_OK)
        return a;
    client_op(c);
    sb_printf(&c->ops, "[\"append\",%" PRIu64 ",%s]", key, v.text);
    return DB_OK;
}

static enum db_answer append_run(struct client *c, bool *rollback)
{
    unsigned n = 2 + (unsigned)client_random(c, 4);
    *rollback = false;
    for (unsigned i = 0; i < n; i++) {
        enum db_answer a = client_random(c, 2) ? append_read(c) : append_write(c);
        if (a != DB_OK)
            return a;
    }
    return DB_OK;
}

const struct workload workload_append = {
    .name = "append", .header = "", .setup = append_setup, .run = append_run};

/* ---- bank ----------------------------------------------------------------------------------- */

#define OPENING_TEXT "100"
_Static_assert(OPENING == 100, "OPENING_TEXT says the same");

static const char *bank_setup(struct recorder *r, struct arena *messages)
{
    return make_table(r, messages, "k bigint PRIMARY KEY, v bigint NOT NULL, tag bigint NOT NULL",
                      OPENING_TEXT ", 0");
}

/* A balance as read; its version is known by its tag. */
static void bank_saw(struct client *c, uint64_t key, db_int balance, db_int tag,
                     bool same_statement)
{
    client_op(c);
    sb_printf(&c->ops, "[\"r\",%" PRIu64 ",%" PRId64 ",{", key, (int64_t)balance);
    if (tag == 0)
        sb_puts(&c->ops, "\"initial\":true");
    else
        sb_printf(&c->ops, "\"id\":%" PRIu64, (uint64_t)tag);
    sb_puts(&c->ops, same_statement ? ",\"same-statement\":true}]" : "}]");
}

static enum db_answer bank_read(struct client *c, uint64_t key, int64_t *balance)
{
    char sql[160];
    struct number k = number(key);
    const char *const params[] = {k.text};
    struct db_rows rows;
    snprintf(sql, sizeof sql, "SELECT v, tag FROM %s WHERE k = $1", c->r->table);
    enum db_answer a = client_query(c, sql, 1, params, &one_version, &rows);
    if (a != DB_OK)
        return a;
    bank_saw(c, key, db_cell(&rows, 0, 0), db_cell(&rows, 0, 1), false);
    *balance = (int64_t)db_cell(&rows, 0, 0);
    db_rows_free(&rows);
    return DB_OK;
}

static enum db_answer bank_write(struct client *c, uint64_t key, int64_t balance)
{
    char sql[160], v[24];
    struct number k = number(key), tag = number(client_tag(c));
    snprintf(v, sizeof v, "%" PRId64, balance);
    const char *const params[] = {k.text, v, tag.text};
    struct db_rows rows;
    snprintf(sql, sizeof sql, "UPDATE %s SET v = $2, tag = $3 WHERE k = $1 RETURNING 1",
             c->r->table);
    enum db_answer a = client_query(c, sql, 3, params, &one_row, &rows);
    if (a != DB_OK)
        return a;
    client_op(c);
    sb_printf(&c->ops, "[\"w\",%s,%s,{\"id\":%s}]", k.text, v, tag.text);
    db_rows_free(&rows);
    return DB_OK;
}

static enum db_answer bank_transfer(struct client *c)
{
    int64_t amount = 1 + (int64_t)client_random(c, LARGEST_TRANSFER), mine = 0, theirs = 0;
    uint64_t from = random_key(c), to = random_key(c);
    enum db_answer a;
    if (to == from)
        to = (from + 1) % c->r->o->keys;
    if ((a = bank_read(c, from, &mine)) != DB_OK || mine < amount ||
        (a = bank_read(c, to, &theirs)) != DB_OK || theirs > INT64_MAX - amount ||
        (a = bank_write(c, from, mine - amount)) != DB_OK)
        return a;
    return bank_write(c, to, theirs + amount);
}

/* All accounts: in one statement, or one after the other. */
static enum db_answer bank_audit_at_once(struct client *c, int64_t *sum)
{
    const struct db_column account[] = {{DB_INTEGER, 0, c->r->o->keys - 1}, version[0], version[1]};
    const struct db_shape all = {account, 3, c->r->o->keys, c->r->o->keys};
    char sql[160];
    struct db_rows rows;
    snprintf(sql, sizeof sql, "SELECT k, v, tag FROM %s ORDER BY k", c->r->table);
    enum db_answer a = client_query(c, sql, 0, NULL, &all, &rows);
    if (a != DB_OK)
        return a;
    for (uint64_t i = 0; i < rows.count && a == DB_OK; i++) {
        if (db_cell(&rows, i, 0) != (db_int)i)
            a = db_strange(&c->db, sql, "a row twice, or in another order");
        bank_saw(c, i, db_cell(&rows, i, 1), db_cell(&rows, i, 2), i > 0);
        *sum = (int64_t)((uint64_t)*sum + (uint64_t)db_cell(&rows, i, 1));
    }
    db_rows_free(&rows);
    return a;
}

static enum db_answer bank_audit(struct client *c)
{
    int64_t sum = 0;
    enum db_answer a = DB_OK;
    if (client_random(c, 2))
        a = bank_audit_at_once(c, &sum);
    else
        for (uint64_t k = 0; k < c->r->o->keys && a == DB_OK; k++) {
            int64_t balance = 0;
            a = bank_read(c, k, &balance);
            sum = (int64_t)((uint64_t)sum + (uint64_t)balance);
        }
    if (a == DB_OK && sum != (int64_t)c->r->o->keys * OPENING)
        c->torn_audits++;
    return a;
}

static enum db_answer bank_run(struct client *c, bool *rollback)
{
    *rollback = false;
    return client_random(c, 10) == 0 ? bank_audit(c) : bank_transfer(c);
}

const struct workload workload_bank = {
    .name = "bank", .header = ",\"default\":" OPENING_TEXT, .setup = bank_setup, .run = bank_run};
