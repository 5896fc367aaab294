/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts between c10::Stream and fd_stream. A c10::Stream is three numbers (device type, index,
 * id), which core copies and stores freely. The driver's handle is looked up by (device, id) each
 * time.
 */
#pragma once

#include <c10/core/Stream.h>
#include <fakedev.h>

namespace fakedev
{

/* Throws for a stream of another device type, an index out of range, or an id that was never
 * created. */
fd_stream *to_driver(const c10::Stream &stream);
c10::Stream to_torch(const fd_stream *stream);

/* Returns the handle of this thread's current stream of the device, to which kernels enqueue. Marks
 * the device as used. */
fd_stream *current_stream(c10::DeviceIndex index);

/* Functions for the guard. An index of -1 means the current device. */
c10::Stream get_current_stream(c10::DeviceIndex index);
c10::Stream get_default_stream(c10::DeviceIndex index);
c10::Stream get_new_stream(c10::DeviceIndex index, int priority);
c10::Stream exchange_stream(const c10::Stream &stream);
bool query_stream(const c10::Stream &stream);
void synchronize_stream(const c10::Stream &stream);
bool is_capturing(const c10::Stream &stream);

} // namespace fakedev
