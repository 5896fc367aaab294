/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of the device. The only kernel is an example: fill_, which zeros, ones and full call.
 *
 * Every operator without a kernel here is computed on the CPU. `assay ops --target ci/foo.yaml`
 * lists them.
 */
#include "foo.h"

#include <torch/library.h>

#include <cstring>
#include <memory>

namespace foo
{

namespace
{

/* Arguments of a launch; they live until the stream has passed. They must not hold a tensor.
 * Releasing its last reference may need Python's lock, and a thread that waits for this stream can
 * hold that lock. The memory stays valid until then, because foo_free waits for enqueued work. */
struct Fill {
    char *to;
    size_t count, item;
    char pattern[16];
};

/* Runs on the device: in this stand-in, on the stream's thread. */
void fill_elements(void *arguments)
{
    const auto *const fill = static_cast<const Fill *>(arguments);
    for (size_t i = 0; i < fill->count; i++)
        std::memcpy(fill->to + i * fill->item, fill->pattern, fill->item);
}

void drop(void *arguments)
{
    delete static_cast<Fill *>(arguments);
}

/* The value's bytes in memory. Raises, like the CPU, if the dtype cannot represent the value. */
at::Tensor pattern_of(const at::Scalar &value, at::ScalarType dtype)
{
    return at::empty({}, at::device(at::kCPU).dtype(dtype)).fill_(value);
}

at::Tensor &fill(at::Tensor &self, const at::Scalar &value)
{
    const at::Tensor pattern = pattern_of(value, self.scalar_type());
    if (self.numel() == 0)
        return self;
    if (!self.is_non_overlapping_and_dense() || self.is_conj() || self.is_neg()) {
        without_repeats(self).copy_(pattern);
        return self;
    }
    const c10::DeviceIndex device = self.device().index();
    auto arguments = std::make_unique<Fill>();
    arguments->to = static_cast<char *>(self.mutable_data_ptr());
    arguments->count = static_cast<size_t>(self.numel());
    arguments->item = self.dtype().itemsize();
    std::memcpy(arguments->pattern, pattern.const_data_ptr(), arguments->item);
    check(foo_launch(current_stream(device), fill_elements, arguments.get(), drop), "fill");
    (void)arguments.release();
    return self;
}

at::Tensor &zero(at::Tensor &self)
{
    return fill(self, 0);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("fill_.Scalar", TORCH_FN(fill));
    m.impl("zero_", TORCH_FN(zero));
}

} // namespace foo
