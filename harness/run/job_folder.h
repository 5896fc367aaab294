/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The folder that holds the evidence of a job: jobs/<id>, jobs/<id>.2 for its second attempt,
 * jobs/<id>@<switch> if a switch was on. The supervisor makes the folder before the job, and
 * removes it if the job passed.
 */
#ifndef HN_JOB_FOLDER_H
#define HN_JOB_FOLDER_H

#include <stddef.h>

#include "hn_error.h"

/* Writes the name relative to the run's folder: "jobs/guard.x". `armed` may be NULL. */
void hn_job_folder_name(const char *id, const char *armed, int attempt, char *name, size_t size);
/* Makes an empty folder. Removes content that an interrupted run has left in the folder. */
int hn_job_folder_make(const char *path, struct hn_error *error);
/* Removes the folder and its content, except entries that a check has made impossible to remove. */
void hn_job_folder_remove(const char *path);

#endif
