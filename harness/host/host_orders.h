/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders to this process (orders.h). Asked by whoever obeys: hosts and jobs in C, Python through
 * report.order. Set by host_serve.c with the setup and by job.c before the target is loaded. [main]
 */
#ifndef HN_HOST_ORDERS_H
#define HN_HOST_ORDERS_H

#include "host_callbacks.h"
#include "orders.h"

/* Taken over as they are: the texts live in a message that stays. */
void hn_host_take_orders(const struct hn_orders *orders);
/* NULL: not said. */
const char *hn_host_order(enum hn_order order);
/* By its name, for Python. NULL: not said, or no such order. */
ASSAY_EXPORT const char *hn_host_order_named(const char *name);

#endif
