/* Which Z3 this program runs with. */
#ifndef ENCODE_Z3_VERSION_H
#define ENCODE_Z3_VERSION_H

const char *enc_z3_version(void); /* "4.8.12" */

#endif
