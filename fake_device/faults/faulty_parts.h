/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The faulty objects that register_faulty.cc installs in place of the correct objects.
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
void register_faulty_profiler();

c10::DeviceAllocator *make_faulty_allocator();
at::HostAllocator *make_faulty_host_allocator();
bool another_thread_allocates_host_memory();
/* Registers an allocator that does not derive from DeviceAllocator, as in older backends. */
void register_plain_allocator();

void save_faulty_marks(const at::Tensor &tensor, Marks &marks);
void load_faulty_marks(const at::Tensor &tensor, Marks &marks);

/* Installs a fault: attention uses the implementation that the CPU would choose. A DispatchStub
 * makes this choice, so a wrong operator cannot implement the fault. */
void choose_attention_as_the_cpu();

/* Installs faults of PyTorch itself that Python code cannot cause. In the order of the functions:
 * the C interface does nothing, device strings are not parsed, the dispatcher calls no operator,
 * version and device type are 0, results are not written, failures have no message, and one
 * function is absent. */
void change_core_code();
void change_core_parsing();
void change_core_dispatcher();
void change_core_facts();
void change_core_results();
void change_core_messages();
void remove_core_function();

} // namespace fakedev
