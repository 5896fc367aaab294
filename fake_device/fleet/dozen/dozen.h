/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. dozen is an accelerator in its first month: two
 * devices of one gibibyte, twelve operators on contiguous float32, nothing behind them.
 */
#ifndef DOZEN_H
#define DOZEN_H

#include "fleet_headers.h"

namespace dozen
{

constexpr int kDevices = 2;

/* dozen_devices.cc */
int current_device();
void switch_device(int index);               /* throws for a device there is not */
c10::Device real_device(c10::Device device); /* "dozen" becomes the current device */

/* dozen_memory.cc */
c10::DataPtr make_block(size_t size, c10::Device device);
c10::Allocator *allocator_for(c10::Device device); /* valid until the next call on this thread */

} // namespace dozen

#endif
