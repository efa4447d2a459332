/* Self test of the oracle on programs with known verdicts: the five that the literature's encoding
 * of snapshots gets wrong, and the published benchmarks that are small enough. */
#include <stdlib.h>
#include <string.h>
#include "tests/oracle/check.h"
#include "tests/oracle/notation.h"

typedef void build(struct orc_prog *p);

/* ---- the five programs ---- */

static void last_writer(struct orc_prog *p)
{
    int x = ROW("x");
    TXN(PUT(x, N(0)));
    TXN(PUT(x, N(1)));
    p->invariant = IS(C(x), 0);
}

static void counter_and_other(struct orc_prog *p)
{
    int c = ROW("c"), y = ROW("y");
    TXN(PUT(c, OP(ADD, C(c), N(1))));
    TXN(PUT(y, N(1)));
    TXN(PUT(c, OP(ADD, C(c), N(1))));
    p->invariant = IS(C(c), 2);
}

static void counter_and_two_others(struct orc_prog *p)
{
    counter_and_other(p);
    int x = ROW("x");
    TXN(PUT(x, N(1)));
}

static void causal_flag(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), w = orc_table(p, "w", 0, 1), vf = orc_table(p, "vf", 2, 1);
    TXN(PUT(x, COND(IS(C(y), 0), N(1), N(2))));
    TXN(SEQ(PUT(w, N(2)), PUT_AT(vf, 0, N(1))));
    TXN(SEQ(PUT(y, COND(IS(C(x), 0), N(1), N(2))), PUT(w, N(3))));
    TXN(IF(AND(IS(C(x), 1), AND(IS(C(y), 1), IS(A(vf, 0), 0))), PUT_AT(vf, 1, N(1))));
    p->invariant = NOT(AND(IS(A(vf, 1), 1), IS(C(w), 3)));
}

/* A, B, C write 1 if they saw neither other; D flags {A,B} without C, E {B,C} without A. */
static void three_writers(struct orc_prog *p)
{
    int s = orc_table(p, "s", 3, 1), f = orc_table(p, "flag", 2, 1);
    for (int i = 0; i < 3; i++) {
        int none = AND(IS(A(s, (i + 1) % 3), 0), IS(A(s, (i + 2) % 3), 0));
        TXN(PUT_AT(s, i, COND(none, N(1), N(2))));
    }
    TXN(IF(AND(IS(A(s, 0), 1), AND(IS(A(s, 1), 1), IS(A(s, 2), 0))), PUT_AT(f, 0, N(1))));
    TXN(IF(AND(IS(A(s, 0), 0), AND(IS(A(s, 1), 1), IS(A(s, 2), 1))), PUT_AT(f, 1, N(1))));
    p->invariant = NOT(AND(IS(A(f, 0), 1), IS(A(f, 1), 1)));
}

/* ---- benchmarks ---- */

static void simple_bank(struct orc_prog *p)
{
    int acc = orc_table(p, "account", 2, 1);
    p->init[0] = p->init[1] = 60;
    for (int i = 0; i < 2; i++)
        TXN(IF(OP(LE, N(100), OP(ADD, A(acc, 0), A(acc, 1))),
               PUT_AT(acc, i, OP(SUB, A(acc, i), N(100)))));
    p->invariant = OP(LE, N(0), OP(ADD, A(acc, 0), A(acc, 1)));
}

static void counter(struct orc_prog *p)
{
    int x = ROW("x");
    for (int i = 0; i < 2; i++)
        TXN(PUT(x, OP(ADD, C(x), N(1))));
    p->invariant = IS(C(x), 2);
}

