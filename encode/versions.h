/* Which Z3 this program runs with. */
#ifndef ENCODE_VERSIONS_H
#define ENCODE_VERSIONS_H

const char *enc_z3_version(void); /* "4.8.12" */

#endif
