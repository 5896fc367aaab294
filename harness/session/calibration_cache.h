/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores the result of a calibration in the user's cache, for later runs with the same target
 * files, torch, profile, environment and boot of the machine. If the cache cannot be read or
 * written, or is deleted, the next run calibrates again.
 */
#ifndef HN_CALIBRATION_CACHE_H
#define HN_CALIBRATION_CACHE_H

#include "calibrate.h"
#include "file.h"
#include "interpreter.h"

/* Gets the path of the cached calibration or, if `mode` is given, of the cached description in that
 * mode. The path is "" if nothing can be cached, because the files of the target are not known. */
void hn_calibration_place(const struct hn_run_input *input, const struct hn_places *places,
                          const char *stamp, const char *mode, char path[HN_PATH_SIZE]);
/* Returns 1 and fills `calibration` if there is a cached result; else returns 0. */
int hn_calibration_recall(const char *path, struct hn_calibration *calibration);
void hn_calibration_keep(const char *path, const struct hn_calibration *calibration);
/* Removes a wrong cached result. */
void hn_calibration_forget(const char *path);

/* Returns 0 if the next run should calibrate again: there is no result, or the calibration was too
 * slow on a machine whose processors were all busy. */
int hn_calibration_lasts(const struct hn_calibration *calibration, double load, long processors);

#endif
