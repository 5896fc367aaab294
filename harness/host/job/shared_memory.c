/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See shared_memory.h. Called by job_process.c, around each process of a job.
 */
#include "shared_memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FOLDER "/dev/shm"
#define SEGMENTS "/proc/sysvipc/shm"
#define NAME_SIZE 300
#define MOST 512
#define TOLD 4 /* files of one check; a number says how many more there are */

static struct {
    size_t file_count, segment_count; /* over MOST: too many, or nobody could look */
    uint64_t files[MOST];
    uint64_t segments[MOST];
} before;

static int is_among(uint64_t one, const uint64_t *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (known[i] == one)
            return 1;
    return 0;
}

/* One line of SEGMENTS; 0: it is the heading. */
static int read_segment(const char *line, int *id, long long *bytes, long long *maker)
{
    return sscanf(line, "%*d %d %*o %lld %lld", id, bytes, maker) == 3;
}

static void look_at_segments(void)
{
    char line[512];
    long long bytes, maker;
    FILE *segments = fopen(SEGMENTS, "re");
    before.segment_count = segments || errno == ENOENT ? 0 : MOST + 1;
    for (int id; segments && fgets(line, sizeof line, segments);)
        if (read_segment(line, &id, &bytes, &maker) && before.segment_count++ < MOST)
            before.segments[before.segment_count - 1] = (uint64_t)id;
    if (segments)
        fclose(segments);
}

void hn_shared_memory_look(void)
{
    DIR *folder = opendir(FOLDER);
    before.file_count = folder || errno == ENOENT ? 0 : MOST + 1;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (before.file_count++ < MOST)
            before.files[before.file_count - 1] = entry->d_ino;
    if (folder)
        closedir(folder);
    look_at_segments();
}

/* ---- files in /dev/shm */

struct file {
    char path[NAME_SIZE];
    struct stat facts;
    int used;
};

struct files {
    size_t count;
    struct file items[64];
};

static void find_new(struct files *found)
{
    DIR *folder = opendir(FOLDER);
    const size_t most = sizeof found->items / sizeof *found->items;
    for (struct dirent *entry; folder && found->count < most && (entry = readdir(folder));) {
        struct file *file = &found->items[found->count];
        snprintf(file->path, sizeof file->path, FOLDER "/%s", entry->d_name);
        file->used = 0;
        if (!is_among(entry->d_ino, before.files, before.file_count) &&
            lstat(file->path, &file->facts) == 0 && S_ISREG(file->facts.st_mode) &&
            file->facts.st_uid == geteuid())
            found->count++;
    }
    if (folder)
        closedir(folder);
}

/* By its inode: what a process has open may have been made under another name. */
static void mark(struct files *files, dev_t device, ino_t inode)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].facts.st_dev == device && files->items[i].facts.st_ino == inode)
            files->items[i].used = 1;
}

static void mark_mapped(const char *pid, struct files *files)
{
    char path[64], line[NAME_SIZE + 200];
    unsigned high, low;
    unsigned long inode;
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%*s %*s %*s %x:%x %lu", &high, &low, &inode) == 3)
            mark(files, makedev(high, low), (ino_t)inode);
    if (maps)
        fclose(maps);
}

/* Only then is it looked at: of a file on a server that is gone nobody would hear again. */
static int is_in_folder(int numbers, const char *name)
{
    char target[sizeof FOLDER + 1] = "";
    return readlinkat(numbers, name, target, sizeof FOLDER) == sizeof FOLDER &&
           (strcmp(target, FOLDER "/") == 0 || strcmp(target, "/run/shm/") == 0);
}

static void mark_open(const char *pid, struct files *files)
{
    char path[64];
    struct stat facts;
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *numbers = opendir(path);
    for (struct dirent *entry; numbers && (entry = readdir(numbers));)
        if (is_in_folder(dirfd(numbers), entry->d_name) &&
            fstatat(dirfd(numbers), entry->d_name, &facts, 0) == 0)
            mark(files, facts.st_dev, facts.st_ino);
    if (numbers)
        closedir(numbers);
}

/* 0, or -1 where nobody can see who has what open. */
static int mark_used(struct files *files)
{
    DIR *proc = opendir("/proc");
    if (!proc)
        return -1;
    for (struct dirent *entry; (entry = readdir(proc));) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        mark_open(entry->d_name, files);
        mark_mapped(entry->d_name, files);
    }
    closedir(proc);
    return 0;
}

/* Looks once more: its user may have removed it meanwhile. */
static int is_left(const struct file *file)
{
    struct stat now;
    return !file->used && lstat(file->path, &now) == 0 && now.st_ino == file->facts.st_ino;
}

static void tell_files(const struct files *files, char *text, size_t size)
{
    size_t told = 0, length = strlen(text);
    for (size_t i = 0; i < files->count; i++) {
        const struct file *file = &files->items[i];
        if (!is_left(file) || told++ >= TOLD || length >= size)
            continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s (%lld bytes)",
                                   told == 1 ? "it had these open at its end, and nobody has now: "
                                             : ", ",
                                   file->path, (long long)file->facts.st_size);
    }
    if (told > TOLD && length < size)
        snprintf(text + length, size - length, " and %zu more", told - TOLD);
}

/* ---- segments of System V */

static void remove_segments(pid_t job, char *text, size_t size)
{
    char line[512];
    long long bytes, maker;
    size_t length = strlen(text);
    FILE *segments = fopen(SEGMENTS, "re");
    for (int id; segments && fgets(line, sizeof line, segments);)
        if (read_segment(line, &id, &bytes, &maker) && maker == job &&
            !is_among((uint64_t)id, before.segments, before.segment_count) &&
            shmctl(id, IPC_RMID, NULL) == 0 && length < size)
            length += (size_t)snprintf(text + length, size - length,
                                       "%sshared memory segment %d (%lld bytes), removed now",
                                       length ? "; " : "", id, bytes);
    if (segments)
        fclose(segments);
}

/* ---- what the host and the job ask */

static struct files files; /* large; one process asks once at a time */

static void find_files(void)
{
    files.count = 0;
    if (before.file_count <= MOST)
        find_new(&files);
}

size_t hn_shared_memory_held(uint64_t *inodes, size_t most)
{
    size_t count = 0;
    find_files();
    if (files.count == 0)
        return 0;
    mark_open("self", &files);
    mark_mapped("self", &files);
    for (size_t i = 0; i < files.count && count < most; i++)
        if (files.items[i].used)
            inodes[count++] = files.items[i].facts.st_ino;
    return count;
}

static void keep_held(const uint64_t *held, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < files.count; i++)
        if (is_among(files.items[i].facts.st_ino, held, count))
            files.items[kept++] = files.items[i];
    files.count = kept;
}

void hn_shared_memory_left(pid_t job, const uint64_t *held, size_t count, char *text, size_t size)
{
    text[0] = '\0';
    if (before.segment_count <= MOST)
        remove_segments(job, text, size);
    if (count == 0)
        return;
    find_files();
    keep_held(held, count);
    if (files.count > 0 && mark_used(&files) == 0)
        tell_files(&files, text, size);
}
