/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shared_memory.h. Called by job_process.c, around each process of a job.
 */
#include "shared_memory.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/dev/shm"
#define NAME_SIZE 300

void hn_shared_memory_look(struct hn_shared_memory *before)
{
    DIR *folder = opendir(FOLDER);
    before->count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)); before->count++)
        if (before->count < HN_SHARED_MOST)
            before->known[before->count] = entry->d_ino;
    if (folder)
        closedir(folder);
}

static int is_known(const struct hn_shared_memory *before, ino_t inode)
{
    for (size_t i = 0; i < before->count; i++)
        if (before->known[i] == inode)
            return 1;
    return 0;
}

/* ---- files in /dev/shm */

static int is_mapped(const char *pid, const char *file)
{
    char path[64], line[NAME_SIZE + 200];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    FILE *maps = fopen(path, "re");
    while (!found && maps && fgets(line, sizeof line, maps))
        found = strstr(line, file) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

static int is_open(const char *pid, const char *file)
{
    char path[64], target[NAME_SIZE];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *files = opendir(path);
    for (struct dirent *entry; !found && files && (entry = readdir(files));) {
        const ssize_t length = readlinkat(dirfd(files), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        found = strcmp(target, file) == 0;
    }
    if (files)
        closedir(files);
    return found;
}

static int is_used(const char *file)
{
    int found = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; !found && proc && (entry = readdir(proc));)
        found = isdigit((unsigned char)entry->d_name[0]) &&
                (is_open(entry->d_name, file) || is_mapped(entry->d_name, file));
    if (proc)
        closedir(proc);
    return found;
}

/* Looked at last: who uses it may have removed it meanwhile. */
static int is_ours(const char *file, ino_t inode, long long *bytes)
{
    struct stat facts;
    if (lstat(file, &facts) != 0 || facts.st_ino != inode || !S_ISREG(facts.st_mode) ||
        facts.st_uid != geteuid())
        return 0;
    *bytes = facts.st_size;
    return 1;
}

static void add(char *text, size_t size, const char *words)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? "; " : "", words);
}

static void find_files(const struct hn_shared_memory *before, char *text, size_t size)
{
    char file[NAME_SIZE], words[NAME_SIZE + 100];
    long long bytes;
    DIR *folder = before->count <= HN_SHARED_MOST ? opendir(FOLDER) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(file, sizeof file, FOLDER "/%s", entry->d_name);
        if (is_known(before, entry->d_ino) || is_used(file) || !is_ours(file, entry->d_ino, &bytes))
            continue;
        snprintf(words, sizeof words,
                 "%s (%lld bytes) appeared while this check ran and is open in no process", file,
                 bytes);
        add(text, size, words);
    }
    if (folder)
        closedir(folder);
}

/* ---- segments of System V */

static void remove_segments(pid_t job, char *text, size_t size)
{
    char line[512], words[120];
    FILE *segments = fopen("/proc/sysvipc/shm", "re");
    while (segments && fgets(line, sizeof line, segments)) {
        int id;
        long long bytes, maker;
        if (sscanf(line, "%*d %d %*o %lld %lld", &id, &bytes, &maker) != 3 || maker != job ||
            shmctl(id, IPC_RMID, NULL) != 0)
            continue;
        snprintf(words, sizeof words, "shared memory segment %d (%lld bytes), removed now", id,
                 bytes);
        add(text, size, words);
    }
    if (segments)
        fclose(segments);
}

void hn_shared_memory_left(const struct hn_shared_memory *before, pid_t job, char *text,
                           size_t size)
{
    text[0] = '\0';
    remove_segments(job, text, size);
    find_files(before, text, size);
}
