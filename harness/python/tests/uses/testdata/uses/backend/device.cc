// SPDX-License-Identifier: BSD-3-Clause
#include "device.h"

#include <torch/library.h>

using namespace at;
int file_scope;

namespace at::native
{
void mirrored();
}

namespace c10
{
template <> struct Traits<int> {
};
} // namespace c10

namespace mine
{
struct Device final : Middle {
    void name() const override {}
    bool simple(const void *pointer) const final { return Allocator::simple(pointer); }
};

long uses(const Device &device, c10::Kind kind)
{
    const c10::Stats stats{1, 2};
    found_by_argument(stats);
    c10::take(&c10::found_by_argument);
    opened();
    MINE("not ready");
    TORCH_CHECK(device.bytes() > 0, "empty");
    switch (kind) {
    case c10::Kind::Half:
        return stats.peak;
    default:
        return static_cast<long>(c10::ints().size()) + static_cast<long>(*c10::ints().data);
    }
}

static_assert(static_cast<int>(c10::Kind::NumOptions) == 4);

void add();
EACH_OPERATOR(LOWER_KERNEL)
} // namespace mine

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("add.Tensor", &mine::add).impl("other::mul", &mine::add);
}
