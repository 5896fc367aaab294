/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings of a calibration, kept in the user's cache for later runs: of the same files of the
 * target, the same torch, profile, environment and boot of the machine. Whatever cannot be read or
 * written is as if it were not there; deleting a file makes the next run calibrate anew.
 */
#ifndef HN_CALIBRATION_CACHE_H
#define HN_CALIBRATION_CACHE_H

#include "calibrate.h"
#include "file.h"
#include "interpreter.h"

/* Where it is kept. `mode`: only the description in that mode; NULL: a calibration. "" when nothing
 * is kept, because nobody knows which files the target consists of. */
void hn_calibration_place(const struct hn_run_input *input, const struct hn_places *places,
                          const char *stamp, const char *mode, char path[HN_PATH_SIZE]);
/* 1: it was there and fills `calibration`; else that is untouched. */
int hn_calibration_recall(const char *path, struct hn_calibration *calibration);
void hn_calibration_keep(const char *path, const struct hn_calibration *calibration);
/* It has turned out to be wrong. */
void hn_calibration_forget(const char *path);

/* 0 for one that another run should make again: nothing was learnt, or it was decided by time on a machine whose
 * processors all had work. */
int hn_calibration_lasts(const struct hn_calibration *calibration, double load, long processors);

#endif
