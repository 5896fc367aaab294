/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of the members of every kind of record. A new member is added to its struct in record.h
 * and to its table in record_fields.c.
 */
#ifndef HN_RECORD_FIELDS_H
#define HN_RECORD_FIELDS_H

#include "journal.h"
#include "json_fields.h"

struct hn_event_row {
    const char *name;
    const struct hn_field *fields;
};
extern const struct hn_event_row hn_event_table[HN_EVENTS];

#endif
