/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes and reads the members of hn_check_fields that a job process needs, and its orders, as
 * pairs of a message.
 */
#ifndef HN_CHECK_WIRE_H
#define HN_CHECK_WIRE_H

#include "hn_check.h"
#include "orders.h"
#include "wire.h"

void hn_wire_add_check(struct hn_wire *message, const struct hn_check *check);
/* Stores the value of a pair if its key is one of these. The text lives as long as the message. */
void hn_wire_take_check(struct hn_check *check, const char *key, const char *value);

void hn_wire_add_orders(struct hn_wire *message, const struct hn_orders *orders);
void hn_wire_take_orders(struct hn_orders *orders, const char *key, const char *value);

#endif
