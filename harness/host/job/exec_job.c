/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Passes setup and request to a new program through a memfd. See exec_job.h.
 */
#include "exec_job.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bare_process.h"

#define ARGUMENTS 32

static int write_request(const struct hn_setup *setup, const struct hn_wire *request, int progress)
{
    struct hn_wire channel = {0};
    const int file = memfd_create("assay-job", 0);
    if (file < 0)
        return -1;
    hn_wire_begin(&channel, HN_WIRE_READY);
    hn_wire_add_number(&channel, "progress", progress);
    hn_wire_add_number(&channel, "bare", hn_bare_requests());
    const int failed = hn_wire_send(file, &setup->message) != 0 ||
                       hn_wire_send(file, &channel) != 0 || hn_wire_send(file, request) != 0 ||
                       lseek(file, 0, SEEK_SET) != 0;
    hn_wire_finish(&channel);
    if (!failed)
        return file;
    close(file);
    return -1;
}

void hn_exec_job(const struct hn_setup *setup, const struct hn_wire *request,
                 const char *const *program, int progress)
{
    const char *arguments[ARGUMENTS + 2];
    char job[24];
    size_t count = 0;
    const int file = write_request(setup, request, progress);
    if (file < 0)
        return;
    for (size_t i = 0; i < setup->under_count && count < ARGUMENTS; i++)
        arguments[count++] = setup->under[i];
    for (size_t i = 0; program[i] && count < ARGUMENTS; i++)
        arguments[count++] = program[i];
    snprintf(job, sizeof job, "--job=%d", file);
    arguments[count++] = job;
    arguments[count] = NULL;
    fcntl(progress, F_SETFD, 0);
    if (hn_bare_requests() >= 0)
        fcntl(hn_bare_requests(), F_SETFD, 0);
    /* execvp takes pointers without const, and promises not to write through them. */
    execvp(arguments[0], (char *const *)(uintptr_t)arguments);
}
