/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders to a job beside its check and its target: one table. An option of a run that jobs must hear is an
 * enumerator here, a row in orders.c, the option's words in cmd_run.c, and whoever asks for it in the job: in C
 * hn_host_order, in Python report.order. Reading the command line, sending and receiving follow from the table.
 */
#ifndef HN_ORDERS_H
#define HN_ORDERS_H

#include <stddef.h>

enum hn_order {
    HN_ORDER_WATCH,        /* the switches of the adapter that a job comes by are written down */
    HN_ORDER_RECORD_MEANS, /* what a check uses of the backend is written down */
    HN_ORDER_LATE_MEANS,   /* the first use of each means is late by these milliseconds */
    HN_ORDER_REFUSE,       /* this means is refused */
    HN_ORDER_LISTED,       /* what list_checks.py was asked, a line each */
    HN_ORDER_SECOND_LOOK,  /* the check did not pass: say why. "failed" or "died" */
    HN_ORDER_TAKES, /* the only kind of tensor that the devices were seen to take: "int32 32", "bfloat16 any" */
    HN_ORDERS,
};

struct hn_orders {
    const char *said[HN_ORDERS]; /* NULL: not said; "yes" where there is no more to say */
};

struct hn_order_row {
    const char *name; /* of the option, on the wire, in Python */
    int is_option;    /* of `assay run` */
    int keeps;        /* the answer is in the folders of the jobs, which are kept */
    long most;        /* a whole number from 0, which says nothing, to this; 0: any text */
};

extern const struct hn_order_row hn_order_table[HN_ORDERS];

/* HN_ORDERS: there is none of that name. */
enum hn_order hn_order_of(const char *name);
/* Takes over what `more` says. */
void hn_orders_join(struct hn_orders *orders, const struct hn_orders *more);

#endif
