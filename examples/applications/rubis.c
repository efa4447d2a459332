/* RUBiS, an auction site like eBay: users sell items, bid on them, buy them at once, and rate each
 * other.  An item carries the number of its bids, the highest bid and how many pieces are left; a
 * user carries the sum of the ratings.  Whoever inserts a bid, a purchase or a comment updates that
 * row in the same transaction, so concurrent ones conflict there: psi is enough.  Below, updates
 * are lost: a bid that nobody counts, more sold than there is.  Any number of everything.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool present; int rating; } user[ANY];
DATABASE struct { bool present; int seller, offered, left, bids, highest; } item[ANY];
DATABASE struct { bool present; int item, bidder, amount; } bid[ANY];
DATABASE struct { bool present; int item, buyer, pieces; } purchase[ANY];
DATABASE struct { bool present; int to, rating; } comment[ANY];

TRANSACTION void register_user(void)
{
    user[fresh(user)].present = true;
}

TRANSACTION void register_item(int seller, int pieces)
{
    assume(seller >= 0 && seller < ANY);
    if (!user[seller].present || pieces <= 0)
        rollback();
    int i = fresh(item);
    item[i].present = true;
    item[i].seller = seller;
    item[i].offered = pieces;
    item[i].left = pieces;
}

TRANSACTION void store_bid(int i, int bidder, int amount)
{
    assume(i >= 0 && i < ANY);
    assume(bidder >= 0 && bidder < ANY);
    if (!item[i].present || item[i].left == 0 || amount <= item[i].highest)
        rollback();
    item[i].bids++;
    item[i].highest = amount;
    int b = fresh(bid);
    bid[b].present = true;
    bid[b].item = i;
    bid[b].bidder = bidder;
    bid[b].amount = amount;
}

TRANSACTION void buy_now(int i, int buyer, int pieces)
{
    assume(i >= 0 && i < ANY);
    assume(buyer >= 0 && buyer < ANY);
    if (!item[i].present || pieces <= 0 || pieces > item[i].left)
        rollback();
    item[i].left -= pieces;
    int k = fresh(purchase);
    purchase[k].present = true;
    purchase[k].item = i;
    purchase[k].buyer = buyer;
    purchase[k].pieces = pieces;
}

TRANSACTION void store_comment(int to, int rating)
{
    assume(to >= 0 && to < ANY);
    if (!user[to].present || rating < -5 || rating > 5)
        rollback();
    user[to].rating += rating;
    int k = fresh(comment);
    comment[k].present = true;
    comment[k].to = to;
    comment[k].rating = rating;
}

INITIAL void first_day(void)
{
    user[0].present = true;
    item[0].present = true;
    item[0].offered = 3;
    item[0].left = 3;
}

INVARIANT bool bids_are_counted(int i)
{
    int n = 0;
    for (int b = 0; b < ANY; b++)
        if (bid[b].present && bid[b].item == i)
            n++;
    return item[i].bids == n;
}

INVARIANT bool no_bid_is_higher(int i, int b)
{
    return !bid[b].present || bid[b].item != i || bid[b].amount <= item[i].highest;
}

INVARIANT bool pieces_are_left_or_sold(int i)
{
    long sold = 0;
    for (int k = 0; k < ANY; k++)
        if (purchase[k].present && purchase[k].item == i)
            sold += purchase[k].pieces;
    return item[i].left >= 0 && item[i].left + sold == item[i].offered;
}

INVARIANT bool ratings_add_up(int u)
{
    long sum = 0;
    for (int k = 0; k < ANY; k++)
        if (comment[k].present && comment[k].to == u)
            sum += comment[k].rating;
    return user[u].rating == sum;
}

SCENARIO void two_bids(void)
{
    store_bid(0, 0, 10);
    store_bid(0, 1, 20);
}

SCENARIO void the_last_pieces(void)
{
    buy_now(0, 0, 2);
    buy_now(0, 1, 2);
}

SCENARIO void two_ratings(void)
{
    store_comment(0, 5);
    store_comment(0, -1);
}

SCENARIO void a_new_seller(void)
{
    register_user();
    register_item(0, 1);
    store_bid(1, 0, 5);
}
