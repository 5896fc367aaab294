/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the isolation mode of a target whose profile gives no mode. The mode is fork-loaded
 * only if throw-away processes show that fork-loaded is safe, else fork-clean. The warm-up also
 * happens here, so that no check pays for the first use of the device. Called by session/.
 */
#ifndef HN_CALIBRATE_H
#define HN_CALIBRATE_H

#include "input.h"
#include "outcome.h"

struct hn_calibration {
    const char *mode;              /* a string constant */
    char why[512];                 /* one sentence for the journal */
    struct hn_notes notes;         /* the notes of the target about itself */
    char refusal[HN_OUTCOME_TEXT]; /* why the target cannot be loaded; "": it can be loaded */
    int fell;                      /* a trial gave up fork-loaded */
    int too_slow; /* the trial was too slow; a less busy machine may give another mode */
    int stopped;  /* the signal that stopped the calibration, which then has no result */
};

/* Always chooses a mode. If the calibration fails, the mode is fork-clean, and `why` has the
 * reason. First a host that has loaded the target is inspected, which is cheap. Then checks are
 * tried in both modes; their number depends on the duration of the first use of the device. The
 * runs stay in the folder "calibration" of the run. */
void hn_calibrate(const struct hn_run_input *input, struct hn_calibration *calibration);

/* Does the warm-up only, in this mode: fills `notes` and `refusal`. */
void hn_describe(const struct hn_run_input *input, const char *mode,
                 struct hn_calibration *calibration);

#endif
