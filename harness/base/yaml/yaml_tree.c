/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the strict tree from libyaml's events. Only this file may use libyaml.
 */
#include "yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "arena.h"
#include "file.h"
#include "nearest.h"

#define LARGEST ((size_t)16 << 20)
#define DEEPEST 16
#define MOST_KEYS 1000             /* each new key is compared with all of them */
#define MEMORY ((size_t)256 << 20) /* a node with the text "a" takes some hundred bytes */

struct hn_yaml_document {
    struct hn_arena *arena;
    struct hn_yaml *root;
};

/* State of one parse. */
struct reader {
    yaml_parser_t parser;
    struct hn_arena *arena;
    const char *file;
    struct hn_findings *findings;
    struct level {
        struct hn_yaml *node, *last; /* the open list or map; its newest item */
        const yaml_char_t *key;      /* in a map: the key whose value is read next */
        int key_line, key_column;
    } levels[DEEPEST];
    int depth;
    struct hn_yaml *root;
};

static int complain(struct reader *reader, yaml_mark_t mark, const char *sentence)
{
    return hn_findings_add(reader->findings, reader->file, (int)mark.line + 1, (int)mark.column + 1,
                           "%s", sentence);
}

static int complain_syntax(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_MEMORY_ERROR)
        return hn_findings_add(reader->findings, reader->file, 0, 0, "out of memory");
    if (parser->error == YAML_READER_ERROR)
        return hn_findings_add(reader->findings, reader->file, 0, 0,
                               "not UTF-8 text: %s at byte %zu", parser->problem,
                               parser->problem_offset);
    return hn_findings_add(reader->findings, reader->file, (int)mark.line + 1, (int)mark.column + 1,
                           "not YAML: %s%s%s", parser->context ? parser->context : "",
                           parser->context ? ": " : "",
                           parser->problem ? parser->problem : "unreadable");
}

static struct hn_yaml *new_node(struct reader *reader, enum hn_yaml_kind kind, yaml_mark_t mark)
{
    struct hn_yaml *node = hn_arena_alloc(reader->arena, sizeof *node);
    if (!node) {
        complain(reader, mark, "out of memory");
        return NULL;
    }
    node->kind = kind;
    node->file = reader->file;
    node->line = (int)mark.line + 1;
    node->column = (int)mark.column + 1;
    return node;
}

/* Adds a complete or just opened node to the innermost open one. */
static void attach(struct reader *reader, struct hn_yaml *node)
{
    struct level *level = reader->depth ? &reader->levels[reader->depth - 1] : NULL;
    if (!level) {
        reader->root = node;
        return;
    }
    if (level->key) {
        node->key = (const char *)level->key;
        node->key_line = level->key_line;
        node->key_column = level->key_column;
        level->key = NULL;
    }
    if (level->last)
        level->last->next = node;
    else
        level->node->first = node;
    level->last = node;
    level->node->count++;
}

static int waits_for_key(const struct reader *reader)
{
    const struct level *level = reader->depth ? &reader->levels[reader->depth - 1] : NULL;
    return level && level->node->kind == HN_YAML_MAP && !level->key;
}

static int take_key(struct reader *reader, const char *text, yaml_mark_t mark)
{
    struct level *level = &reader->levels[reader->depth - 1];
    if (level->node->count == MOST_KEYS)
        return complain(reader, mark, "a map holds at most 1000 keys");
    const struct hn_yaml *earlier = hn_yaml_find(level->node, text);
    const int line = (int)mark.line + 1, column = (int)mark.column + 1;

    if (!text[0])
        return complain(reader, mark, "a key must not be empty");
    if (strcmp(text, "<<") == 0)
        return complain(reader, mark, "merge keys are not allowed; write the values out");
    /* The rest of the file is still read, so that all errors are reported. */
    if (earlier)
        hn_findings_add(reader->findings, reader->file, line, column,
                        "key \"%.60s\" is already given in line %d", text, earlier->key_line);
    level->key = (const yaml_char_t *)text;
    level->key_line = line;
    level->key_column = column;
    return HN_OK;
}

static int on_scalar(struct reader *reader, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (event->data.scalar.anchor)
        return complain(reader, event->start_mark, "anchors are not allowed; write the value out");
    if (event->data.scalar.tag)
        return complain(reader, event->start_mark, "tags are not allowed; write plain text");
    if (memchr(value, '\0', length))
        return complain(reader, event->start_mark, "text must not contain a NUL character");
    const char *text = hn_arena_copy(reader->arena, value, length);
    if (!text)
        return complain(reader, event->start_mark, "out of memory");
    if (waits_for_key(reader))
        return take_key(reader, text, event->start_mark);
    struct hn_yaml *node = new_node(reader, HN_YAML_SCALAR, event->start_mark);
    if (!node)
        return HN_ENOMEM;
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    attach(reader, node);
    return HN_OK;
}

