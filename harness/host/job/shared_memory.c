/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shared_memory.h. Called by job_process.c, around each process of a job.
 */
#include "shared_memory.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#define SEGMENTS "/proc/sysvipc/shm"
#define MOST 512

static struct {
    size_t count; /* more than MOST: too many segments, or the list could not be read */
    int ids[MOST];
} before;

static int was_there(int id)
{
    for (size_t i = 0; i < before.count; i++)
        if (before.ids[i] == id)
            return 1;
    return 0;
}

/* Parses one line of SEGMENTS. Returns 0 for the heading. */
static int read_segment(const char *line, int *id, long long *bytes, long long *maker)
{
    return sscanf(line, "%*d %d %*o %lld %lld", id, bytes, maker) == 3;
}

void hn_shared_memory_look(void)
{
    char line[512];
    long long bytes, maker;
    FILE *segments = fopen(SEGMENTS, "re");
    before.count = segments || errno == ENOENT ? 0 : MOST + 1;
    for (int id; segments && fgets(line, sizeof line, segments);)
        if (read_segment(line, &id, &bytes, &maker) && before.count++ < MOST)
            before.ids[before.count - 1] = id;
    if (segments)
        fclose(segments);
}

void hn_shared_memory_remove(pid_t job, char *text, size_t size)
{
    char line[512];
    long long bytes, maker;
    size_t length = 0;
    text[0] = '\0';
    FILE *segments = before.count <= MOST ? fopen(SEGMENTS, "re") : NULL;
    for (int id; segments && fgets(line, sizeof line, segments);)
        if (read_segment(line, &id, &bytes, &maker) && maker == job && !was_there(id) &&
            shmctl(id, IPC_RMID, NULL) == 0 && length < size)
            length += (size_t)snprintf(text + length, size - length,
                                       "%sshared memory segment %d (%lld bytes), removed now",
                                       length ? "; " : "", id, bytes);
    if (segments)
        fclose(segments);
}
