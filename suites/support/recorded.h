/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams and events of the backend, for checks that need them. If a backend clearly refuses to
 * create a stream or an event, it lacks the capability, and the check ends.
 */
#ifndef ASSAY_RECORDED_H
#define ASSAY_RECORDED_H

#include "expect.h"

/* The device that PyTorch passes for an event that was never recorded. */
#define ASSAY_NOWHERE (-1)

/* A new stream of the device. */
#define assay_new_stream(check, device) assay_make_stream(ASSAY_LINE(check), (device))
struct bridge_stream assay_make_stream(struct assay_line at, int32_t device);
/* The default stream of the device, and a stream of its pool. */
#define assay_default_stream(check, device) assay_find_default_stream(ASSAY_LINE(check), (device))
struct bridge_stream assay_find_default_stream(struct assay_line at, int32_t device);
#define assay_pool_stream(check, device, high)                                                     \
    assay_take_pool_stream(ASSAY_LINE(check), (device), (high))
struct bridge_stream assay_take_pool_stream(struct assay_line at, int32_t device, int32_t high);
/* The current stream of the device, which becomes the current device. */
#define assay_enter_stream(check, device) assay_stream_entered(ASSAY_LINE(check), (device))
struct bridge_stream assay_stream_entered(struct assay_line at, int32_t device);
/* A new event, recorded on the stream. */
#define assay_record(check, stream) assay_recorded(ASSAY_LINE(check), (stream))
void *assay_recorded(struct assay_line at, struct bridge_stream stream);
/* Like assay_record, with a time stamp. */
#define assay_record_time(check, stream) assay_recorded_with_time(ASSAY_LINE(check), (stream))
void *assay_recorded_with_time(struct assay_line at, struct bridge_stream stream);
/* Returns the milliseconds from one event to the other. `device` is the device of the first
 * event. */
#define assay_milliseconds(check, start, end, device)                                              \
    assay_elapsed(ASSAY_LINE(check), (start), (end), (device))
double assay_elapsed(struct assay_line at, void *start, void *end, int32_t device);
/* Returns the result of queryEvent. */
#define assay_is_complete(check, event) assay_event_complete(ASSAY_LINE(check), (event))
int assay_event_complete(struct assay_line at, void *event);

#endif
