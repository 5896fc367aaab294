/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files and folders: reads whole files with a limit, replaces files atomically, creates folders
 * with their parents.
 */
#ifndef HN_FILE_H
#define HN_FILE_H

#include <stddef.h>

#include "arena.h"
#include "hn_error.h"

#define HN_PATH_SIZE 1024

/* Reads the whole file into memory that the caller frees, with a NUL at the end. Returns an
 * error for folders, devices and pipes, and for files of more than `limit` bytes (HN_ELIMIT).
 * `length` may be NULL. On failure the outputs are unchanged. */
int hn_file_read(const char *path, size_t limit, char **text, size_t *length,
                 struct hn_error *error);
/* Reads a file of lines. The text lies in the arena, and *lines is the number of line feeds plus
 * one. */
int hn_file_list(const char *path, size_t limit, struct hn_arena *arena, char **text, size_t *lines,
                 struct hn_error *error);
/* Replaces the file atomically: a reader sees the old or the new content, never a part of it. A
 * symbolic link stays a link. A device or a pipe is written in place; a pipe without a reader is an
 * error. In one process, only one thread at a time may write to a path. */
int hn_file_write(const char *path, const char *text, size_t length, struct hn_error *error);
/* Like hn_file_write, for a file inside the folder of a run. Such a folder may come from somebody
 * else, so a symbolic link with this name is replaced and its target stays unchanged. */
int hn_file_write_inside(const char *path, const char *text, size_t length, struct hn_error *error);
/* Like hn_file_write, for an output that the user has named. Returns HN_EINPUT if this process has
 * read the file, as after `assay gate --out runs/a/journal.jsonl`. */
int hn_file_output(const char *path, const char *text, size_t length, struct hn_error *error);
/* Marks an open file as read by this process. hn_file_read calls this function. */
void hn_file_is_read(int fd);
/* Creates the folder and its missing parents. Returns HN_OK if the folder exists already. */
int hn_dir_make(const char *path, struct hn_error *error);
/* Returns 1 if the path exists (as a file of any kind), else 0. */
int hn_path_exists(const char *path);
/* Writes "folder/name", or only `name` if it is absolute or if `folder` is "". HN_ELIMIT if the
 * path does not fit. */
int hn_path_join(char *path, size_t size, const char *folder, const char *name,
                 struct hn_error *error);

#endif
