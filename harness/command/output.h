/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Printing of the sub-commands: JSON documents, and text that wraps.
 */
#ifndef HN_OUTPUT_H
#define HN_OUTPUT_H

#include "catalogue.h"
#include "json_write.h"

#define HN_OUTPUT_LIMIT ((size_t)256 << 20)

/* A JSON document with its schema as first member; end prints it with a newline and returns the
 * exit status. */
void hn_output_begin(struct hn_json_writer *writer, struct hn_buffer *buffer, const char *schema);
int hn_output_end(struct hn_json_writer *writer);

/* A text that was made with this status: into the file at `path` in one step, or printed when it is
 * NULL. Frees it and returns the exit status; a failure names `what`, such as "the diff". */
int hn_output_deliver(const char *path, struct hn_buffer *text, int status, const char *what);

/* Wraps at 96 columns; every line begins with `indent` spaces, the first with `label`. */
void hn_output_wrapped(const char *label, int indent, const char *text);

#endif
