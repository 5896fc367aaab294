/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. kiln has two devices of host memory; each of their streams is a
 * queue with a thread of its own. Nothing burns before torch.kiln._lazy_init() has lit it.
 */
#ifndef KILN_H
#define KILN_H

#include "fleet_headers.h"

#include <functional>
#include <memory>

namespace kiln
{

constexpr c10::DeviceIndex kDevices = 2;
constexpr c10::StreamId kStreams = 9; /* of each device; 0 is the default one */

using Order = std::function<void()>;

/* kiln_queue.cc; queue() throws for a stream there is not, and for all before light() */
class Queue;
struct Event;

void light();
bool is_lit();
bool is_left_behind(); /* in a child that was forked after it was lit */
void require_lit();
Queue &queue(const c10::Stream &stream);
void give(Queue &queue, Order order);
bool is_idle(Queue &queue);
void wait_for(Queue &queue); /* throws what an order before it failed with */
void settle(Queue &queue);   /* waits and leaves what failed to who waits next */
void settle_all();
void wait_for_device(c10::DeviceIndex index);

std::shared_ptr<Event> make_event(bool timed);
void record(const std::shared_ptr<Event> &event, Queue &queue);
void hold_behind(const std::shared_ptr<Event> &event, Queue &queue);
bool has_happened(Event &event);
void wait_for(Event &event);
double milliseconds_between(Event &first, Event &second);

/* kiln_guard.cc */
c10::Device device(c10::DeviceIndex index); /* -1 is the current one; throws for one there is not */
c10::Stream current_stream(c10::DeviceIndex index);

/* kiln_memory.cc */
c10::DeviceAllocator *memory();
at::Allocator *pinned_memory();
bool is_pinned(const void *address);
bool is_in_use(c10::DeviceIndex index);
c10::DeviceIndex owner(const void *address); /* throws for memory that is not the device's */

/* kiln_random.cc */
const at::Generator &default_generator(c10::DeviceIndex index);
at::Generator new_generator(c10::DeviceIndex index);

/* kiln_tensors.cc: the same numbers as a tensor of the CPU that owns nothing */
at::Tensor reading(const at::Tensor &tensor);
at::Tensor writing(const at::Tensor &tensor);

} // namespace kiln

#endif
