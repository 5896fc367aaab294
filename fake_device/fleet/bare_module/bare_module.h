/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. bare_module has two devices with statistics of their
 * memory, one queue that stands for a stream, and of a device module only what nobody can do without.
 */
#ifndef BARE_MODULE_H
#define BARE_MODULE_H

#include "fleet_headers.h"

namespace bare_module
{

constexpr c10::DeviceIndex kDevices = 2;

/* bare_module_device.cc */
c10::DeviceIndex active_device();
void activate(c10::DeviceIndex index); /* throws for one there is not */
void require(c10::DeviceIndex index);

/* bare_module_memory.cc */
c10::Allocator *pool();

} // namespace bare_module

#endif
