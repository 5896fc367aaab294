/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts with faults that register_faulty.cc installs in place of the correct ones.
 */
#pragma once

#include "backend_meta.h"
#include "device_allocator.h"
#include "device_guard.h"
#include "hooks.h"
#include "host_allocator.h"

namespace fakedev
{

c10::impl::DeviceGuardImplInterface *make_faulty_guard();
at::PrivateUse1HooksInterface *make_faulty_hooks();
void register_faulty_graphs();

c10::DeviceAllocator *make_faulty_allocator();
at::HostAllocator *make_faulty_host_allocator();
/* Registers an allocator that does not derive from DeviceAllocator, as in older backends. */
void register_plain_allocator();

void save_faulty_marks(const at::Tensor &tensor, Marks &marks);
void load_faulty_marks(const at::Tensor &tensor, Marks &marks);

/* Attention uses the implementation that the CPU would choose. No dispatched operator can show this
 * fault, because a DispatchStub makes the choice. */
void choose_attention_as_the_cpu();

/* Faults of PyTorch itself that Python code cannot cause: functions of its C interface do nothing;
 * the function that parses a device string for C extensions does nothing; operators that a C
 * extension calls through the dispatcher are not called. */
void change_core_code();
void change_core_parsing();
void change_core_dispatcher();

} // namespace fakedev