/* Write skew, in which transaction i first locks the row that the function names. */
static void locked_skew(struct orc_prog *p, int first, int second)
{
    int x = ROW("x"), y = ROW("y"), lock[] = {first, second};
    ROW("gate");
    for (int i = 0; i < 2; i++)
        TXN(SEQ(
            orc_s(p, (struct orc_stmt){.kind = ORC_FOR_UPDATE, .table = lock[i], .index = N(0)}),
            i ? IF(IS(C(y), 0), PUT(x, N(1))) : IF(IS(C(x), 0), PUT(y, N(1)))));
    p->invariant = NOT(AND(IS(C(x), 1), IS(C(y), 1)));
}

/* Each locks what the other writes: of two, the later sees the earlier. */
static void locks_crossed(struct orc_prog *p)
{
    locked_skew(p, 0, 1);
}

/* The second writes what it locks: no earlier lock keeps it from that. */
static void locks_one_side(struct orc_prog *p)
{
    locked_skew(p, 0, 0);
}

/* A row that both only lock. */
static void locks_only(struct orc_prog *p)
{
    locked_skew(p, 2, 2);
}

static void long_fork(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), saw = orc_table(p, "saw", 2, 1);
    TXN(PUT(x, N(1)));
    TXN(PUT(y, N(1)));
    TXN(IF(AND(IS(C(x), 1), IS(C(y), 0)), PUT_AT(saw, 0, N(1))));
    TXN(IF(AND(IS(C(y), 1), IS(C(x), 0)), PUT_AT(saw, 1, N(1))));
    p->invariant = NOT(AND(IS(A(saw, 0), 1), IS(A(saw, 1), 1)));
}

static void audit(struct orc_prog *p)
{
    int acc = orc_table(p, "account", 2, 1), sum = ROW("sum");
    p->init[0] = p->init[1] = 5;
    p->init[2] = 10;
    TXN(SEQ(PUT_AT(acc, 0, OP(SUB, A(acc, 0), N(1))), PUT_AT(acc, 1, OP(ADD, A(acc, 1), N(1)))));
    TXN(SEQ(LET(0, A(acc, 0)), SEQ(LET(1, A(acc, 1)), PUT(sum, OP(ADD, R(0), R(1))))));
    p->invariant = IS(C(sum), 10);
}

static void post_comment(struct orc_prog *p)
{
    int post = ROW("post"), comment = ROW("comment"), bad = ROW("bad");
    TXN(PUT(post, N(1)));
    TXN(IF(IS(C(post), 1), PUT(comment, N(1))));
    TXN(IF(AND(IS(C(comment), 1), IS(C(post), 0)), PUT(bad, N(1))));
    p->invariant = IS(C(bad), 0);
}

/* Fekete, O'Neil, O'Neil 2004: savings y gets 20, x pays 10 and 1 more if that overdraws. */
static void read_only(struct orc_prog *p)
{
    int x = ROW("x"), y = ROW("y"), rep = orc_table(p, "report", 2, 1);
    TXN(PUT(y, OP(ADD, C(y), N(20))));
    TXN(PUT(x,
            COND(OP(LT, OP(ADD, C(x), C(y)), N(10)), OP(SUB, C(x), N(11)), OP(SUB, C(x), N(10)))));
    TXN(SEQ(PUT_AT(rep, 0, C(x)), PUT_AT(rep, 1, C(y))));
    p->invariant = NOT(AND(IS(C(x), -11), AND(IS(A(rep, 0), 0), IS(A(rep, 1), 20))));
}

static void doctors(struct orc_prog *p)
{
    int on = orc_table(p, "on", 2, 1);
    p->init[0] = p->init[1] = 1;
    for (int i = 0; i < 2; i++)
        TXN(IF(IS(OP(ADD, A(on, 0), A(on, 1)), 2), PUT_AT(on, i, N(0))));
    p->invariant = OP(LE, N(1), OP(ADD, A(on, 0), A(on, 1)));
}

static void names_not_key(struct orc_prog *p)
{
    int user = orc_table(p, "user", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(NOT(IS(A(user, 1 - i), 7)), PUT_AT(user, i, N(7))));
    p->invariant = NOT(AND(IS(A(user, 0), 7), IS(A(user, 1), 7)));
}

