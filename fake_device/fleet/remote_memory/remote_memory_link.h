/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The connection to the device's process. The connection transfers bytes and handles, not tensors.
 */
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

namespace remote_memory
{

/* Sets the server program. Must be called before the first use. */
void serve_with(std::string interpreter, std::string script);
bool is_connected();
void disconnect();

/* A pointer consists of the handle of a block and, in the low half, an offset in the block. */
constexpr int place_bits = 32;

void *allocate(c10::DeviceIndex device, uint64_t count);
void release(void *pointer);
void read(void *target, const void *pointer, uint64_t count);
void write(void *pointer, const void *source, uint64_t count);
uint64_t clock_nanoseconds();

} // namespace remote_memory
