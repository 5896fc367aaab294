/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strict reading of JSON. Only this file may use jansson.
 */
#include "json_read.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "file.h"
#include "patient_memory.h"

/* jansson parses by recursion, so the depth is limited before it runs. */
static int depth_of(const char *text, size_t length)
{
    int depth = 0, deepest = 0, in_text = 0;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (in_text) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_text = 0;
        } else if (c == '"') {
            in_text = 1;
        } else if (c == '[' || c == '{') {
            deepest = ++depth > deepest ? depth : deepest;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return deepest;
}

int hn_json_parse(const char *text, size_t length, const struct hn_json_limits *limits,
                  const char *name, int line, struct hn_json_document **document,
                  struct hn_error *error)
{
    json_error_t problem;
    if (length > limits->bytes)
        return hn_error_at(error, HN_ELIMIT, name, line, 0,
                           "JSON of %zu bytes; at most %zu are allowed here", length,
                           limits->bytes);
    if (depth_of(text, length) > limits->depth)
        return hn_error_at(error, HN_ELIMIT, name, line, 0, "JSON nested deeper than %d levels",
                           limits->depth);
    json_set_alloc_funcs(hn_patient_malloc, free);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    if (!root)
        return hn_error_at(error, HN_EINPUT, name, line ? line : problem.line, problem.column,
                           "not JSON: %s", problem.text);
    struct hn_json *place = calloc(1, sizeof *place);
    if (!place) {
        json_decref(root);
        return hn_error_nomem(error);
    }
    *place = (struct hn_json){.node = root, .name = name, .line = line};
    *document = (struct hn_json_document *)place;
    return HN_OK;
}

int hn_json_read(const char *path, const struct hn_json_limits *limits,
                 struct hn_json_document **document, struct hn_error *error)
{
    char *text;
    size_t length;
    int status = hn_file_read(path, limits->bytes, &text, &length, error);
    if (status)
        return status;
    status = hn_json_parse(text, length, limits, path, 0, document, error);
    free(text);
    return status;
}

void hn_json_destroy(struct hn_json_document *document)
{
    struct hn_json *place = (struct hn_json *)document;
    if (!place)
        return;
    json_decref((json_t *)(uintptr_t)place->node);
    free(place);
}

void hn_json_root(const struct hn_json_document *document, struct hn_json *root)
{
    *root = *(const struct hn_json *)document;
}

static void write_path(struct hn_buffer *path, const struct hn_json *value)
{
    if (!value->parent)
        return;
    write_path(path, value->parent);
    if (!value->key)
        hn_buffer_printf(path, "[%zu]", value->index);
    else
        hn_buffer_printf(path, "%s%.60s", path->length ? "." : "", value->key);
}

int hn_json_complain(const struct hn_json *value, struct hn_error *error, const char *format, ...)
{
    char sentence[512];
    struct hn_buffer path;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    hn_buffer_init(&path, 512);
    write_path(&path, value);
    hn_error_at(error, HN_EINPUT, value->name, value->line, 0, "%s %s",
                path.length ? path.text : "the document", sentence);
    hn_buffer_finish(&path);
    return HN_EINPUT;
}

static const char *type_name(const json_t *node)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",  [JSON_STRING] = "text",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a fraction", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return names[json_typeof(node)];
}

static int complain_type(const struct hn_json *value, const char *wanted, struct hn_error *error)
{
    return hn_json_complain(value, error, "must be %s, not %s", wanted,
                            type_name((const json_t *)value->node));
}

/* Finds a required member. */
static int find(const struct hn_json *object, const char *key, struct hn_json *value,
                struct hn_error *error)
{
    *value = (struct hn_json){.node = json_object_get(object->node, key),
                              .parent = object,
                              .key = key,
                              .name = object->name,
                              .line = object->line};
    if (value->node)
        return HN_OK;
    if (!json_is_object((const json_t *)object->node))
        return complain_type(object, "an object", error);
    return hn_json_complain(value, error, "is missing");
}

