/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main loop of a host prepares the host, then serves one request after the other until the
 * supervisor closes the connection. Called by both host programs. job_process.c handles each job
 * process.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bare_process.h"
#include "descendants.h"
#include "host_orders.h"
#include "isolation.h"
#include "job_process.h"
#include "stack_dump.h"

static const char *const *program;
/* Tells the signal handler whether our own code is running, or the target's code in a callback. */
static volatile sig_atomic_t in_callback, term_seen;

void hn_host_set_program(const char *const *arguments)
{
    program = arguments;
}

/* Called if the supervisor died (PDEATHSIG) or ends this host. Our own loop notices that the
 * control pipe is closed, and cleans up. A callback that loads a target may never return, so during
 * a callback the handler itself must end the process. */
static void on_term(int signal_number)
{
    (void)signal_number;
    term_seen = 1;
    if (!in_callback)
        return;
    hn_job_process_kill_now();
    _exit(0);
}

static void protect(void)
{
    const struct sigaction term = {.sa_handler = on_term};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGTERM, &term, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    hn_descendants_adopt();
    hn_stack_dump_prepare();
}

struct readiness {
    const char *stage; /* the stage that failed, or NULL */
    struct hn_host_target target;
    int loaded;
};

/* Reports that loading begins: from now on the deadline of the target applies. If the message
 * cannot be sent, the loop notices the lost supervisor later. */
static void tell_loading(const struct hn_host *host)
{
    struct hn_wire message = {0};
    hn_wire_begin(&message, HN_WIRE_LOADING);
    hn_wire_send(host->control, &message);
    hn_wire_finish(&message);
}

static void get_ready(struct hn_host *host, struct readiness *ready)
{
    const struct hn_host_callbacks *callbacks = host->callbacks;
    const struct hn_isolation *isolation = hn_isolation_of(host->setup.host.mode);
    if (!isolation->loads_torch)
        return;
    in_callback = 1;
    host->prepared = callbacks->prepare(callbacks->context, &host->setup.host) == HN_HOST_DONE;
    if (!host->prepared)
        ready->stage = "prepare";
    if (host->prepared && isolation->loads_target) {
        tell_loading(host);
        ready->loaded = callbacks->load_target(callbacks->context, &host->setup.host,
                                               &ready->target) == HN_HOST_DONE;
        if (!ready->loaded)
            ready->stage = "load";
    }
    in_callback = 0;
}

/* Sends the supervisor the facts by which it decides whether this host may fork. */
static int send_ready(const struct hn_host *host, const struct readiness *ready)
{
    char device_file[512];
    struct hn_wire message = {0};
    hn_wire_begin(&message, HN_WIRE_READY);
    if (ready->stage) {
        const char *text = hn_host_last_problem();
        hn_wire_add(&message, "failed", ready->stage);
        hn_wire_add(&message, "problem", *text ? text : "the callback did not return normally");
    }
    hn_wire_add_number(&message, "threads", hn_thread_count());
    if (hn_device_file_open(device_file, sizeof device_file))
        hn_wire_add(&message, "device-file", device_file);
    const int status = hn_wire_send(host->control, &message);
    hn_wire_finish(&message);
    return status;
}

/* Returns 1 and a message; 0 if the supervisor is gone; -1 for invalid bytes. */
static int next_message(const struct hn_host *host, struct hn_wire *message)
{
    struct pollfd event = {host->control, POLLIN, 0};
    while (!term_seen && poll(&event, 1, -1) < 0 && errno == EINTR)
        continue;
    return term_seen ? 0 : hn_wire_receive(host->control, message);
}

/* Returns HN_PROCESS_...; an invalid request means that the supervisor has a bug. */
static int serve_request(struct hn_host *host, const struct hn_wire *message, int *status)
{
    static struct hn_request request; /* static, because it is large */
    if (message->type == HN_WIRE_CANCEL)
        return HN_PROCESS_DONE; /* the cancellation came after the end of the job */
    if (message->type != HN_WIRE_RUN || hn_request_parse(&request, message) != 0) {
        *status = HN_HOST_CONFUSED;
        return HN_PROCESS_ERROR;
    }
    *status = HN_HOST_POOR;
    return hn_job_process_run(host, &request, message, status);
}

static int serve_requests(struct hn_host *host)
{
    struct hn_wire message = {0};
    int status = 0, got, outcome = HN_PROCESS_DONE;
    while (outcome == HN_PROCESS_DONE && (got = next_message(host, &message)) != 0) {
        status = errno == ENOMEM ? HN_HOST_POOR : HN_HOST_CONFUSED;
        outcome = got < 0 ? HN_PROCESS_ERROR : serve_request(host, &message, &status);
        if (outcome == HN_PROCESS_DONE || outcome == HN_PROCESS_HANGUP)
            status = 0;
    }
    /* A job that leaves by exit() still uses texts of the message. */
    if (outcome != HN_PROCESS_CHILD)
        hn_wire_finish(&message);
    return status;
}

int hn_host_serve(int control, const struct hn_host_callbacks *callbacks)
{
    struct hn_host host = {.control = control, .callbacks = callbacks};
    struct hn_wire message = {0};
    static struct readiness ready;
    protect();
    errno = 0;
    if (hn_wire_receive(control, &message) <= 0 || message.type != HN_WIRE_SETUP ||
        hn_setup_parse(&host.setup, &message) != 0) {
        const int poor = errno == ENOMEM;
        hn_wire_finish(&message);
        return poor ? HN_HOST_POOR : HN_HOST_CONFUSED;
    }
    hn_host_take_orders(&host.setup.orders);
    get_ready(&host, &ready);
    host.target = ready.loaded ? &ready.target : NULL;
    host.program = hn_isolation_of(host.setup.host.mode)->forks ? NULL : program;
    const int told = send_ready(&host, &ready);
    if (told != 0)
        return told == HN_WIRE_UNSAYABLE ? HN_HOST_POOR : EXIT_FAILURE;
    const pid_t self = getpid();
    const int status = serve_requests(&host);
    if (getpid() == self) {
        hn_bare_end();
        hn_setup_finish(&host.setup);
    }
    return status;
}

int hn_host_serve_one(int control, const struct hn_host_callbacks *callbacks)
{
    static struct hn_setup setup;
    static struct hn_request request;
    struct hn_wire setup_message = {0}, channel = {0}, message = {0};
    hn_stack_dump_prepare();
    if (hn_wire_receive(control, &setup_message) <= 0 || hn_wire_receive(control, &channel) <= 0 ||
        hn_wire_receive(control, &message) <= 0 || hn_setup_parse(&setup, &setup_message) != 0 ||
        hn_request_parse(&request, &message) != 0)
        return HN_HOST_CONFUSED;
    close(control);
    request.progress = (int)hn_wire_number(&channel, "progress", -1);
    hn_bare_inherit((int)hn_wire_number(&channel, "bare", -1));
    hn_wire_finish(&channel);
    return hn_job_run(&setup, &request, callbacks, NULL, 0);
}
