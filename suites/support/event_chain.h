/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work of events alone: two streams hand on to each other, each waiting for an event of the other, many times. It goes on after
 * its calls wherever streams are queues, also where every kernel is done within its call.
 */
#ifndef ASSAY_EVENT_CHAIN_H
#define ASSAY_EVENT_CHAIN_H

#include "expect.h"

struct assay_event_chain {
    struct bridge_stream there, back; /* of one device */
    int64_t links;                    /* of one piece of work */
};

/* Events of one piece, in their order. */
struct assay_chain_piece {
    void **events;
    int64_t count;
    int32_t device;
};

int32_t assay_event_chain_make(int32_t device, struct assay_event_chain *chain);
int32_t assay_event_chain_give(const struct assay_event_chain *chain,
                               struct assay_chain_piece *piece);
/* The last event of the piece. */
void *assay_chain_piece_end(const struct assay_chain_piece *piece);
/* [any] Whether a good part of the piece is still to be done. An event that cannot be asked counts as complete. */
int assay_chain_piece_goes_on(const struct assay_chain_piece *piece);
/* [any] Returns when all of it is done, or half of the check's time is over. */
void assay_chain_piece_wait(struct assay_check *check, const struct assay_chain_piece *piece);
void assay_chain_piece_free(struct assay_chain_piece *piece);

/* [any] Whether the event says that it is complete, or cannot be asked. */
int assay_event_says_complete(void *event);

#endif
