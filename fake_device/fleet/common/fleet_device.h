/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices of a backend, the current device of each thread, and the registration with PyTorch.
 * Every backend in C++ defines `fleet::backend`; all other files in common/ read it.
 */
#ifndef FLEET_DEVICE_H
#define FLEET_DEVICE_H

#include "fleet_headers.h"

namespace fleet
{

struct Backend {
    const char *name;
    c10::DeviceIndex devices;
};

/* Must be defined as constinit, because it is read while the library is being loaded. */
extern const Backend backend;

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

c10::Device device(c10::DeviceIndex index); /* does not check the index */
bool is_device(c10::DeviceIndex index) noexcept;
void check_index(c10::DeviceIndex index);          /* throws if there is no such device */
c10::DeviceIndex resolved(c10::DeviceIndex index); /* checks the index; -1 is the current device */
c10::DeviceIndex current_device() noexcept;        /* of the calling thread */
void set_current_device(c10::DeviceIndex index);   /* throws if there is no such device */
void store_current_device(c10::DeviceIndex index) noexcept; /* does not check the index */

/* A device counts as used from its first allocation on. */
void mark_used(c10::DeviceIndex index) noexcept;
bool was_used(c10::DeviceIndex index) noexcept;

/* Hooks and allocator must outlive all static objects, so they are never deleted. */
bool register_backend(at::PrivateUse1HooksInterface *hooks, c10::Allocator *allocator);

} // namespace fleet

#endif
