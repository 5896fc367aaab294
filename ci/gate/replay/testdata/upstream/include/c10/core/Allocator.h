/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in for the base class of a backend's allocator.
 */
#pragma once
#include <stddef.h>

namespace c10 {
struct Allocator {
    virtual ~Allocator() = default;
    virtual void *allocate(size_t bytes) const = 0;
    virtual void release(void *pointer) const = 0;
};
} // namespace c10
