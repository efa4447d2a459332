/* The levels of certify_vis.c, one function each. */
#ifndef CERTIFY_ORDER_CERTIFY_SNAPSHOT_H
#define CERTIFY_ORDER_CERTIFY_SNAPSHOT_H

#include "certify/order/certify_vis.h"

const char *vis_check_ec(struct vis *v);
const char *vis_check_rc(struct vis *v);
const char *vis_check_ra(struct vis *v);
const char *vis_check_causal(struct vis *v); /* CC, PSI */
/* RCS; needs no sources. */
const char *vis_check_statements(struct vis *v);

#endif
