/* Auction, second version: every bidder holds a token, a bid gives it up together with the bid, and
 * closing waits until it sees all tokens given up.  Who sees a token sees the bid that came with
 * it, so every level is good enough for bidders that bid once.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=violated
 * robust: ser=proved si=robust psi=robust pc=robust cc=robust ra=robust rcs=robust rc=robust ec=not */
#include <visar.h>

#define BIDDERS 2

enum phase { PLANNED, OPEN, CLOSED };

DATABASE struct { enum phase phase; int winner; } auction;
DATABASE struct { int amount; } bid[BIDDERS];
DATABASE struct { bool given_up; } token[BIDDERS];

TRANSACTION void start(void)
{
    if (auction.phase == PLANNED)
        auction.phase = OPEN;
}

TRANSACTION void place_bid(int who, int amount)
{
    assume(who >= 0 && who < BIDDERS);
    if (auction.phase != OPEN || token[who].given_up)
        rollback();
    bid[who].amount = amount;
    token[who].given_up = true;
}

TRANSACTION void close_auction(void)
{
    if (auction.phase != OPEN)
        rollback();
    for (int i = 0; i < BIDDERS; i++)
        if (!token[i].given_up)
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

/* The lemma: closing found all tokens given up, and they stay so. */
INVARIANT bool closed_without_tokens(void)
{
    for (int i = 0; i < BIDDERS; i++)
        if (auction.phase == CLOSED && !token[i].given_up)
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
