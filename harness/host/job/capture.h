/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies one output stream of a job from a pipe to a file in its folder, which gets the beginning
 * and the end of the output. Called by the host only. The file is created when the first byte
 * arrives.
 */
#ifndef HN_CAPTURE_H
#define HN_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#define HN_CAPTURE_HALF (512u << 10) /* bytes kept of the beginning and of the end */

struct hn_capture {
    int pipe; /* read end of the pipe, -1 when closed */
    int file; /* -1 until the first output */
    char path[1100];
    char *tail; /* ring of HN_CAPTURE_HALF bytes, allocated when the first half is full */
    uint64_t total;
};

/* Takes ownership of the read end. */
void hn_capture_init(struct hn_capture *capture, int pipe);
/* Writes later output to the file `name` in this job folder. */
void hn_capture_aim(struct hn_capture *capture, const char *folder, const char *name);
/* Reads the available output without waiting. Returns 1 if the pipe is still open, else 0. */
int hn_capture_drain(struct hn_capture *capture);
/* Writes the end of the output and closes the file. Returns the total number of bytes. */
uint64_t hn_capture_settle(struct hn_capture *capture);
void hn_capture_finish(struct hn_capture *capture);

#endif
