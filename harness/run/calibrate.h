/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the isolation of a target that does not say: fork-loaded only when it is shown to be safe
 * with throw-away processes, else fork-clean. Also the place of the warm-up, so that no check pays
 * for the first use of the device.
 */
#ifndef HN_CALIBRATE_H
#define HN_CALIBRATE_H

#include "input.h"
#include "outcome.h"

struct hn_calibration {
    const char *mode;              /* a constant */
    char why[512];                 /* one sentence for the journal */
    struct hn_notes notes;         /* what the target said of itself */
    char refusal[HN_OUTCOME_TEXT]; /* why it cannot be loaded; "": it can */
    int fell;                      /* it was found to be another mode than was asked for */
    int too_slow; /* by how long it took: another answer on a machine with less to do */
    int stopped;  /* by this signal: nothing was learnt */
};

/* Always chooses; a calibration that cannot be made chooses fork-clean and says so. What is cheap
 * decides first: a host that loads the target and is looked at. How many checks are then tried both
 * ways depends on how long the first use of the device took. Its runs stay in the folder
 * "calibration" of the run. */
void hn_calibrate(const struct hn_run_input *input, struct hn_calibration *calibration);

/* Only the warm-up, in this mode: fills `notes` and `refusal`. */
void hn_describe(const struct hn_run_input *input, const char *mode,
                 struct hn_calibration *calibration);

#endif
