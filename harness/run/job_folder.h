/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The folder that holds a job's evidence: jobs/<id>, jobs/<id>.2 for its second attempt,
 * jobs/<id>@<switch> when a switch was on. Made
 * before the job, removed behind one that passed.
 */
#ifndef HN_JOB_FOLDER_H
#define HN_JOB_FOLDER_H

#include <stddef.h>

#include "hn_error.h"

/* Relative to the run's folder: "jobs/guard.x". `armed` may be NULL. */
void hn_job_folder_name(const char *id, const char *armed, int attempt, char *name, size_t size);
/* An empty folder; what an earlier life of the run left there is removed. */
int hn_job_folder_make(const char *path, struct hn_error *error);
/* The folder and all in it. What cannot be removed stays; a check may do that to us. */
void hn_job_folder_remove(const char *path);

#endif
