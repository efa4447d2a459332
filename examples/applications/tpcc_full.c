/* TPC-C (revision 5.11): the five transactions New-Order, Payment, Order-Status, Delivery and
 * Stock-Level on any number of warehouses with ten districts each, and any number of customers,
 * items and orders of up to 15 lines.  Three of the benchmark's consistency conditions:
 *
 *   1. a warehouse's total is the sum of its districts';
 *   2. the orders of a district are those below its next order number, and so are its new orders;
 *   5. an order has no carrier exactly as long as it is among the new orders.
 *
 * Every transaction writes the rows that these conditions depend on and that it has read, so they
 * hold wherever two writers of a row conflict (psi); below, updates are lost.  (Fekete et al. 2005
 * show more: under snapshot isolation TPC-C behaves as if it were serializable.)
 *
 * The benchmark lets the implementation choose how many orders a Delivery handles in one database
 * transaction (2.7.2.2); here it is one.  Money is in cents.  Columns that nothing depends on, such
 * as addresses, are left out.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define DISTRICTS 10
#define LINES 15
#define RECENT 20 /* orders that Stock-Level looks at */
#define NO_CARRIER 0

DATABASE struct { int tax, ytd; } warehouse[ANY];
DATABASE struct { int tax, ytd, next_order; } district[ANY][DISTRICTS];
DATABASE struct { int balance, ytd_payment, payments, deliveries; } customer[ANY][DISTRICTS][ANY];
DATABASE struct { int warehouse, district, customer, amount; } history[ANY];
DATABASE struct { int price; } item[ANY];
DATABASE struct { int quantity, ytd, orders, remote; } stock[ANY][ANY]; /* warehouse, item */
DATABASE struct { bool present; int customer, carrier, lines; } orders[ANY][DISTRICTS][ANY];
DATABASE struct { bool present; } new_orders[ANY][DISTRICTS][ANY];
DATABASE struct { int item, supplier, quantity, amount; bool delivered; }
    order_line[ANY][DISTRICTS][ANY][LINES];

/* What a customer orders: up to 15 lines.  An item that does not exist is a typing error of the
 * terminal's user, and rolls the order back (2.4.1.4). */
struct basket {
    int lines;
    struct { int item, supplier, quantity; } line[LINES];
};

TRANSACTION void new_order(int w, int d, int c, struct basket basket)
{
    assume(w >= 0 && w < ANY);
    assume(d >= 0 && d < DISTRICTS);
    assume(c >= 0 && c < ANY);
    assume(basket.lines >= 1 && basket.lines <= LINES);
    int o = district[w][d].next_order;
    if (o >= ANY)
        rollback(); /* the table is full */
    district[w][d].next_order = o + 1;
    orders[w][d][o].present = true;
    orders[w][d][o].customer = c;
    orders[w][d][o].carrier = NO_CARRIER;
    orders[w][d][o].lines = basket.lines;
    new_orders[w][d][o].present = true;
    for (int l = 0; l < LINES; l++) {
        if (l >= basket.lines)
            break;
        int i = basket.line[l].item, s = basket.line[l].supplier, n = basket.line[l].quantity;
        assume(s >= 0 && s < ANY && n >= 1 && n <= 10);
        if (i < 0 || i >= ANY)
            rollback();
        stock[s][i].quantity += stock[s][i].quantity >= n + 10 ? -n : 91 - n;
        stock[s][i].ytd += n;
        stock[s][i].orders++;
        if (s != w)
            stock[s][i].remote++;
        order_line[w][d][o][l].item = i;
        order_line[w][d][o][l].supplier = s;
        order_line[w][d][o][l].quantity = n;
        order_line[w][d][o][l].amount = n * item[i].price;
        order_line[w][d][o][l].delivered = false;
    }
}

/* Customer c of district cd of warehouse cw pays at district d of warehouse w. */
TRANSACTION void payment(int w, int d, int cw, int cd, int c, int amount)
{
    assume(w >= 0 && w < ANY && cw >= 0 && cw < ANY);
    assume(d >= 0 && d < DISTRICTS && cd >= 0 && cd < DISTRICTS);
    assume(c >= 0 && c < ANY);
    assume(amount >= 100 && amount <= 500000);
    warehouse[w].ytd += amount;
    district[w][d].ytd += amount;
    customer[cw][cd][c].balance -= amount;
    customer[cw][cd][c].ytd_payment += amount;
    customer[cw][cd][c].payments++;
    int h = fresh(history);
    history[h].warehouse = w;
    history[h].district = d;
    history[h].customer = c;
    history[h].amount = amount;
}

