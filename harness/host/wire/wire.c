/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encodes and decodes messages between supervisor and host. A message starts with a magic
 * number, its type and the length of its body, as 32-bit numbers in native byte order; the body
 * follows. Called by the supervisor and by the host. This file must not depend on the meaning of
 * a message.
 */
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAGIC 0x41535931u

struct header {
    uint32_t magic, type, length;
};

void hn_wire_begin(struct hn_wire *message, uint32_t type)
{
    message->type = type;
    message->length = 0;
    message->status = 0;
}

void hn_wire_finish(struct hn_wire *message)
{
    free(message->body);
    *message = (struct hn_wire){0};
}

static int reserve(char **bytes, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity)
        return 0;
    size_t size = *capacity ? *capacity : 512;
    while (size < wanted)
        size *= 2;
    char *larger = realloc(*bytes, size);
    if (!larger)
        return -1;
    *bytes = larger;
    *capacity = size;
    return 0;
}

static void add_text(struct hn_wire *message, const char *text)
{
    size_t size = strlen(text) + 1;
    if (message->status != 0)
        return;
    if (message->length + size > HN_WIRE_LIMIT ||
        reserve(&message->body, &message->capacity, message->length + size) != 0) {
        message->status = -1;
        return;
    }
    memcpy(message->body + message->length, text, size);
    message->length += size;
}

void hn_wire_add(struct hn_wire *message, const char *key, const char *value)
{
    add_text(message, key);
    add_text(message, value ? value : "");
}

void hn_wire_add_number(struct hn_wire *message, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    hn_wire_add(message, key, text);
}

/* Returns the text at *cursor and moves the cursor past it; NULL if the body ends without a NUL. */
static const char *next_text(const struct hn_wire *message, size_t *cursor)
{
    if (*cursor >= message->length)
        return NULL;
    const char *text = message->body + *cursor;
    const char *end = memchr(text, 0, message->length - *cursor);
    if (!end)
        return NULL;
    *cursor += (size_t)(end - text) + 1;
    return text;
}

int hn_wire_next(const struct hn_wire *message, size_t *cursor, const char **key,
                 const char **value)
{
    size_t at = *cursor;
    const char *name = next_text(message, &at);
    const char *text = name ? next_text(message, &at) : NULL;
    if (!text)
        return 0;
    *key = name;
    *value = text;
    *cursor = at;
    return 1;
}

const char *hn_wire_text(const struct hn_wire *message, const char *key)
{
    const char *name, *value;
    for (size_t cursor = 0; hn_wire_next(message, &cursor, &name, &value);)
        if (strcmp(name, key) == 0)
            return value;
    return NULL;
}

int64_t hn_wire_parse_number(const char *text, int64_t otherwise)
{
    char *end = NULL;
    if (!text || !*text)
        return otherwise;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    return errno || *end ? otherwise : value;
}

int64_t hn_wire_number(const struct hn_wire *message, const char *key, int64_t otherwise)
{
    return hn_wire_parse_number(hn_wire_text(message, key), otherwise);
}

char *hn_wire_encode(const struct hn_wire *message, size_t *length)
{
    struct header header = {MAGIC, message->type, (uint32_t)message->length};
    if (message->status != 0)
        return NULL;
    char *bytes = malloc(sizeof header + message->length);
    if (!bytes)
        return NULL;
    memcpy(bytes, &header, sizeof header);
    if (message->length)
        memcpy(bytes + sizeof header, message->body, message->length);
    *length = sizeof header + message->length;
    return bytes;
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        /* A lost supervisor must be an error, and must not raise SIGPIPE. */
        ssize_t done = send(fd, bytes, length, MSG_NOSIGNAL);
        if (done < 0 && errno == ENOTSOCK)
            done = write(fd, bytes, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes += done;
        length -= (size_t)done;
    }
    return 0;
}

int hn_wire_send(int fd, const struct hn_wire *message)
{
    size_t length = 0;
    char *bytes = hn_wire_encode(message, &length);
    if (!bytes)
        return HN_WIRE_UNSAYABLE;
    int status = write_all(fd, bytes, length);
    free(bytes);
    return status;
}

/* Returns the number of bytes read, which is smaller than `length` only at end of file; -1 for
 * an error. */
static ssize_t read_all(int fd, void *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t got = read(fd, (char *)bytes + done, length - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int header_is_good(const struct header *header)
{
    return header->magic == MAGIC && header->length <= HN_WIRE_LIMIT;
}

int hn_wire_receive(int fd, struct hn_wire *message)
{
    struct header header;
    ssize_t got = read_all(fd, &header, sizeof header);
    if (got == 0)
        return 0;
    errno = EPROTO;
    if (got != (ssize_t)sizeof header || !header_is_good(&header))
        return -1;
    hn_wire_begin(message, header.type);
    if (reserve(&message->body, &message->capacity, header.length) != 0)
        return -1;
    message->length = header.length;
    return read_all(fd, message->body, header.length) == (ssize_t)header.length ? 1 : -1;
}

int hn_wire_feed(struct hn_wire_reader *reader, const char *bytes, size_t length)
{
    if (reader->length + length > 2 * (size_t)HN_WIRE_LIMIT ||
        reserve(&reader->bytes, &reader->capacity, reader->length + length) != 0)
        return -1;
    memcpy(reader->bytes + reader->length, bytes, length);
    reader->length += length;
    return 0;
}

int hn_wire_take(struct hn_wire_reader *reader, struct hn_wire *message)
{
    struct header header;
    if (reader->length < sizeof header)
        return 0;
    memcpy(&header, reader->bytes, sizeof header);
    if (!header_is_good(&header))
        return -1;
    size_t size = sizeof header + header.length;
    if (reader->length < size)
        return 0;
    hn_wire_begin(message, header.type);
    if (reserve(&message->body, &message->capacity, header.length) != 0)
        return -1;
    if (header.length)
        memcpy(message->body, reader->bytes + sizeof header, header.length);
    message->length = header.length;
    reader->length -= size;
    memmove(reader->bytes, reader->bytes + size, reader->length);
    return 1;
}

void hn_wire_reader_finish(struct hn_wire_reader *reader)
{
    free(reader->bytes);
    *reader = (struct hn_wire_reader){0};
}
