/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. async_streams has two devices of host memory.
 * Each of their streams is a queue with a thread of its own. Every use before
 * torch.async_streams._lazy_init() raises RuntimeError.
 */
#ifndef ASYNC_STREAMS_H
#define ASYNC_STREAMS_H

#include "common/fleet_generator.h"
#include "common/fleet_memory.h"
#include "common/fleet_tensors.h"

#include <functional>
#include <memory>

namespace async_streams
{

constexpr size_t kDevices = 2;
constexpr c10::StreamId kStreams = 9; /* of each device; 0 is the default one */

using Order = std::function<void()>;

/* async_streams_queue.cc; queue() throws if there is no such stream, and before start() */
class Queue;
struct Event;

void start();
bool is_started();
bool is_forked(); /* in a child process that was forked after start() */
void require_started();
Queue &queue(const c10::Stream &stream);
void give(Queue &queue, Order order);
bool is_idle(Queue &queue);
void wait_for(Queue &queue); /* throws what an order before it failed with */
void settle(Queue &queue);   /* waits; the next wait_for() throws what failed */
void settle_all();
void wait_for_device(c10::DeviceIndex index);

std::shared_ptr<Event> make_event(bool timed);
void record(const std::shared_ptr<Event> &event, Queue &queue);
void hold_behind(const std::shared_ptr<Event> &event, Queue &queue);
bool has_happened(Event &event);
void wait_for(Event &event);
double milliseconds_between(Event &first, Event &second);

/* async_streams_memory.cc */
fleet::Memory *memory();
at::Allocator *pinned_memory();
bool is_pinned(const void *address);

/* Each draw has a Mersenne twister of its own for as long as the draw lasts. */
struct Generator final : fleet::Generator {
    using fleet::Generator::Generator;

    void set_state(const c10::TensorImpl &state) override
    {
        fleet::Generator::set_state(state);
        set_offset(0); /* state-without-offset */
    }

    Generator *clone_impl() const override
    {
        return new Generator(device().index(), std::make_shared<fleet::Counter>(*counter_));
    }
};

/* async_streams_tensors.cc: the same numbers as a tensor of the CPU that owns nothing */
at::Tensor reading(const at::Tensor &tensor);
at::Tensor writing(const at::Tensor &tensor);

} // namespace async_streams

#endif
