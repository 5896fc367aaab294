/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs one host process and the pipe to it with libuv, and calls back when a message arrives and
 * when the host is gone. Owned by the supervisor. This file must not depend on tasks.
 */
#ifndef HN_HOST_LINK_H
#define HN_HOST_LINK_H

#include <uv.h>

#include "hn_error.h"
#include "input.h"
#include "wire.h"

struct hn_link {
    uv_process_t process;
    uv_pipe_t pipe;
    uv_timer_t watchdog;
    uint64_t until_ms; /* time of the loop after which the host counts as silent */
    int stopped;       /* number of successive samples in which a signal had stopped the host */
    struct hn_wire_reader reader;
    int open_handles; /* libuv must close all of them before the link can be used again */
    int running;      /* from a successful start to `gone` */
    int silenced;     /* the host was killed because it sent nothing, or invalid bytes */
    /* the host was killed because there was no memory for a message */
    int poor;
    int refused;        /* the system could not start a process: `gone` comes after a wait */
    int signal, status; /* how the process ended, valid when it is gone */
    void *owner;
    /* Called for each message, which is valid during the call. */
    void (*on_message)(struct hn_link *link, const struct hn_wire *message);
    /* Called when the process is dead, and the link is ready for another start. */
    void (*on_gone)(struct hn_link *link);
};

struct hn_link_start {
    const char *const *program;     /* NULL-terminated; "--control=3" is appended */
    const char *const *environment; /* "NAME=value", override ours */
    size_t environment_count;
    const char *log; /* file to which the output of the host is appended */
    int foreground;  /* the output of the host goes to our terminal instead */
};

/* Environment of a host whose target has these `settings`. Returns a list that the caller frees;
 * the texts are borrowed. */
char **hn_link_environment(const char *const *settings, size_t setting_count);

/* On failure nothing is open, and on_gone is not called. If the system cannot start a process now,
 * the link sets `refused` and calls on_gone after HN_LINK_REFUSED_MS. The caller can then repeat
 * the start. This case is no failure. */
#define HN_LINK_REFUSED_MS 250
int hn_link_start(struct hn_link *link, uv_loop_t *loop, const struct hn_link_start *start,
                  struct hn_error *error);
/* Sends a message. If this fails, the host is dead, and on_gone reports that. */
void hn_link_send(struct hn_link *link, const struct hn_wire *message);
/* Kills the host if no message arrives for this long, or if a signal such as SIGSTOP has stopped it
 * for some seconds; 0: never. */
void hn_link_expect(struct hn_link *link, int64_t milliseconds);
/* Closes the pipe: the host then cleans up and exits. */
void hn_link_hang_up(struct hn_link *link);
void hn_link_kill(struct hn_link *link);

#endif
