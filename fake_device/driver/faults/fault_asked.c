/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See fault_asked.h. The file is opened for each name. If a descriptor were kept, the program might
 * close it and reuse its number for another file.
 */
#include "fault_asked.h"

#include "error.h"
#include "fault_table.h"
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char kept_in[PATH_MAX];
static atomic_uchar asked[FD_LARGEST_FAULT_TABLE];

static int append(const char *text, size_t length)
{
    const int file = open(kept_in, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0)
        return -1;
    const int whole = write(file, text, length) == (ssize_t)length;
    close(file);
    return whole ? 0 : -1;
}

int fd_asked_keep(const char *file, char *message, size_t message_size)
{
    if (*file && (*file != '/' || strlen(file) >= sizeof kept_in)) {
        (void)snprintf(message, message_size, "FAKEDEV_ASKED is \"%.60s\", not an absolute path",
                       file);
        return -1;
    }
    memcpy(kept_in, file, strlen(file) + 1);
    memset(asked, 0, sizeof asked);
    if (!*file || append("", 0) == 0)
        return 0;
    (void)snprintf(message, message_size, "FAKEDEV_ASKED: cannot write %.200s: %s", file,
                   strerror(errno));
    *kept_in = '\0';
    return -1;
}

int32_t fd_asked_is_kept(void)
{
    return *kept_in != '\0';
}

void fd_asked(size_t index, const char *name)
{
    char line[FD_NAME_SIZE + 2];
    const int before = errno;
    if (!*kept_in || atomic_exchange(&asked[index], 1))
        return;
    const int length = snprintf(line, sizeof line, "%s\n", name);
    if (append(line, (size_t)length) != 0)
        /* the write failed (for example, no free descriptor): the next query tries again */
        atomic_store(&asked[index], 0);
    errno = before;
}

/* Creates a file without a name. Programs started later open it through /proc/<this process>/fd. */
fd_status fd_asked_watch(void)
{
    char path[64], message[320];
    if (*kept_in)
        return FD_OK;
    const int file = memfd_create("fakedev-asked", MFD_CLOEXEC);
    if (file < 0)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "watch faults: %s", strerror(errno));
    (void)snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    if (fd_asked_keep(path, message, sizeof message) != 0) {
        close(file);
        return fd_fail(FD_ERROR_NOT_SUPPORTED, "%s", message);
    }
    if (setenv("FAKEDEV_ASKED", path, 1) != 0)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "watch faults: no room in the environment");
    return FD_OK;
}

int32_t fd_asked_answer(const char *name)
{
    char line[FD_NAME_SIZE + 2];
    int32_t found = 0;
    FILE *file = *kept_in ? fopen(kept_in, "re") : NULL;
    if (!file)
        return -1;
    while (!found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, name) == 0;
    }
    (void)fclose(file);
    return found;
}
