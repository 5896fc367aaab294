/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The supervisor's half of the protocol with a host. This half writes SETUP and RUN, and reads
 * FINISHED. The host's half is host/wire/request.c, which must agree with it.
 */
#ifndef HN_HOST_MESSAGE_H
#define HN_HOST_MESSAGE_H

#include "outcome.h"
#include "wire.h"

#define HN_NONCE_SIZE 33
/* factor for the deadline of a check while a compiler works for it */
#define HN_MORE_TIMES 4
#define HN_LATE_TIMES 3 /* factor for the deadline of a check that exceeded it once */

/* `host`: the number of the host. If a device serves one process at a time, each host starts
 * with the device of that number. */
void hn_message_setup(struct hn_wire *message, const struct hn_run_input *input, const char *mode,
                      size_t host);

/* One job of a RUN message. */
struct hn_job_order {
    const struct hn_task *task;
    char folder[1024]; /* absolute */
    char nonce[HN_NONCE_SIZE];
    uint64_t seed;
    const char *look; /* the kind of second look (orders.h); NULL: it is none */
    int late;         /* with the longer deadline */
};
void hn_message_run(struct hn_wire *message, const struct hn_run_input *input,
                    const struct hn_job_order *jobs, size_t count);

void hn_message_ending(const struct hn_wire *message, struct hn_ending *ending);

/* Makes a random number that code in a job cannot guess. Returns 0, or -1. */
int hn_nonce_make(char nonce[HN_NONCE_SIZE]);
/* Returns the seed of a check. The seed depends only on the run and the id, so that order and
 * selection do not change it. */
uint64_t hn_job_seed(uint64_t run_seed, const char *id);
/* Returns a deadline of the profile, multiplied by the user's scale; 0 stays 0. */
int64_t hn_scaled_ms(const struct hn_run_input *input, int64_t milliseconds);

#endif
