/* Auction, first version: closing picks the highest of the bids that it sees.  A bid that runs
 * beside the closing writes its own row only, so it is accepted without being considered.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define BIDDERS 2

enum phase { PLANNED, OPEN, CLOSED };

DATABASE struct { enum phase phase; int winner; } auction;
DATABASE struct { int amount; } bid[BIDDERS];

TRANSACTION void start(void)
{
    if (auction.phase == PLANNED)
        auction.phase = OPEN;
}

TRANSACTION void place_bid(int who, int amount)
{
    assume(who >= 0 && who < BIDDERS);
    if (auction.phase == OPEN && amount > bid[who].amount)
        bid[who].amount = amount;
}

TRANSACTION void close_auction(void)
{
    if (auction.phase != OPEN)
        rollback();
    int best = 0;
    for (int i = 1; i < BIDDERS; i++)
        if (bid[i].amount > bid[best].amount)
            best = i;
    auction.winner = best;
    auction.phase = CLOSED;
}

INVARIANT bool winner_bid_highest(void)
{
    if (auction.phase != CLOSED)
        return true;
    for (int w = 0; w < BIDDERS; w++)
        for (int i = 0; i < BIDDERS; i++)
            if (auction.winner == w && bid[i].amount > bid[w].amount)
                return false;
    return true;
}

SCENARIO void evening(void)
{
    start();
    place_bid(0, 100);
    place_bid(1, 200);
    close_auction();
}
