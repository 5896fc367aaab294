/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See check_wire.h. At present only texts and numbers are sent.
 */
#include "check_wire.h"

#include <string.h>

void hn_wire_add_check(struct hn_wire *message, const struct hn_check *check)
{
    for (size_t i = 0; i < hn_check_field_count; i++) {
        const struct hn_check_field *field = &hn_check_fields[i];
        const void *value = hn_check_value(check, field);
        if (!(field->where & HN_CHECK_SENT))
            continue;
        if (field->type == HN_CHECK_TEXT)
            hn_wire_add(message, field->name, *(const char *const *)value);
        else
            hn_wire_add_number(message, field->name, *(const int *)value);
    }
}

void hn_wire_take_check(struct hn_check *check, const char *key, const char *value)
{
    for (size_t i = 0; i < hn_check_field_count; i++) {
        const struct hn_check_field *field = &hn_check_fields[i];
        if (!(field->where & HN_CHECK_SENT) || strcmp(field->name, key) != 0)
            continue;
        if (field->type == HN_CHECK_TEXT)
            *(const char **)hn_check_member(check, field) = value;
        else
            *(int *)hn_check_member(check, field) = (int)hn_wire_parse_number(value, 0);
    }
}

void hn_wire_add_orders(struct hn_wire *message, const struct hn_orders *orders)
{
    for (size_t i = 0; i < HN_ORDERS; i++)
        if (orders->said[i])
            hn_wire_add(message, hn_order_table[i].name, orders->said[i]);
}

void hn_wire_take_orders(struct hn_orders *orders, const char *key, const char *value)
{
    const enum hn_order order = hn_order_of(key);
    if (order != HN_ORDERS)
        orders->said[order] = value;
}
