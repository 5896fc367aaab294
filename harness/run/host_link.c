/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts a host, splits the bytes that it sends into messages, and detects its end. See
 * host_link.h.
 */
#include "host_link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"

#define ARGUMENTS 32
#define HANG_UP_PATIENCE_MS 8000
#define LOOK_MS 1000
#define STOPPED_LOOKS 5

/* Returns our own settings, then the settings that every host needs, then the settings of the
 * profile. The texts are borrowed. */
char **hn_link_environment(const char *const *settings, size_t setting_count)
{
    /* A host must run no operator and start no thread of a numeric library before it forks. */
    static const char *const ours[] = {
        "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",          "MKL_NUM_THREADS=1",
        "PYTHONUNBUFFERED=", "TORCH_DEVICE_BACKEND_AUTOLOAD=0", "PYTHONFAULTHANDLER=",
    };
    const struct hn_settings lists[] = {{ours, sizeof ours / sizeof *ours},
                                        {settings, setting_count}};
    return hn_environment_make(lists, sizeof lists / sizeof *lists);
}

/* ---- closing ---- */

static void on_closed(uv_handle_t *handle)
{
    struct hn_link *link = handle->data;
    if (--link->open_handles > 0)
        return;
    hn_wire_reader_finish(&link->reader);
    if (link->running) {
        link->running = 0;
        link->on_gone(link);
    }
}

static void close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, on_closed);
}

static void on_exit_of_host(uv_process_t *process, int64_t status, int signal_number)
{
    struct hn_link *link = process->data;
    link->status = (int)status;
    link->signal = signal_number;
    close_handle((uv_handle_t *)&link->watchdog);
    close_handle((uv_handle_t *)&link->process);
    /* The pipe may still hold the last message of the host. The end of file of the pipe closes the
     * link. */
    if (uv_is_closing((uv_handle_t *)&link->pipe) || !uv_is_readable((uv_stream_t *)&link->pipe))
        close_handle((uv_handle_t *)&link->pipe);
}

void hn_link_kill(struct hn_link *link)
{
    if (link->running && !link->refused && !uv_is_closing((uv_handle_t *)&link->process))
        uv_process_kill(&link->process, SIGKILL);
}

/* Returns 1 if a signal has stopped the process. A process under a debugger has another state. */
static int is_stopped(int pid)
{
    char path[64], text[128] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *const name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") T", 3) == 0;
}

/* Nothing but another signal continues a stopped host, so waiting for the deadline is useless. A
 * busy machine stops no process. */
static void on_look(uv_timer_t *timer)
{
    struct hn_link *link = timer->data;
    const uint64_t now = uv_now(timer->loop);
    link->stopped = is_stopped(link->process.pid) ? link->stopped + 1 : 0;
    if (now >= link->until_ms || link->stopped >= STOPPED_LOOKS) {
        link->silenced = 1;
        hn_link_kill(link);
        return;
    }
    const uint64_t left = link->until_ms - now;
    uv_timer_start(timer, on_look, left < LOOK_MS ? left : LOOK_MS, 0);
}

static void close_all(struct hn_link *link)
{
    close_handle((uv_handle_t *)&link->process);
    close_handle((uv_handle_t *)&link->pipe);
    close_handle((uv_handle_t *)&link->watchdog);
}

static void on_waited(uv_timer_t *timer)
{
    close_all(timer->data);
}

void hn_link_expect(struct hn_link *link, int64_t milliseconds)
{
    if (link->refused || uv_is_closing((uv_handle_t *)&link->watchdog))
        return;
    /* uv_now() returns the time at which the current event began. The handler of this event may
     * have run for a long time already. */
    uv_update_time(link->watchdog.loop);
    uv_timer_stop(&link->watchdog);
    link->stopped = 0;
    link->until_ms = uv_now(link->watchdog.loop) + (uint64_t)milliseconds;
    if (milliseconds > 0)
        uv_timer_start(&link->watchdog, on_look,
                       (uint64_t)(milliseconds < LOOK_MS ? milliseconds : LOOK_MS), 0);
}

void hn_link_hang_up(struct hn_link *link)
{
    if (!link->running)
        return;
    if (link->refused) {
        close_all(link);
        return;
    }
    hn_link_expect(link, HANG_UP_PATIENCE_MS);
    close_handle((uv_handle_t *)&link->pipe);
}

/* ---- receiving ---- */

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    /* shared by all links: one thread reads, and it uses the bytes before the next read */
    static char bytes[65536];
    (void)handle;
    (void)suggested;
    *buffer = uv_buf_init(bytes, sizeof bytes);
}

