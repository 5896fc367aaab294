/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages between the supervisor and a host: a type and a list of (key, value) texts in order. No
 * JSON, so that nothing of ours that parses lives in a process that loads foreign code. A key may
 * come again ("job" begins the next job). Both ends are ours, built together: there is no version.
 */
#ifndef HN_WIRE_H
#define HN_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define HN_WIRE_LIMIT (4u << 20) /* bytes of one message */

enum hn_wire_type {
    HN_WIRE_SETUP = 1,    /* to host, once: target, modules, mode */
    HN_WIRE_RUN = 2,      /* to host: limits, then jobs for one process */
    HN_WIRE_CANCEL = 3,   /* to host: end the process under way */
    HN_WIRE_READY = 4,    /* to supervisor, once: setup done, or the problem */
    HN_WIRE_STARTED = 5,  /* to supervisor: a job begins */
    HN_WIRE_FINISHED = 6, /* to supervisor: a job is over */
    HN_WIRE_IDLE = 7,     /* to supervisor: the process is gone, send the next RUN */
    HN_WIRE_LOADING = 8,  /* to supervisor: torch is there, the target is loaded next */
};

struct hn_wire {
    uint32_t type;
    char *body; /* key NUL value NUL ... */
    size_t length, capacity;
    int status; /* 0, or -1 once a piece did not fit */
};

/* An all-zero struct is an empty message. */
void hn_wire_begin(struct hn_wire *message, uint32_t type);
void hn_wire_finish(struct hn_wire *message);
/* Failure sticks in `status`; a writer tests once at the end. NULL is written as "". */
void hn_wire_add(struct hn_wire *message, const char *key, const char *value);
void hn_wire_add_number(struct hn_wire *message, const char *key, int64_t value);

/* Steps through the pairs; `cursor` starts at 0. 1: there is one, 0: no more. The texts live as
 * long as the message. */
int hn_wire_next(const struct hn_wire *message, size_t *cursor, const char **key,
                 const char **value);
/* The first value of `key`; NULL or `otherwise` when absent. */
const char *hn_wire_text(const struct hn_wire *message, const char *key);
int64_t hn_wire_number(const struct hn_wire *message, const char *key, int64_t otherwise);
int64_t hn_wire_parse_number(const char *text, int64_t otherwise);

/* Exit status of a host that ran out of memory or file descriptors: the machine's doing. */
#define HN_HOST_POOR 71
/* One that was told what makes no sense: somebody else has read half of it. */
#define HN_HOST_CONFUSED 70
#define HN_WIRE_UNSAYABLE (-2) /* no memory for the message, or it is too long */

/* Blocking transfer. send: 0, -1 or UNSAYABLE. receive: 1, 0 at end of file, -1 for an error, garbage
 * or no memory, which errno tells apart. */
int hn_wire_send(int fd, const struct hn_wire *message);
int hn_wire_receive(int fd, struct hn_wire *message);

/* For an event loop: the bytes of a message, which the caller frees (NULL: out of memory)... */
char *hn_wire_encode(const struct hn_wire *message, size_t *length);
/* ...and a collector of bytes that gives whole messages. All-zero is empty. */
struct hn_wire_reader {
    char *bytes;
    size_t length, capacity;
};
int hn_wire_feed(struct hn_wire_reader *reader, const char *bytes, size_t length);
/* 1: `message` holds the next one, 0: more bytes are needed, -1: garbage. */
int hn_wire_take(struct hn_wire_reader *reader, struct hn_wire *message);
void hn_wire_reader_finish(struct hn_wire_reader *reader);

#endif
