/* Auction, first version: closing picks the highest of the bids that it sees.  A bid that runs
 * beside the closing writes its own row only, so it is accepted without being considered.
 * Any number of bidders.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

enum phase { PLANNED, OPEN, CLOSED };

DATABASE struct { enum phase phase; int winner; } auction;
DATABASE struct { int amount; } bid[ANY]; /* of each bidder; 0 is no bid */

TRANSACTION void start(void)
{
    if (auction.phase == PLANNED)
        auction.phase = OPEN;
}

TRANSACTION void place_bid(int who, int amount)
{
    assume(who >= 0 && who < ANY);
    if (auction.phase == OPEN && amount > bid[who].amount)
        bid[who].amount = amount;
}

TRANSACTION void close_auction(void)
{
    if (auction.phase != OPEN)
        rollback();
    int highest = 0;
    for (int i = 0; i < ANY; i++)
        if (bid[i].amount > highest)
            highest = bid[i].amount;
    int winner = 0;
    for (int i = 0; i < ANY; i++)
        if (bid[i].amount == highest) {
            winner = i;
            break;
        }
    auction.winner = winner;
    auction.phase = CLOSED;
}

INVARIANT bool winner_bid_highest(int i)
{
    return auction.phase != CLOSED || bid[i].amount <= bid[auction.winner].amount;
}

/* Lemmas: the winner is a bidder, and no bid is negative. */
INVARIANT bool winner_is_a_bidder(void)
{
    return auction.winner >= 0 && auction.winner < ANY;
}

INVARIANT bool bids_are_not_negative(int i)
{
    return bid[i].amount >= 0;
}

SCENARIO void evening(void)
{
    start();
    place_bid(0, 100);
    place_bid(1, 200);
    close_auction();
}