static void on_bytes(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct hn_link *link = stream->data;
    struct hn_wire message = {0};
    errno = 0;
    int status = count < 0 ? -1 : hn_wire_feed(&link->reader, buffer->base, (size_t)count);
    while (status == 0 && (status = hn_wire_take(&link->reader, &message)) > 0) {
        link->on_message(link, &message);
        status = uv_is_closing((uv_handle_t *)stream) ? -1 : 0;
    }
    hn_wire_finish(&message);
    if (status >= 0)
        return;
    if (count > 0 && errno == ENOMEM)
        link->poor = 1;
    else if (count > 0)
        link->silenced = 1; /* invalid bytes: another program wrote into its pipe */
    if (!uv_is_closing((uv_handle_t *)stream))
        hn_link_kill(link);
    close_handle((uv_handle_t *)stream);
}

/* ---- sending ---- */

struct sending {
    uv_write_t request;
    char *bytes;
};

static void on_sent(uv_write_t *request, int status)
{
    struct sending *sending = request->data;
    (void)status;
    free(sending->bytes);
    free(sending);
}

void hn_link_send(struct hn_link *link, const struct hn_wire *message)
{
    size_t length = 0;
    if (link->refused)
        return;
    struct sending *sending = calloc(1, sizeof *sending);
    if (sending)
        sending->bytes = hn_wire_encode(message, &length);
    if (!sending || !sending->bytes || uv_is_closing((uv_handle_t *)&link->pipe))
        goto fail;
    sending->request.data = sending;
    const uv_buf_t buffer = uv_buf_init(sending->bytes, (unsigned)length);
    if (uv_write(&sending->request, (uv_stream_t *)&link->pipe, &buffer, 1, on_sent) == 0)
        return;
fail:
    link->poor |= !sending || !sending->bytes;
    if (sending)
        free(sending->bytes);
    free(sending);
    hn_link_kill(link);
}

/* ---- starting ---- */

static void init_handles(struct hn_link *link, uv_loop_t *loop)
{
    uv_pipe_init(loop, &link->pipe, 0);
    uv_timer_init(loop, &link->watchdog);
    link->pipe.data = link->watchdog.data = link->process.data = link;
    link->open_handles = 3;
    link->silenced = 0;
    link->refused = link->poor = 0;
    link->running = 0;
}

/* Returns 1 for errors that may be temporary: other programs use all processes or all memory. */
static int is_for_now(int failed)
{
    return failed == UV_EAGAIN || failed == UV_ENOMEM;
}

static int spawn(struct hn_link *link, uv_loop_t *loop, const struct hn_link_start *start,
                 char **environment, int log)
{
    char *arguments[ARGUMENTS + 2];
    char control[] = "--control=3";
    size_t count = 0;
    for (; start->program[count] && count < ARGUMENTS; count++)
        arguments[count] = (char *)(uintptr_t)start->program[count];
    arguments[count++] = control;
    arguments[count] = NULL;
    const int ours = start->foreground;
    uv_stdio_container_t stdio[4] = {
        {.flags = ours ? UV_INHERIT_FD : UV_IGNORE, .data.fd = STDIN_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = ours ? STDOUT_FILENO : log},
        {.flags = UV_INHERIT_FD, .data.fd = ours ? STDERR_FILENO : log},
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE,
         .data.stream = (uv_stream_t *)&link->pipe},
    };
    const uv_process_options_t options = {
        .exit_cb = on_exit_of_host,
        .file = arguments[0],
        .args = arguments,
        .env = environment,
        /* only the supervisor gets Ctrl-C, and then stops the hosts */
        .flags = ours ? 0 : UV_PROCESS_DETACHED,
        .stdio_count = 4,
        .stdio = stdio,
    };
    return uv_spawn(loop, &link->process, &options);
}

int hn_link_start(struct hn_link *link, uv_loop_t *loop, const struct hn_link_start *start,
                  struct hn_error *error)
{
    int status = HN_OK;
    char **environment = hn_link_environment(start->environment, start->environment_count);
    const int log = open(start->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log < 0) {
        free(environment);
        return hn_error_errno(error, "cannot write %s", start->log);
    }
    init_handles(link, loop);
    const int failed = spawn(link, loop, start, environment, log);
    if (failed == 0) {
        link->running = 1;
        uv_read_start((uv_stream_t *)&link->pipe, give_room, on_bytes);
    } else if (is_for_now(failed)) {
        link->running = link->refused = 1;
        uv_timer_start(&link->watchdog, on_waited, HN_LINK_REFUSED_MS, 0);
    } else {
        status = hn_error_set(error, HN_ESYSTEM, "cannot start %s: %s", start->program[0],
                              uv_strerror(failed));
        close_all(link);
    }
    close(log);
    free(environment);
    return status;
}
