/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See fault_asked.h. The file is opened for each name: a descriptor that is kept might be closed by
 * the program, and its number be given to something of the program's own.
 */
#include "fault_asked.h"

#include "fault_table.h"
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
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
        atomic_store(&asked[index], 0); /* out of descriptors, say: the next question tries again */
    errno = before;
}
