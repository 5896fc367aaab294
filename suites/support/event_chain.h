/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work that consists of events alone: two streams wait for each other's events many times. If the
 * backend's streams are queues, this work continues after its calls have returned, even if every
 * kernel finishes within its call.
 */
#ifndef ASSAY_EVENT_CHAIN_H
#define ASSAY_EVENT_CHAIN_H

#include "expect.h"

struct assay_event_chain {
    struct bridge_stream there, back; /* two streams of the same device */
    int64_t links;                    /* the events of one piece of work */
};

/* Enqueues the events of one piece, in order. */
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
/* [any] Returns whether at least a quarter of the piece is still pending. An event that cannot be
 * queried counts as complete. */
int assay_chain_piece_goes_on(const struct assay_chain_piece *piece);
/* [any] Returns when the whole piece is done, or after half of the check's time. */
void assay_chain_piece_wait(struct assay_check *check, const struct assay_chain_piece *piece);
void assay_chain_piece_free(struct assay_chain_piece *piece);

/* [any] Returns whether the event is complete or cannot be queried. */
int assay_event_says_complete(void *event);

#endif
