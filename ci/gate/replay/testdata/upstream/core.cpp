/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in: the library of the upstream project, which a backend links and calls at load.
 */
#include <c10/core/Allocator.h>
#include <c10/core/ScalarType.h>

namespace c10 {
static const Allocator *registered;
void SetAllocator(const Allocator *allocator) { registered = allocator; }
const Allocator *GetAllocator() { return registered; }
} // namespace c10

extern "C" int upstream_dtype_count()
{
    return static_cast<int>(c10::ScalarType::NumOptions);
}
