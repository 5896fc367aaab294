/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One host process and the pipe to it, as events of libuv: started, a message came, it is gone.
 * Owned by the supervisor; knows nothing of tasks.
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
    struct hn_wire_reader reader;
    int open_handles;   /* libuv must let go of all of them before the link may be used again */
    int running;        /* between a successful start and `gone` */
    int silenced;       /* it was killed for silence or garbage */
    int poor;           /* it was given up because there was no memory to hear or tell it */
    int refused;        /* the machine started no process: `gone` comes after a wait */
    int signal, status; /* of its end, when it is gone */
    void *owner;
    /* The message is valid during the call. */
    void (*on_message)(struct hn_link *link, const struct hn_wire *message);
    /* The process is dead and the link is ready for another start. */
    void (*on_gone)(struct hn_link *link);
};

struct hn_link_start {
    const char *const *program;     /* NULL-terminated; "--control=3" is added */
    const char *const *environment; /* "NAME=value", on top of ours */
    size_t environment_count;
    const char *log; /* file that the host's own output is added to */
    int foreground;  /* it has our terminal instead */
};

/* Environment of a host whose target asks for `settings`: a list to free, of borrowed texts. */
char **hn_link_environment(const char *const *settings, size_t setting_count);

/* On failure nothing is open and on_gone is not called. A machine that has no process left for now is
 * no failure: the link is `refused`, and gone after HN_LINK_REFUSED_MS, so that it can be tried again. */
#define HN_LINK_REFUSED_MS 250
int hn_link_start(struct hn_link *link, uv_loop_t *loop, const struct hn_link_start *start,
                  struct hn_error *error);
/* A host that cannot be told is found dead by on_gone. */
void hn_link_send(struct hn_link *link, const struct hn_wire *message);
/* The host is killed when nothing is heard for this long; 0: it may be silent. */
void hn_link_expect(struct hn_link *link, int64_t milliseconds);
/* Hang up: the host cleans up and leaves. */
void hn_link_hang_up(struct hn_link *link);
void hn_link_kill(struct hn_link *link);

#endif