int hn_json_as_text(const struct hn_json *value, const char **text, struct hn_error *error)
{
    if (!json_is_string((const json_t *)value->node))
        return complain_type(value, "text", error);
    *text = json_string_value(value->node);
    return HN_OK;
}

int hn_json_as_integer(const struct hn_json *value, int64_t lowest, int64_t highest,
                       int64_t *number, struct hn_error *error)
{
    if (!json_is_integer((const json_t *)value->node))
        return complain_type(value, "a whole number", error);
    const int64_t found = json_integer_value(value->node);
    if (found < lowest || found > highest)
        return hn_json_complain(value, error, "is %lld; it must lie between %lld and %lld",
                                (long long)found, (long long)lowest, (long long)highest);
    *number = found;
    return HN_OK;
}

int hn_json_must_be_object(const struct hn_json *value, struct hn_error *error)
{
    return json_is_object((const json_t *)value->node) ? HN_OK
                                                       : complain_type(value, "an object", error);
}

int hn_json_text(const struct hn_json *object, const char *key, const char **value,
                 struct hn_error *error)
{
    struct hn_json member;
    const int status = find(object, key, &member, error);
    return status ? status : hn_json_as_text(&member, value, error);
}

int hn_json_integer(const struct hn_json *object, const char *key, int64_t lowest, int64_t highest,
                    int64_t *value, struct hn_error *error)
{
    struct hn_json member;
    const int status = find(object, key, &member, error);
    return status ? status : hn_json_as_integer(&member, lowest, highest, value, error);
}

int hn_json_number(const struct hn_json *object, const char *key, double *value,
                   struct hn_error *error)
{
    struct hn_json member;
    const int status = find(object, key, &member, error);
    if (status)
        return status;
    if (!json_is_number((const json_t *)member.node))
        return complain_type(&member, "a number", error);
    *value = json_number_value(member.node);
    return HN_OK;
}

int hn_json_boolean(const struct hn_json *object, const char *key, int *value,
                    struct hn_error *error)
{
    struct hn_json member;
    const int status = find(object, key, &member, error);
    if (status)
        return status;
    if (!json_is_boolean((const json_t *)member.node))
        return complain_type(&member, "true or false", error);
    *value = json_is_true((const json_t *)member.node);
    return HN_OK;
}

int hn_json_object(const struct hn_json *object, const char *key, struct hn_json *value,
                   struct hn_error *error)
{
    struct hn_json member;
    int status = find(object, key, &member, error);
    if (!status)
        status = hn_json_must_be_object(&member, error);
    if (!status)
        *value = member;
    return status;
}

int hn_json_array(const struct hn_json *object, const char *key, struct hn_json *value,
                  struct hn_error *error)
{
    struct hn_json member;
    const int status = find(object, key, &member, error);
    if (status)
        return status;
    if (!json_is_array((const json_t *)member.node))
        return complain_type(&member, "an array", error);
    *value = member;
    return HN_OK;
}

int hn_json_has(const struct hn_json *object, const char *key)
{
    const json_t *member = json_object_get(object->node, key);
    return member && !json_is_null(member);
}

size_t hn_json_count(const struct hn_json *value)
{
    const json_t *node = value->node;
    return json_is_array(node) ? json_array_size(node) : json_object_size(node);
}

void hn_json_item(const struct hn_json *array, size_t index, struct hn_json *value)
{
    *value = (struct hn_json){.node = json_array_get(array->node, index),
                              .parent = array,
                              .index = index,
                              .name = array->name,
                              .line = array->line};
}

int hn_json_member(const struct hn_json *object, void **iterator, struct hn_json *value)
{
    json_t *node = (json_t *)(uintptr_t)object->node;
    *iterator = *iterator ? json_object_iter_next(node, *iterator) : json_object_iter(node);
    if (!*iterator)
        return 0;
    *value = (struct hn_json){.node = json_object_iter_value(*iterator),
                              .parent = object,
                              .key = json_object_iter_key(*iterator),
                              .name = object->name,
                              .line = object->line};
    return 1;
}