/* owner[name]: each registers if the name is free, and notes that it succeeded. */
static void names_key(struct orc_prog *p)
{
    int owner = ROW("owner"), done = orc_table(p, "done", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(IS(C(owner), 0), SEQ(PUT(owner, N(1 + i)), PUT_AT(done, i, N(1)))));
    p->invariant = NOT(AND(IS(A(done, 0), 1), IS(A(done, 1), 1)));
}

static void coupon_counter(struct orc_prog *p)
{
    int used = ROW("used"), got = orc_table(p, "got", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(OP(LT, C(used), N(1)),
               SEQ(PUT(used, OP(ADD, C(used), N(1))), PUT_AT(got, i, N(1)))));
    p->invariant = OP(LE, OP(ADD, A(got, 0), A(got, 1)), N(1));
}

static void coupon_rows(struct orc_prog *p)
{
    int got = orc_table(p, "got", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(OP(LT, OP(ADD, A(got, 0), A(got, 1)), N(1)), PUT_AT(got, i, N(1))));
    p->invariant = OP(LE, OP(ADD, A(got, 0), A(got, 1)), N(1));
}

static void enroll_remove(struct orc_prog *p)
{
    int course = ROW("course"), enrolled = ROW("enrolled");
    p->init[0] = 1;
    TXN(IF(IS(C(course), 1), PUT(enrolled, N(1))));
    TXN(IF(IS(C(enrolled), 0), PUT(course, N(0))));
    p->invariant = OR(IS(C(enrolled), 0), IS(C(course), 1));
}

static void cart(struct orc_prog *p)
{
    int item = orc_table(p, "item", 2, 1), paid = ROW("paid"), out = ROW("ordered");
    p->init[0] = 1;
    TXN(IF(IS(C(out), 0), PUT_AT(item, 1, N(1))));
    TXN(SEQ(PUT(paid, OP(ADD, A(item, 0), A(item, 1))), PUT(out, N(1))));
    p->invariant = OR(IS(C(out), 0), OP(EQ, C(paid), OP(ADD, A(item, 0), A(item, 1))));
}

static void courseware_add(struct orc_prog *p)
{
    int student = ROW("student"), course = ROW("course"), enrolled = ROW("enrolled");
    TXN(PUT(student, N(1)));
    TXN(PUT(course, N(1)));
    TXN(IF(AND(IS(C(student), 1), IS(C(course), 1)), PUT(enrolled, N(1))));
    p->invariant = OR(IS(C(enrolled), 0), AND(IS(C(student), 1), IS(C(course), 1)));
}

static void tickets(struct orc_prog *p)
{
    int sold = ROW("sold"), collected = ROW("collected"), paid = orc_table(p, "paid", 3, 1);
    for (int i = 0; i < 3; i++) {
        int price = OP(ADD, N(10), C(sold));
        TXN(SEQ(LET(0, price),
                SEQ(PUT(sold, OP(ADD, C(sold), N(1))),
                    SEQ(PUT(collected, OP(ADD, C(collected), R(0))), PUT_AT(paid, i, R(0))))));
    }
    p->invariant = OP(EQ, C(collected), OP(ADD, A(paid, 0), OP(ADD, A(paid, 1), A(paid, 2))));
}

/* Batch processing: the receipt goes to the open batch; the report of a closed one must be final.
 */
static void batch(struct orc_prog *p)
{
    int current = ROW("current"), receipt = orc_table(p, "receipt", 2, 1), seen = ROW("seen");
    p->init[3] = -1;
    int late =
        orc_s(p, (struct orc_stmt){.kind = ORC_WRITE, .table = receipt, .index = R(0), .e = N(1)});
    TXN(SEQ(LET(0, C(current)), late));
    TXN(PUT(current, OP(ADD, C(current), N(1))));
    TXN(IF(IS(C(current), 1), PUT(seen, A(receipt, 0))));
    p->invariant = OR(IS(C(seen), -1), OP(EQ, C(seen), A(receipt, 0)));
}

