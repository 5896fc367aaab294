/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A message between the supervisor and a host is a type and an ordered list of (key, value) texts.
 * A message is not JSON, so that no parser of ours runs in a process that loads the target's code.
 * A key may occur more than once: each "job" begins another job. Both ends are built together, so
 * there is no version.
 */
#ifndef HN_WIRE_H
#define HN_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define HN_WIRE_LIMIT (4u << 20) /* largest size of one message */

enum hn_wire_type {
    HN_WIRE_SETUP = 1,    /* to host, once: target, modules, mode */
    HN_WIRE_RUN = 2,      /* to host: limits, then jobs for one process */
    HN_WIRE_CANCEL = 3,   /* to host: end the running process */
    HN_WIRE_READY = 4,    /* to supervisor, once: setup is done, or the problem */
    HN_WIRE_STARTED = 5,  /* to supervisor: a job has started */
    HN_WIRE_FINISHED = 6, /* to supervisor: a job has ended */
    /* to supervisor: the process is gone, and the host waits for the next RUN */
    HN_WIRE_IDLE = 7,
    HN_WIRE_LOADING = 8, /* to supervisor: torch is loaded, and the target comes next */
};

struct hn_wire {
    uint32_t type;
    char *body; /* key NUL value NUL ... */
    size_t length, capacity;
    int status; /* 0, or -1 after the first text that did not fit */
};

/* An all-zero struct is an empty message. */
void hn_wire_begin(struct hn_wire *message, uint32_t type);
void hn_wire_finish(struct hn_wire *message);
/* `status` keeps the first failure, so the caller tests it once, at the end. NULL is written as
 * "". */
void hn_wire_add(struct hn_wire *message, const char *key, const char *value);
void hn_wire_add_number(struct hn_wire *message, const char *key, int64_t value);

/* Steps through the pairs; `cursor` starts at 0. Returns 1 if there is a pair, 0 at the end. The
 * texts live as long as the message. */
int hn_wire_next(const struct hn_wire *message, size_t *cursor, const char **key,
                 const char **value);
/* Return the first value of `key`; if the key is missing, NULL or `otherwise`. */
const char *hn_wire_text(const struct hn_wire *message, const char *key);
int64_t hn_wire_number(const struct hn_wire *message, const char *key, int64_t otherwise);
int64_t hn_wire_parse_number(const char *text, int64_t otherwise);

/* Exit status of a host that ran out of memory or file descriptors, which is no defect of the
 * target. */
#define HN_HOST_POOR 71
/* Exit status of a host that received an invalid message, for example because another process
 * read a part of it. */
#define HN_HOST_CONFUSED 70
#define HN_WIRE_UNSAYABLE (-2) /* no memory for the message, or it is too long */

/* Both functions block. send returns 0, -1 or UNSAYABLE. receive returns 1; 0 at end of file; -1
 * for an error, invalid bytes or no memory (see errno). */
int hn_wire_send(int fd, const struct hn_wire *message);
int hn_wire_receive(int fd, struct hn_wire *message);

/* For an event loop: returns the bytes of a message, which the caller frees (NULL: out of
 * memory). */
char *hn_wire_encode(const struct hn_wire *message, size_t *length);
/* For an event loop: collects bytes and returns whole messages. An all-zero reader is empty. */
struct hn_wire_reader {
    char *bytes;
    size_t length, capacity;
};
int hn_wire_feed(struct hn_wire_reader *reader, const char *bytes, size_t length);
/* Returns 1 and the next message; 0 if more bytes are needed; -1 for invalid bytes. */
int hn_wire_take(struct hn_wire_reader *reader, struct hn_wire *message);
void hn_wire_reader_finish(struct hn_wire_reader *reader);

#endif
