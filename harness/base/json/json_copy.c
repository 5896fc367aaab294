/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies a JSON value from a document to a writer. Called by merge. The reader of the document
 * has limited its depth.
 */
#include "json_copy.h"

#include <jansson.h>

static void copy_value(const json_t *value, const char *key, struct hn_json_writer *writer);

static void copy_object(const json_t *object, const char *key, struct hn_json_writer *writer)
{
    /* jansson iterates over a non-const object, but does not change it. */
    json_t *owner = (json_t *)(uintptr_t)object;
    hn_write_object(writer, key);
    for (void *at = json_object_iter(owner); at; at = json_object_iter_next(owner, at))
        copy_value(json_object_iter_value(at), json_object_iter_key(at), writer);
    hn_write_object_end(writer);
}

static void copy_array(const json_t *array, const char *key, struct hn_json_writer *writer)
{
    hn_write_array(writer, key);
    for (size_t i = 0; i < json_array_size(array); i++)
        copy_value(json_array_get(array, i), NULL, writer);
    hn_write_array_end(writer);
}

static void copy_value(const json_t *value, const char *key, struct hn_json_writer *writer)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        copy_object(value, key, writer);
        break;
    case JSON_ARRAY:
        copy_array(value, key, writer);
        break;
    case JSON_STRING:
        hn_write_bytes(writer, key, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        hn_write_integer(writer, key, json_integer_value(value));
        break;
    case JSON_REAL:
        hn_write_number(writer, key, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        hn_write_boolean(writer, key, json_is_true(value));
        break;
    case JSON_NULL:
        hn_write_null(writer, key);
        break;
    }
}

void hn_json_copy(const struct hn_json *value, const char *key, struct hn_json_writer *writer)
{
    copy_value(value->node, key, writer);
}
