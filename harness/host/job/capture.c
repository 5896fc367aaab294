/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies the output of a job into a file of limited size: the first half MiB as it arrives, the
 * last half MiB at the end, and between them a line with the number of omitted bytes. A limit on
 * the size of files (RLIMIT_FSIZE) would be simpler but breaks memfds and print. Called by
 * job_process.c.
 */
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAIN_BURST (1u << 20) /* after so many bytes, the caller handles its other events */

void hn_capture_init(struct hn_capture *capture, int pipe)
{
    *capture = (struct hn_capture){.pipe = pipe, .file = -1};
    fcntl(pipe, F_SETFL, O_NONBLOCK);
}

void hn_capture_aim(struct hn_capture *capture, const char *folder, const char *name)
{
    snprintf(capture->path, sizeof capture->path, "%s/%s", folder, name);
}

static void write_file(struct hn_capture *capture, const char *bytes, size_t length)
{
    if (capture->file < 0 && capture->path[0])
        /* O_NONBLOCK: the job may have replaced the file by a pipe without a reader. */
        capture->file =
            open(capture->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                 0644);
    while (capture->file >= 0 && length > 0) {
        const ssize_t done = write(capture->file, bytes, length);
        if (done <= 0)
            return; /* the disk is full. Output may be lost, because it is not evidence */
        bytes += done;
        length -= (size_t)done;
    }
}

static void keep_tail(struct hn_capture *capture, const char *bytes, size_t length)
{
    if (!capture->tail)
        capture->tail = malloc(HN_CAPTURE_HALF);
    if (!capture->tail)
        return;
    while (length > 0) {
        const size_t at = (size_t)((capture->total - HN_CAPTURE_HALF) % HN_CAPTURE_HALF);
        const size_t room = HN_CAPTURE_HALF - at;
        const size_t piece = length < room ? length : room;
        memcpy(capture->tail + at, bytes, piece);
        capture->total += piece;
        bytes += piece;
        length -= piece;
    }
}

static void take(struct hn_capture *capture, const char *bytes, size_t length)
{
    if (capture->total < HN_CAPTURE_HALF) {
        const size_t room = (size_t)(HN_CAPTURE_HALF - capture->total);
        const size_t head = length < room ? length : room;
        write_file(capture, bytes, head);
        capture->total += head;
        bytes += head;
        length -= head;
    }
    if (length > 0)
        keep_tail(capture, bytes, length);
}

int hn_capture_drain(struct hn_capture *capture)
{
    static char bytes[65536];
    for (size_t done = 0; capture->pipe >= 0 && done < DRAIN_BURST;) {
        const ssize_t got = read(capture->pipe, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return 1;
        if (got <= 0) {
            close(capture->pipe);
            capture->pipe = -1;
            return 0;
        }
        take(capture, bytes, (size_t)got);
        done += (size_t)got;
    }
    return capture->pipe >= 0;
}

static void write_tail(struct hn_capture *capture)
{
    const uint64_t behind = capture->total - HN_CAPTURE_HALF;
    if (behind <= HN_CAPTURE_HALF) {
        write_file(capture, capture->tail, (size_t)behind);
        return;
    }
    char note[100];
    const int length = snprintf(note, sizeof note, "\n[... %llu bytes left out ...]\n",
                                (unsigned long long)(behind - HN_CAPTURE_HALF));
    write_file(capture, note, (size_t)length);
    const size_t start = (size_t)(behind % HN_CAPTURE_HALF);
    write_file(capture, capture->tail + start, HN_CAPTURE_HALF - start);
    write_file(capture, capture->tail, start);
}

uint64_t hn_capture_settle(struct hn_capture *capture)
{
    const uint64_t total = capture->total;
    if (capture->tail)
        write_tail(capture);
    if (capture->file >= 0)
        close(capture->file);
    free(capture->tail);
    capture->tail = NULL;
    capture->file = -1;
    capture->total = 0;
    capture->path[0] = '\0';
    return total;
}

void hn_capture_finish(struct hn_capture *capture)
{
    hn_capture_settle(capture);
    if (capture->pipe >= 0)
        close(capture->pipe);
    capture->pipe = -1;
}
