/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See event_chain.h.
 */
#include "event_chain.h"

#include <poll.h>
#include <stdlib.h>

enum { FEW_LINKS = 64, EVENTS_EACH = 2 };

int32_t assay_event_chain_make(int32_t device, struct assay_event_chain *chain)
{
    *chain = (struct assay_event_chain){.links = FEW_LINKS};
    chain->there = bridge_stream_new(device, 0);
    if (chain->there.status == ASSAY_OK)
        chain->back = bridge_stream_new(device, 0);
    return chain->there.status != ASSAY_OK ? chain->there.status : chain->back.status;
}

static int32_t hand_on(struct assay_chain_piece *piece, struct bridge_stream from,
                       struct bridge_stream to)
{
    void *event = NULL;
    int32_t status = bridge_event_record(&event, from, -1, BRIDGE_EVENT_DEFAULT);
    if (status == ASSAY_OK)
        status = bridge_event_block(event, to);
    if (event)
        piece->events[piece->count++] = event;
    return status;
}

int32_t assay_event_chain_give(const struct assay_event_chain *chain,
                               struct assay_chain_piece *piece)
{
    int32_t status = ASSAY_OK;
    *piece = (struct assay_chain_piece){.device = chain->there.device};
    piece->events = calloc((size_t)chain->links * EVENTS_EACH, sizeof *piece->events);
    if (!piece->events)
        return ASSAY_ENOMEM;
    for (int64_t i = 0; i < chain->links && status == ASSAY_OK; i++) {
        status = hand_on(piece, chain->there, chain->back);
        if (status == ASSAY_OK)
            status = hand_on(piece, chain->back, chain->there);
    }
    return status;
}

void *assay_chain_piece_end(const struct assay_chain_piece *piece)
{
    return piece->count ? piece->events[piece->count - 1] : NULL;
}

int assay_event_says_complete(void *event)
{
    int32_t complete = 1;
    return !event || bridge_event_query(event, &complete) != ASSAY_OK || complete;
}

/* Queries the event at three quarters of the chain, because the last event may complete before a
 * late query. */
int assay_chain_piece_goes_on(const struct assay_chain_piece *piece)
{
    return piece->count > 0 && !assay_event_says_complete(piece->events[piece->count * 3 / 4]);
}

void assay_chain_piece_wait(struct assay_check *check, const struct assay_chain_piece *piece)
{
    const int64_t half = check->host->milliseconds_left(check) / 2;
    while (!assay_event_says_complete(assay_chain_piece_end(piece)) &&
           check->host->milliseconds_left(check) > half)
        poll(NULL, 0, 1); /* the device may need this processor */
}

void assay_chain_piece_free(struct assay_chain_piece *piece)
{
    for (int64_t i = 0; i < piece->count; i++)
        bridge_event_destroy(piece->events[i], piece->device);
    free(piece->events);
    *piece = (struct assay_chain_piece){0};
}
