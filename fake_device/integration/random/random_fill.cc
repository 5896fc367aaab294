/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws from a generator into device memory; see the header.
 * Trap: a call with a generator of the device reaches this code even if the tensor to fill is on
 * the CPU.
 * Serves: DL-014, GEN-006, GEN-009, GEN-011, GEN-029, GEN-036.
 */
#include "random_fill.h"

#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>

#include "generator.h"
#include "status.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

fd_random reserve(const at::Tensor &self, const std::optional<at::Generator> &generator)
{
    return take_random(generator, self.device().index(), fd_kernel_random_blocks(self.numel()));
}

void require_ours(c10::Device device)
{
    TORCH_CHECK(device.is_privateuseone(), "Expected a '", device.type(),
                "' device type for generator but found '", c10::DeviceType::PrivateUse1, "'");
}

} // namespace

at::Tensor &random_fill(at::Tensor &self, fd_random_op op, const at::Scalar &low,
                        const at::Scalar &high, const std::optional<at::Generator> &generator)
{
    require_ours(self.device());
    const KernelScope scope(self);

    at::assert_no_internal_overlap(self);
    const fd_random random = reserve(self, generator);
    if (self.numel() == 0)
        return self;
    const auto fill = [&](const at::Tensor &tensor) {
        const struct fd_tensor out = describe_output(tensor);
        return fd_kernel_random(scope.stream(), op, &out, random, driver_scalar(low),
                                driver_scalar(high));
    };
    const auto fill_by = [&](at::ScalarType dtype) {
        const at::Tensor flat = at::empty({self.numel()}, self.options().dtype(dtype));
        const fd_status status = fill(flat);
        if (status == FD_OK)
            self.copy_(flat.view(self.sizes()));
        return status;
    };
    /* Draw in the tensor's own dtype if the device supports it, because floats do not represent
     * every integer. */
    fd_status status = !device_computes(self.scalar_type()) ? FD_ERROR_NOT_SUPPORTED
                       : self.dim() <= FD_MAX_DIMS          ? fill(self)
                                                            : fill_by(self.scalar_type());
    if (status == FD_ERROR_NOT_SUPPORTED)
        status = fill_by(at::kFloat);
    check(status, "random");
    return self;
}

at::Tensor random_permutation(int64_t n, c10::Device device,
                              const std::optional<at::Generator> &generator)
{
    require_ours(device);
    const KernelScope scope(device);
    const at::Tensor result = at::empty({n}, at::TensorOptions().dtype(at::kLong).device(device));
    const struct fd_tensor out = describe_output(result);

    check(fd_kernel_randperm(scope.stream(), &out, reserve(result, generator)), "randperm");
    return result;
}

} // namespace fakedev
