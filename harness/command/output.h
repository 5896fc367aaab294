/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints results of the sub-commands: JSON documents, and text that is wrapped.
 */
#ifndef HN_OUTPUT_H
#define HN_OUTPUT_H

#include "catalogue.h"
#include "json_write.h"

#define HN_OUTPUT_LIMIT ((size_t)256 << 20)

/* A JSON document whose first member is its schema. hn_output_end prints it with a newline and
 * returns the exit status. */
void hn_output_begin(struct hn_json_writer *writer, struct hn_buffer *buffer, const char *schema);
int hn_output_end(struct hn_json_writer *writer);

/* Writes `text` to the file at `path` in one step, or prints it if `path` is NULL. `status`: HN_OK
 * if the text could be made. `what`: the name of the text in errors ("the diff"). Frees the text
 * and returns the exit status. */
int hn_output_deliver(const char *path, struct hn_buffer *text, int status, const char *what);

/* Wraps at 96 columns. Every line begins with `indent` spaces, the first line with `label`. */
void hn_output_wrapped(const char *label, int indent, const char *text);

#endif
