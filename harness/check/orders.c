/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the orders to a job. See orders.h.
 */
#include "orders.h"

#include <string.h>

const struct hn_order_row hn_order_table[HN_ORDERS] = {
    [HN_ORDER_WATCH] = {.name = "watch"},
    [HN_ORDER_RECORD_MEANS] = {.name = "record-means", .is_option = 1, .keeps = 1},
    [HN_ORDER_LATE_MEANS] = {.name = "late-means", .is_option = 1, .keeps = 1, .most = 60000},
    [HN_ORDER_REFUSE] = {.name = "refuse", .is_option = 1, .keeps = 1},
    [HN_ORDER_LISTED] = {.name = "listed"},
    [HN_ORDER_SECOND_LOOK] = {.name = "second-look"},
    [HN_ORDER_TAKES] = {.name = "takes"},
};

enum hn_order hn_order_of(const char *name)
{
    int i = 0;
    while (i < HN_ORDERS && strcmp(hn_order_table[i].name, name) != 0)
        i++;
    return (enum hn_order)i;
}

void hn_orders_join(struct hn_orders *orders, const struct hn_orders *more)
{
    for (size_t i = 0; i < HN_ORDERS; i++)
        if (more->said[i])
            orders->said[i] = more->said[i];
}
