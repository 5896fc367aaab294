/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See last_words.h.
 */
#include "last_words.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#define TAIL 4096

void hn_last_words(const char *folder, const char *file, char *words, size_t size)
{
    char path[HN_PATH_SIZE], tail[TAIL];
    words[0] = '\0';
    if (hn_path_join(path, sizeof path, folder, file, NULL) != HN_OK)
        return;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return;
    const off_t length = lseek(descriptor, 0, SEEK_END);
    ssize_t end = pread(descriptor, tail, sizeof tail, length > TAIL ? length - TAIL : 0);
    close(descriptor);
    while (end > 0 && (isspace((unsigned char)tail[end - 1]) || tail[end - 1] == '\0'))
        end--;
    ssize_t start = end;
    while (start > 0 && tail[start - 1] != '\n' && tail[start - 1] != '\0')
        start--;
    while (start < end && isspace((unsigned char)tail[start]))
        start++;
    if (end > 0)
        snprintf(words, size, "%.*s", (int)(end - start), tail + start);
}