static int open_collection(struct reader *reader, const yaml_event_t *event, enum hn_yaml_kind kind,
                           const void *anchor, const void *tag)
{
    if (anchor)
        return complain(reader, event->start_mark, "anchors are not allowed; write the value out");
    if (tag)
        return complain(reader, event->start_mark, "tags are not allowed");
    if (waits_for_key(reader))
        return complain(reader, event->start_mark, "a key must be plain text");
    if (reader->depth == DEEPEST)
        return complain(reader, event->start_mark, "nested too deeply; at most 16 levels");
    struct hn_yaml *node = new_node(reader, kind, event->start_mark);
    if (!node)
        return HN_ENOMEM;
    attach(reader, node);
    reader->levels[reader->depth++] = (struct level){.node = node};
    return HN_OK;
}

static int on_event(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(reader, event, HN_YAML_LIST, event->data.sequence_start.anchor,
                               event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_collection(reader, event, HN_YAML_MAP, event->data.mapping_start.anchor,
                               event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reader->depth--;
        return HN_OK;
    case YAML_ALIAS_EVENT:
        return complain(reader, event->start_mark, "aliases are not allowed; write the value out");
    case YAML_DOCUMENT_START_EVENT:
        if (reader->root)
            return complain(reader, event->start_mark, "a file holds one document only");
        return HN_OK;
    default:
        return HN_OK;
    }
}

static int read_events(struct reader *reader)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event))
            return complain_syntax(reader);
        const int last = event.type == YAML_STREAM_END_EVENT;
        const int status = on_event(reader, &event);
        yaml_event_delete(&event);
        if (status || last)
            return status;
    }
}

/* libyaml accepts some tabs. In this reader, a tab in any indentation is an error. */
static int refuse_tabs(const char *text, size_t length, const char *name,
                       struct hn_findings *findings)
{
    int line = 1, indenting = 1, column = 1;
    for (size_t i = 0; i < length; i++, column++) {
        if (indenting && text[i] == '\t')
            return hn_findings_add(findings, name, line, column, "a tab; indent with spaces");
        if (text[i] == '\n') {
            line++;
            column = 0;
        }
        indenting = text[i] == '\n' || (indenting && text[i] == ' ');
    }
    return HN_OK;
}

static int build_tree(struct hn_yaml_document *document, const char *text, size_t length,
                      const char *file, struct hn_findings *findings)
{
    const size_t before = findings->total;
    struct reader reader = {.arena = document->arena, .file = file, .findings = findings};
    int status;
    if (!yaml_parser_initialize(&reader.parser))
        return hn_findings_add(findings, file, 0, 0, "out of memory");
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    status = read_events(&reader);
    if (!status && !reader.root)
        status = hn_findings_add(findings, file, 1, 1, "the file is empty");
    yaml_parser_delete(&reader.parser);
    document->root = reader.root;
    return findings->total > before ? HN_EINPUT : status;
}

int hn_yaml_parse(const char *text, size_t length, const char *name,
                  struct hn_yaml_document **document, const struct hn_yaml **root,
                  struct hn_findings *findings)
{
    struct hn_arena *arena;
    struct hn_yaml_document *made = hn_arena_owner(sizeof *made, MEMORY, &arena);
    int status = HN_ENOMEM;
    if (!made)
        return status;
    made->arena = arena;
    const char *file = hn_arena_copy(made->arena, name, strlen(name));
    if (!file)
        goto fail;
    if (length > LARGEST)
        status = hn_findings_add(findings, file, 0, 0, "is larger than 16 MiB");
    else
        status = refuse_tabs(text, length, file, findings);
    if (!status)
        status = build_tree(made, text, length, file, findings);
    if (status)
        goto fail;
    *document = made;
    *root = made->root;
    return HN_OK;
fail:
    hn_yaml_destroy(made);
    return status;
}

int hn_yaml_read(const char *path, struct hn_yaml_document **document, const struct hn_yaml **root,
                 struct hn_findings *findings)
{
    struct hn_error error;
    char *text;
    size_t length;
    if (hn_file_read(path, LARGEST, &text, &length, &error))
        return hn_findings_add_error(findings, &error);
    const int status = hn_yaml_parse(text, length, path, document, root, findings);
    free(text);
    return status;
}

void hn_yaml_destroy(struct hn_yaml_document *document)
{
    hn_arena_destroy(document ? document->arena : NULL);
}
