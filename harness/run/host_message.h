/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The supervisor's half of the protocol with a host: writes SETUP and RUN, reads FINISHED. The
 * other half is host/wire/request.c.
 */
#ifndef HN_HOST_MESSAGE_H
#define HN_HOST_MESSAGE_H

#include "outcome.h"
#include "wire.h"

#define HN_NONCE_SIZE 33
#define HN_MORE_TIMES 4 /* as often a check may pass its deadline while a compiler works for it */
#define HN_LATE_TIMES 3 /* as much time for a check whose deadline passed once */

/* `host`: its number; where a device is there for one process at a time, that one comes first. */
void hn_message_setup(struct hn_wire *message, const struct hn_run_input *input, const char *mode,
                      size_t host);

/* One job of a RUN message. */
struct hn_job_order {
    const struct hn_task *task;
    char folder[1024]; /* absolute */
    char nonce[HN_NONCE_SIZE];
    uint64_t seed;
    const char *look; /* why it is a second look (orders.h); NULL: it is none */
    int late;         /* with more time */
};
void hn_message_run(struct hn_wire *message, const struct hn_run_input *input,
                    const struct hn_job_order *jobs, size_t count);

void hn_message_ending(const struct hn_wire *message, struct hn_ending *ending);

/* A number nobody inside the job can guess before it is told. 0, or -1. */
int hn_nonce_make(char nonce[HN_NONCE_SIZE]);
/* The seed of a check: of the run and its id, so that order and selection do not change it. */
uint64_t hn_job_seed(uint64_t run_seed, const char *id);
/* A deadline of the profile under the user's scale; 0 stays 0. */
int64_t hn_scaled_ms(const struct hn_run_input *input, int64_t milliseconds);

#endif
