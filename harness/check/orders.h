/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders to a job, in addition to its check and its target, in one table. To add an option that
 * jobs must receive, add an enumerator here, a row in orders.c, and the option's words in
 * cmd_run.c. Also add the code in the job that reads the order: hn_host_order in C, report.order
 * in Python. The command line, sending and receiving follow from the table.
 */
#ifndef HN_ORDERS_H
#define HN_ORDERS_H

#include <stddef.h>

enum hn_order {
    HN_ORDER_WATCH,        /* record the switches of the adapter whose code the job reaches */
    HN_ORDER_RECORD_MEANS, /* record the means that a check uses */
    HN_ORDER_LATE_MEANS,   /* delay the first use of each means by this many milliseconds */
    HN_ORDER_REFUSE,       /* refuse this means */
    HN_ORDER_LISTED,       /* requests to list_checks.py, one per line */
    /* second look: find out why the check did not pass. "failed" or "died" */
    HN_ORDER_SECOND_LOOK,
    /* the only kind of tensor that the devices are known to accept: "int32 32", "bfloat16 any" */
    HN_ORDER_TAKES,
    HN_ORDERS,
};

struct hn_orders {
    const char *said[HN_ORDERS]; /* NULL: not given; "yes" for an order without a value */
};

struct hn_order_row {
    const char *name; /* name of the option, on the wire and in Python */
    int is_option;    /* `assay run` has it as an option */
    /* the result is read from the folders of the jobs, so these are not removed */
    int keeps;
    long most; /* largest value of a whole number, where 0 means "not given"; 0: any text */
};

extern const struct hn_order_row hn_order_table[HN_ORDERS];

/* Returns HN_ORDERS if no order has that name. */
enum hn_order hn_order_of(const char *name);
/* Copies the orders that `more` contains to `orders`; they replace earlier orders. */
void hn_orders_join(struct hn_orders *orders, const struct hn_orders *more);

#endif
