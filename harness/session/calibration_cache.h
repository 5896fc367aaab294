/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of a calibration, stored in the user's cache for later runs with the same files of the
 * target, torch, profile, environment and boot of the machine. If a file cannot be read or
 * written, there is no cached result. If a file is deleted, the next run calibrates again.
 */
#ifndef HN_CALIBRATION_CACHE_H
#define HN_CALIBRATION_CACHE_H

#include "calibrate.h"
#include "file.h"
#include "interpreter.h"

/* The path of the cached result. `mode`: only the description in that mode; NULL: a calibration.
 * "" if nothing can be cached, because the files of the target are not known. */
void hn_calibration_place(const struct hn_run_input *input, const struct hn_places *places,
                          const char *stamp, const char *mode, char path[HN_PATH_SIZE]);
/* Returns 1 and fills `calibration` if there is a cached result; otherwise that is unchanged. */
int hn_calibration_recall(const char *path, struct hn_calibration *calibration);
void hn_calibration_keep(const char *path, const struct hn_calibration *calibration);
/* Removes a cached result that was wrong. */
void hn_calibration_forget(const char *path);

/* Returns 0 for a calibration that another run should repeat: it had no result, or it was
 * decided by time on a machine whose processors were all busy. */
int hn_calibration_lasts(const struct hn_calibration *calibration, double load, long processors);

#endif
