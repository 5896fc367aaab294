/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event functions for the guard. An event is the driver's handle as a void pointer. Core stores
 * this pointer and destroys the event exactly once. For an event that was never recorded, or was
 * moved from, core passes null.
 */
#pragma once

#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace fakedev
{

void record_event(void **event, const c10::Stream &stream, c10::DeviceIndex index,
                  c10::EventFlag flag);
void block_stream(void *event, const c10::Stream &stream);
bool query_event(void *event);
void synchronize_event(void *event);
double elapsed_milliseconds(void *start, void *end);
void destroy_event(void *event) noexcept;

} // namespace fakedev
