/* Auction, second version: every bidder holds a token, a bid gives it up together with the bid, and
 * closing waits until it sees all tokens given up.  Who sees a token sees the bid that came with
 * it, so every level is good enough for bidders that bid once.  Any number of bidders.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=violated
 * robust: ser=proved si=robust psi=robust pc=robust cc=robust ra=robust rcs=robust rc=robust ec=not */
#include <visar.h>

enum phase { PLANNED, OPEN, CLOSED };

DATABASE struct { enum phase phase; int winner; } auction;
DATABASE struct { int amount; } bid[ANY];
DATABASE struct { bool given_up; } token[ANY];

TRANSACTION void start(void)
{
    if (auction.phase == PLANNED)
        auction.phase = OPEN;
}

TRANSACTION void place_bid(int who, int amount)
{
    assume(who >= 0 && who < ANY);
    if (auction.phase != OPEN || token[who].given_up || amount < 0)
        rollback();
    bid[who].amount = amount;
    token[who].given_up = true;
}

TRANSACTION void close_auction(void)
{
    if (auction.phase != OPEN)
        rollback();
    for (int i = 0; i < ANY; i++)
        if (!token[i].given_up)
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

/* Lemmas: closing found all tokens given up, and they stay so; the winner is a bidder; no bid is
 * negative. */
INVARIANT bool closed_without_tokens(int i)
{
    return auction.phase != CLOSED || token[i].given_up;
}

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
