/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See host_orders.h.
 */
#include "host_orders.h"

static struct hn_orders told;

void hn_host_take_orders(const struct hn_orders *orders)
{
    hn_orders_join(&told, orders);
}

const char *hn_host_order(enum hn_order order)
{
    return told.said[order];
}

const char *hn_host_order_named(const char *name)
{
    const enum hn_order order = hn_order_of(name);
    return order == HN_ORDERS ? NULL : told.said[order];
}
