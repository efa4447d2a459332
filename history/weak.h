#ifndef VISAR_HISTORY_WEAK_H
#define VISAR_HISTORY_WEAK_H

/* RC, RCS, RA, CC and PSI are decided here: the levels whose reads see sets of transactions that need not be
 * prefixes of one order of begins and commits. */

#endif