/* The amount of the customer's last order, or -1. */
TRANSACTION long order_status(int w, int d, int c)
{
    assume(w >= 0 && w < ANY);
    assume(d >= 0 && d < DISTRICTS);
    assume(c >= 0 && c < ANY);
    int last = -1;
    for (int o = 0; o < ANY; o++)
        if (orders[w][d][o].present && orders[w][d][o].customer == c && o > last)
            last = o;
    if (last < 0)
        return -1;
    long amount = 0;
    for (int l = 0; l < LINES; l++)
        if (l < orders[w][d][last].lines)
            amount += order_line[w][d][last][l].amount;
    return amount;
}

/* The oldest new order of the district is delivered and charged to its customer. */
TRANSACTION void delivery(int w, int d, int carrier)
{
    assume(w >= 0 && w < ANY);
    assume(d >= 0 && d < DISTRICTS);
    assume(carrier >= 1 && carrier <= 10);
    int oldest = -1;
    for (int o = 0; o < ANY; o++)
        if (new_orders[w][d][o].present) {
            oldest = o;
            break;
        }
    if (oldest < 0)
        rollback();
    new_orders[w][d][oldest].present = false;
    orders[w][d][oldest].carrier = carrier;
    int c = orders[w][d][oldest].customer;
    int amount = 0;
    for (int l = 0; l < LINES; l++)
        if (l < orders[w][d][oldest].lines) {
            amount += order_line[w][d][oldest][l].amount;
            order_line[w][d][oldest][l].delivered = true;
        }
    customer[w][d][c].balance += amount;
    customer[w][d][c].deliveries++;
}

/* How many items of the last 20 orders are low in stock. */
TRANSACTION int stock_level(int w, int d, int threshold)
{
    assume(w >= 0 && w < ANY);
    assume(d >= 0 && d < DISTRICTS);
    int next = district[w][d].next_order, low = 0;
    for (int i = 0; i < ANY; i++) {
        if (stock[w][i].quantity >= threshold)
            continue;
        bool ordered = false;
        for (int o = 0; o < ANY; o++)
            if (o < next && o >= next - RECENT && orders[w][d][o].present)
                for (int l = 0; l < LINES; l++)
                    if (l < orders[w][d][o].lines && order_line[w][d][o][l].item == i)
                        ordered = true;
        if (ordered)
            low++;
    }
    return low;
}

INITIAL void load(void)
{
    for (int w = 0; w < ANY; w++)
        for (int i = 0; i < ANY; i++)
            stock[w][i].quantity = 50;
    for (int i = 0; i < ANY; i++)
        item[i].price = 999;
}

INVARIANT bool condition_1(int w)
{
    long sum = 0;
    for (int d = 0; d < DISTRICTS; d++)
        sum += district[w][d].ytd;
    return warehouse[w].ytd == sum;
}

INVARIANT bool condition_2(int w, int d, int o)
{
    return orders[w][d][o].present == (o < district[w][d].next_order) &&
           (!new_orders[w][d][o].present || o < district[w][d].next_order);
}

INVARIANT bool condition_5(int w, int d, int o)
{
    return !orders[w][d][o].present ||
           (orders[w][d][o].carrier == NO_CARRIER) == new_orders[w][d][o].present;
}

/* Lemmas: order numbers begin with 0, and the customer of an order exists. */
INVARIANT bool numbers_are_not_negative(int w, int d)
{
    return district[w][d].next_order >= 0;
}

INVARIANT bool orders_have_customers(int w, int d, int o)
{
    return orders[w][d][o].customer >= 0 && orders[w][d][o].customer < ANY;
}

SCENARIO void two_payments(void)
{
    payment(0, 0, 0, 0, 0, 1000);
    payment(0, 1, 0, 0, 0, nondet_int());
}

SCENARIO void two_orders(void)
{
    struct basket basket = {1, {{0, 0, 5}}};
    new_order(0, 0, 0, basket);
    new_order(0, 0, 0, basket);
    order_status(0, 0, 0);
}

SCENARIO void order_and_delivery(void)
{
    struct basket basket = {2, {{0, 0, 5}, {1, 0, 2}}};
    SESSION {
        new_order(0, 0, 0, basket);
        delivery(0, 0, 7);
    }
    delivery(0, 0, 8);
    stock_level(0, 0, 15);
}
