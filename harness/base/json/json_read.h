/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads JSON from other programs, which may be hostile. Reading is strict: every error names the
 * path of the value ("run.target.devices[2] must be a number, not text"). [any], one document
 * per thread.
 */
#ifndef HN_JSON_READ_H
#define HN_JSON_READ_H

#include <stddef.h>
#include <stdint.h>

#include "hn_error.h"

struct hn_json_limits {
    size_t bytes; /* size of the text */
    int depth;    /* nesting depth of arrays and objects */
};

struct hn_json_document; /* owns every value and text read from it */

/* A value in a document. `parent` contains this value and must live as long as the value, so keep
 * both on the stack. The path of a value is built from the parents, and only for an error. */
struct hn_json {
    const void *node;
    const struct hn_json *parent;
    const char *key; /* key in an object; NULL: item `index` of an array, or the root */
    size_t index;
    const char *name; /* name of the document, for messages */
    int line;         /* line of the document in its file; 0: the file is not JSON lines */
};

/* Rejects duplicate keys, NUL characters, trailing text, and documents over the limits. `name`
 * (a file name; the pointer is stored) and `line` (for JSON lines, else 0) are for messages. */
int hn_json_parse(const char *text, size_t length, const struct hn_json_limits *limits,
                  const char *name, int line, struct hn_json_document **document,
                  struct hn_error *error);
/* Like hn_json_parse, for a file. The pointer `path` is stored. */
int hn_json_read(const char *path, const struct hn_json_limits *limits,
                 struct hn_json_document **document, struct hn_error *error);
void hn_json_destroy(struct hn_json_document *document); /* NULL is a no-op */
void hn_json_root(const struct hn_json_document *document, struct hn_json *root);

/* Read required members of an object. A missing, null or mistyped member is an error. */
int hn_json_text(const struct hn_json *object, const char *key, const char **value,
                 struct hn_error *error);
int hn_json_integer(const struct hn_json *object, const char *key, int64_t lowest, int64_t highest,
                    int64_t *value, struct hn_error *error);
int hn_json_number(const struct hn_json *object, const char *key, double *value,
                   struct hn_error *error);
int hn_json_boolean(const struct hn_json *object, const char *key, int *value,
                    struct hn_error *error);
int hn_json_object(const struct hn_json *object, const char *key, struct hn_json *value,
                   struct hn_error *error);
int hn_json_array(const struct hn_json *object, const char *key, struct hn_json *value,
                  struct hn_error *error);

/* 1 if the object has the member and it is not null. Test it before an optional member: if
 * (hn_json_has(&job, "signal")) status = hn_json_text(&job, "signal", &signal, error); */
int hn_json_has(const struct hn_json *object, const char *key);

/* Return the number of items of an array or members of an object, and get one item of an array. */
size_t hn_json_count(const struct hn_json *value);
void hn_json_item(const struct hn_json *array, size_t index, struct hn_json *value);
/* Iterates over an object: *iterator starts as NULL. Returns 0 at the end. value->key is the
 * member's name. */
int hn_json_member(const struct hn_json *object, void **iterator, struct hn_json *value);

/* These functions convert the value itself, not a member of it. */
int hn_json_as_text(const struct hn_json *value, const char **text, struct hn_error *error);
int hn_json_as_integer(const struct hn_json *value, int64_t lowest, int64_t highest,
                       int64_t *number, struct hn_error *error);
int hn_json_must_be_object(const struct hn_json *value, struct hn_error *error);

/* Reports that the value is wrong: "<path> <format...>". Returns HN_EINPUT. */
int hn_json_complain(const struct hn_json *value, struct hn_error *error, const char *format, ...)
    HN_PRINTF(3, 4);

#endif
