/* A search that lies, for tests of the guards behind the door (check/check.h).  Programs that link
 * this need the linker's --wrap=search_items and --wrap=check_items. */
#ifndef TESTS_UNIT_LYING_SEARCH_H
#define TESTS_UNIT_LYING_SEARCH_H

enum lie {
    LIE_NONE,
    LIE_VIOLATION,  /* a violation of SER is passed off as one of the level that was asked about */
    LIE_ORDER,      /* the order of the history is passed off as an explanation */
    LIE_WEAKER,     /* an explanation at RC is given for whatever was asked about */
    LIE_RELABELLED, /* as LIE_VIOLATION, and the violation of SER has passed the certifier */
    LIE_LATTICE     /* with little effort SER is not decided; then it is answered as RC is */
};
void lying_search(enum lie lie);

#endif
