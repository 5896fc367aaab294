/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. A hostram device is ordinary host memory with a
 * device's name on it, and a thread that says when work is done.
 */
#ifndef HOSTRAM_H
#define HOSTRAM_H

#include "fleet_headers.h"

namespace hostram
{

constexpr c10::DeviceIndex kDevices = 2;

inline c10::Device device_of(c10::DeviceIndex index)
{
    return {c10::DeviceType::PrivateUse1, index};
}

/* hostram_runtime.cc */
c10::DeviceIndex current_device();
void set_current_device(c10::DeviceIndex index); /* throws for an index there is not */
void check_index(c10::DeviceIndex index);
void wait_for_work(); /* until everything queued so far is done */
bool has_run();
void start_work();

/* hostram_memory.cc */
c10::Allocator *allocator();
c10::DeviceIndex owner_of(const void *address); /* -1: not ours */

/* hostram_random.cc */
const at::Generator &default_generator(c10::DeviceIndex index);
at::Generator new_generator(c10::DeviceIndex index);

} // namespace hostram

#endif
