/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator as it was right before #120969: allocate is const, copy_data is there.
 */
#include <c10/core/Allocator.h>

struct LaggingAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t) const override { return {}; }
    void copy_data(void *, const void *, size_t) const override {}
};

static LaggingAllocator allocator;