static void courseware_schedule(struct orc_prog *p)
{
    int slot = ROW("slot"), at = orc_table(p, "courseSlot", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(IF(IS(C(slot), 0), SEQ(PUT(slot, N(1 + i)), PUT_AT(at, i, N(1)))));
    p->invariant = NOT(AND(IS(A(at, 0), 1), IS(A(at, 1), 1)));
}

/* status: 0 before, 1 open, 2 closed.  With tokens a bid gives up its token and closing waits for
 * all of them. */
static void auction(struct orc_prog *p, bool tokens)
{
    int status = ROW("status"), bid = orc_table(p, "bid", 2, 1), winner = ROW("winner");
    int token = orc_table(p, "token", 2, 1);
    p->init[4] = p->init[5] = 1;
    TXN(IF(IS(C(status), 0), PUT(status, N(1))));
    for (int i = 0; i < 2; i++) {
        int may = tokens ? AND(IS(C(status), 1), IS(A(token, i), 1)) : IS(C(status), 1);
        TXN(IF(may, SEQ(PUT_AT(bid, i, N(5 + i)), PUT_AT(token, i, N(0)))));
    }
    int done = AND(IS(A(token, 0), 0), IS(A(token, 1), 0)), may = IS(C(status), 1);
    TXN(IF(tokens ? AND(may, done) : may,
           SEQ(PUT(winner, COND(OP(LT, A(bid, 0), A(bid, 1)), N(1), N(0))), PUT(status, N(2)))));
    p->invariant = OR(NOT(IS(C(status), 2)), COND(IS(C(winner), 1), OP(LE, A(bid, 0), A(bid, 1)),
                                                  OP(LE, A(bid, 1), A(bid, 0))));
}

static void auction_v1(struct orc_prog *p)
{
    auction(p, false);
}

static void auction_v2(struct orc_prog *p)
{
    auction(p, true);
}

static int write_check(struct orc_prog *p, int savings, int checking, int amount)
{
    int covered = OP(LE, N(amount), OP(ADD, C(savings), C(checking)));
    return PUT(checking,
               COND(covered, OP(SUB, C(checking), N(amount)), OP(SUB, C(checking), N(amount + 1))));
}

static void smallbank_checks(struct orc_prog *p)
{
    int savings = ROW("savings"), checking = ROW("checking");
    p->init[0] = p->init[1] = 10;
    for (int i = 0; i < 2; i++)
        TXN(write_check(p, savings, checking, 15));
    p->invariant = IS(C(checking), -21);
}

static void smallbank_amalgamate(struct orc_prog *p)
{
    int savings = ROW("savings"), checking = ROW("checking"), other = ROW("other");
    p->init[0] = p->init[1] = 10;
    TXN(SEQ(PUT(other, OP(ADD, C(other), OP(ADD, C(savings), C(checking)))),
            SEQ(PUT(savings, N(0)), PUT(checking, N(0)))));
    TXN(write_check(p, savings, checking, 15));
    p->invariant =
        OR(AND(IS(C(other), 20), IS(C(checking), -16)), AND(IS(C(other), 5), IS(C(checking), 0)));
}

static void tpcc_ytd(struct orc_prog *p)
{
    int w = ROW("w_ytd"), d = orc_table(p, "d_ytd", 2, 1);
    for (int i = 0; i < 2; i++)
        TXN(SEQ(PUT(w, OP(ADD, C(w), N(5))), PUT_AT(d, i, OP(ADD, A(d, i), N(5)))));
    p->invariant = OP(EQ, C(w), OP(ADD, A(d, 0), A(d, 1)));
}

struct bench {
    const char *name;
    build *build;
    const char *holds; /* of ser si psi pc cc ra rcs rc, those where it holds */
    const char *asked; /* the models with a stated truth */
};

#define FIVE "ser si psi pc cc"

static const struct bench BENCHES[] = {
    {"x=0 || x=1", last_writer, "", "si psi"},
    {"c++ || y=1 || c++", counter_and_other, "ser si psi", "ser si psi pc cc"},
    {"c++ || y=1 || c++ || x=1", counter_and_two_others, "ser si psi", FIVE},
    {"flag on a causal fork", causal_flag, "ser si pc", "ser cc"},
    {"three writers, two partial views", three_writers, "ser si pc", "ser si pc psi cc"},
    {"SimpleBank", simple_bank, "ser", FIVE},
    {"Counter", counter, "ser si psi", FIVE},
    {"for_update of what the other writes", locks_crossed, "ser si psi", FIVE},
    {"for_update on one side", locks_one_side, "ser", FIVE},
    {"for_update of a row that nobody writes", locks_only, "ser", FIVE},
    {"Long fork", long_fork, "ser si pc", FIVE " ra"},
    {"Transfer and audit", audit, "ser si psi pc cc ra", FIVE " ra rcs rc"},
    {"Post and comment", post_comment, "ser si psi pc cc", FIVE " ra"},
    {"Read-only anomaly", read_only, "ser", FIVE},
    {"Doctors on call", doctors, "ser", FIVE},
    {"User names, not the key", names_not_key, "ser", FIVE},
    {"User names, the key", names_key, "ser si psi", FIVE},
    {"Coupon, counter row", coupon_counter, "ser si psi", FIVE},
    {"Coupon, counted rows", coupon_rows, "ser", FIVE},
    {"Enroll and remove course", enroll_remove, "ser", FIVE},
    {"Cart", cart, "ser", FIVE},
    {"Courseware B3", courseware_add, "ser si psi pc cc", FIVE},
    {"FusionTicket B1", tickets, "ser si psi", FIVE},
    {"Batch processing", batch, "ser", FIVE},
    {"Courseware B2", courseware_schedule, "ser si psi", FIVE},
    {"Auction V1", auction_v1, "ser", FIVE},
    {"Auction V2", auction_v2, "ser si psi pc cc", FIVE},
    {"SmallBank, two checks", smallbank_checks, "ser si psi", FIVE},
    {"SmallBank, amalgamate and check", smallbank_amalgamate, "ser si psi", FIVE},
    {"TPC-C, year to date", tpcc_ytd, "ser si psi", FIVE},
};

static bool lists(const char *list, const char *level)
{
    size_t n = strlen(level);
    for (const char *q = list; (q = strstr(q, level)); q += n)
        if ((q == list || q[-1] == ' ') && (q[n] == ' ' || !q[n]))
            return true;
    return false;
}

static struct orc_outcome judge(const struct orc_prog *p, enum orc_level level, bool session)
{
    struct orc_run run = orc_run_uniform(level, session);
    return orc_prog_axioms(p, &run);
}

static void test_benches(struct checks *c)
{
    for (size_t i = 0; i < sizeof BENCHES / sizeof *BENCHES; i++) {
        static struct orc_prog prog;
        bool ok = true;
        orc_prog_init(&prog);
        BENCHES[i].build(&prog);
        for (int l = 0; l < ORC_LEVELS; l++) {
            const char *level = orc_level_name((enum orc_level)l);
            struct orc_outcome out = judge(&prog, (enum orc_level)l, true);
            bool want = lists(BENCHES[i].holds, level);
            if (lists(BENCHES[i].asked, level) && (out.invariant_violated == want || !out.exists)) {
                printf("# %s: violated %d\n", level, out.invariant_violated);
                ok = false;
            }
            free(out.finals);
        }
        check(c, ok, BENCHES[i].name);
    }
}

int main(void)
{
    struct checks c = {0};
    test_benches(&c);
    return checks_done(&c);
}
