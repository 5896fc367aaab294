/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator from before #113396 and #117053, when copy_data was not required.
 */
#include <c10/core/Allocator.h>

struct LaggingAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t) override { return {}; }
};

static LaggingAllocator allocator;
