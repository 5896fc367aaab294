/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. async_streams has two devices of host memory.
 * Each stream is a queue with its own thread. Every use before torch.async_streams._lazy_init()
 * raises RuntimeError.
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
constexpr c10::StreamId kStreams = 9; /* per device; stream 0 is the default stream */

using Order = std::function<void()>;

/* Defined in async_streams_queue.cc. queue() throws for an unknown stream. Before start(), queue()
 * throws for every stream. */
class Queue;
struct Event;

void start();
bool is_started();
bool is_forked(); /* in a child process that was forked after start() */
void require_started();
Queue &queue(const c10::Stream &stream);
void give(Queue &queue, Order order);
bool is_idle(Queue &queue);
void wait_for(Queue &queue); /* throws the stored error of a failed task */
void settle(Queue &queue);   /* waits, but leaves a stored error for the next wait_for() */
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

/* Each draw uses a new Mersenne twister. */
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

/* defined in async_streams_tensors.cc: a CPU tensor over the same memory, without ownership */
at::Tensor reading(const at::Tensor &tensor);
at::Tensor writing(const at::Tensor &tensor);

} // namespace async_streams

#endif
