/* SPDX-License-Identifier: BSD-3-Clause
 *
 * c10::Stream <-> fd_stream. A c10::Stream is three numbers (device type, index, id) that are
 * copied, kept and rebuilt freely; the driver's handle is found again by (device, id) each time.
 */
#pragma once

#include <c10/core/Stream.h>
#include <fakedev.h>

namespace fakedev
{

/* Throws for a stream of another device type, an index out of range or an id never made. */
fd_stream *to_driver(const c10::Stream &stream);
c10::Stream to_torch(const fd_stream *stream);

/* The handle kernels enqueue to: this thread's current stream of that device. Counts as use. */
fd_stream *current_stream(c10::DeviceIndex index);

/* Calls that the guard forwards. An index of -1 means the current device. */
c10::Stream get_current_stream(c10::DeviceIndex index);
c10::Stream get_default_stream(c10::DeviceIndex index);
c10::Stream get_new_stream(c10::DeviceIndex index, int priority);
c10::Stream exchange_stream(const c10::Stream &stream);
bool query_stream(const c10::Stream &stream);
void synchronize_stream(const c10::Stream &stream);
bool is_capturing(const c10::Stream &stream);

} // namespace fakedev
