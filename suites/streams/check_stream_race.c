/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads that create streams at the same time.
 */
#include "race.h"
#include "recorded.h"

/* FEW: rounds for a backend without a pool, which creates a queue for each stream. */
enum { ROUNDS = 20000, FEW = 300, TURNS = 160 };

struct makers {
    struct assay_check *check;
    int32_t device;
    struct bridge_stream made[2][ROUNDS];
};

static void make(void *context, uint32_t rival, uint32_t round)
{
    struct makers *const makers = context;
    makers->made[rival][round] = bridge_stream_new(makers->device, 0);
}

/* One thread creates streams in even rounds and the other in odd rounds. Between two calls, the
 * threads wait for each other. */
static void make_in_turn(void *context, uint32_t rival, uint32_t round)
{
    struct makers *const makers = context;
    if (round % 2 == rival)
        makers->made[0][round] = bridge_stream_new(makers->device, 0);
}

/* Returns whether all threads take streams from one pool, so that a thread never gets the stream
 * that another thread has just got. */
static int are_of_one_row(struct makers *makers)
{
    const uint32_t turns = assay_race(makers->check, TURNS, make_in_turn, makers,
                                      "threads that create streams in turn return");
    for (uint32_t i = 1; i < turns; i++)
        if (makers->made[0][i].status != ASSAY_OK ||
            makers->made[0][i].id == makers->made[0][i - 1].id)
            return 0;
    return turns > 1;
}

static int come_again(const struct makers *makers)
{
    for (uint32_t i = 1; i < TURNS; i++)
        if (makers->made[0][i].status == ASSAY_OK && makers->made[0][i].id == makers->made[0][0].id)
            return 1;
    return 0;
}

/* Stops when the device has no more streams. */
static int64_t got_the_same(const struct makers *makers, uint32_t rounds)
{
    int64_t twice = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        const struct bridge_stream one = makers->made[0][i], other = makers->made[1][i];
        if (one.status != ASSAY_OK || other.status != ASSAY_OK)
            break;
        twice += one.id == other.id;
    }
    return twice;
}

static void concurrent_threads_create_distinct_streams(struct assay_check *check)
{
    static struct makers makers;
    makers = (struct makers){.check = check, .device = assay_device(check, 0)};
    (void)assay_new_stream(check, makers.device);
    if (!are_of_one_row(&makers))
        assay_skip(check, "one pool of streams for all threads",
                   "each thread has its own sequence of streams");
    const uint32_t rounds = assay_race(check, come_again(&makers) ? ROUNDS : FEW, make, &makers,
                                       "threads that create streams at the same time return");
    assay_note_int(check, "rounds", rounds);
    expect_int(check, got_the_same(&makers, rounds), 0,
               "threads that create streams at the same time get different streams");
}

const struct assay_check_row stream_race_checks[] = {
    {"streams.concurrent_threads_create_distinct_streams",
     concurrent_threads_create_distinct_streams},
    {0},
};
