/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of this folder: devices by index, and errors of the runtime as exceptions.
 */
#pragma once

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <torch/library.h>

#include "foo_runtime.h"

namespace foo
{

/* Raises OutOfMemoryError, or RuntimeError with `what` in front, for an error of the runtime. */
void check(int error, const char *what);

c10::Device device_of(c10::DeviceIndex index);
c10::DeviceIndex current_device() noexcept;
c10::DeviceIndex device_count() noexcept;

/* -1 is the current device; an index out of range raises. */
c10::DeviceIndex resolve(c10::DeviceIndex index, const char *what);

/* Makes the device current for one scope. */
class DeviceScope
{
  public:
    explicit DeviceScope(c10::DeviceIndex index);
    ~DeviceScope();
    DeviceScope(const DeviceScope &) = delete;
    DeviceScope &operator=(const DeviceScope &) = delete;

  private:
    int previous_;
};

c10::Allocator *allocator();

/* The stream to which this thread enqueues work. */
foo_stream *current_stream(c10::DeviceIndex index);
c10::Stream current_torch_stream(c10::DeviceIndex index);
c10::Stream default_torch_stream(c10::DeviceIndex index);
c10::Stream exchange_stream(c10::Stream stream);
foo_stream *runtime_stream(c10::Stream stream);
/* @with streams */
c10::Stream new_stream(c10::DeviceIndex index);
/* @end */

/* @with generator */
const at::Generator &default_generator(c10::DeviceIndex index);
at::Generator new_generator(c10::DeviceIndex index);

/* The random numbers of one operator on the CPU, drawn from a generator of the device. */
class Draw
{
  public:
    explicit Draw(const at::Generator &generator);
    at::Generator on_host() const;
    void give_back(); /* for a refused operator: its draw must have no effect */

  private:
    at::Generator generator_;
    uint64_t seed_ = 0, offset_ = 0;
};
/* @end */

at::Allocator *pinned_allocator();
bool is_pinned(const void *address) noexcept;
void keep_until_passed(const at::Tensor &host, c10::Stream stream);

/* The same tensor in which each expanded dimension has size 1. */
at::Tensor without_repeats(const at::Tensor &tensor);

void resize_storage(c10::StorageImpl *storage, size_t bytes);

/* The kernel of operators without a device kernel: copies to the CPU, computes, copies back. */
void cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack);

} // namespace foo
