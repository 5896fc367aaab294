/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that damage their own evidence: their events and their folder.
 */
#include "torture_checks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void append_event(struct assay_check *check, const char *text)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/events.jsonl", check->scratch);
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        _exit(9);
    close(fd);
}

void torture_writes_garbage_event(struct assay_check *check)
{
    append_event(check, "\xff\x01{{{ not json\n");
}

void torture_writes_unknown_event(struct assay_check *check)
{
    append_event(check, "{\"event\":\"victory\"}\n");
}

void torture_forges_end(struct assay_check *check)
{
    append_event(check, "{\"event\":\"end\",\"nonce\":\"0123456789abcdef\",\"findings\":0}\n");
    _exit(0);
}

void torture_forges_end_and_ends(struct assay_check *check)
{
    append_event(check, "{\"event\":\"end\",\"nonce\":\"0123456789abcdef\",\"findings\":0}\n");
}

void torture_removes_evidence(struct assay_check *check)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/events.jsonl", check->scratch);
    unlink(path);
    snprintf(path, sizeof path, "%s/stack.txt", check->scratch); /* written by the Python host */
    unlink(path);
    snprintf(path, sizeof path, "%s/mark", check->scratch);
    unlink(path);
    rmdir(check->scratch);
}
