/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes any value that a reader has read, for programs that pass values on unchanged.
 */
#ifndef HN_JSON_COPY_H
#define HN_JSON_COPY_H

#include "json_read.h"
#include "json_write.h"

/* `key` is the name of the member, as in json_write.h. */
void hn_json_copy(const struct hn_json *value, const char *key, struct hn_json_writer *writer);

#endif
