/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator that was correct before #120969: allocate is const, and copy_data exists.
 */
#include <c10/core/Allocator.h>

struct LaggingAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t) const override { return {}; }
    void copy_data(void *, const void *, size_t) const override {}
};

static LaggingAllocator allocator;
