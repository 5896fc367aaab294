/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores the orders to this process (orders.h). host_serve.c sets them with the setup, and job.c
 * before the target is loaded. Hosts and jobs read them, in Python through report.order. [main]
 */
#ifndef HN_HOST_ORDERS_H
#define HN_HOST_ORDERS_H

#include "host_callbacks.h"
#include "orders.h"

/* Sets the orders of this process. The texts are not copied; their message must stay alive. */
void hn_host_take_orders(const struct hn_orders *orders);
/* Returns NULL if the order was not given. */
const char *hn_host_order(enum hn_order order);
/* Looks up an order by name, for Python. Returns NULL if it was not given or does not exist. */
ASSAY_EXPORT const char *hn_host_order_named(const char *name);

#endif
