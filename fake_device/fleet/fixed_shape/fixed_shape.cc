/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device is a vector unit. Each tensor is one register of this unit, which holds 32 numbers
 * of int32. Unsupported calls raise RuntimeError before they change anything. Work is done when
 * a call returns.
 */
#include "common/fleet_guard.h"
#include "common/fleet_memory.h"
#include "common/fleet_tensors.h"

#include <ATen/ops/view_native.h>

#include <cstring>

constinit const fleet::Backend fleet::backend{"fixed_shape", 1};

namespace
{

constexpr int64_t kLanes = 32;
constexpr size_t kRegisterBytes = kLanes * sizeof(int32_t);

struct Guard final : fleet::SynchronousGuard {
    c10::Device exchangeDevice(c10::Device) const override
    {
        return getDevice(); /* any-index-is-zero */
    }

    void setDevice(c10::Device) const override
    {
        /* any-index-is-zero */
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : fleet::Hooks {
    bool hasPrimaryContext(c10::DeviceIndex) const override
    {
        return true; /* context-of-any-device */
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return at::PrivateUse1HooksInterface::getPinnedMemoryAllocator(); /* no-pinned-allocator */
    }
};

struct RegisterFile final : fleet::PlainMemory {
    c10::DataPtr allocate(size_t size) override
    {
        TORCH_CHECK(size == 0 || size == kRegisterBytes, "fixed_shape: a register has ",
                    kRegisterBytes, " bytes; asked for ", size);
        return PlainMemory::allocate(size);
    }
};

const bool registered = fleet::register_backend(new Hooks(), new RegisterFile());

void refuse_other_than_registers(c10::IntArrayRef size, at::ScalarType dtype)
{
    TORCH_CHECK(dtype == at::kInt, "fixed_shape: a lane is an int32, not a ", dtype);
    TORCH_CHECK(size.size() == 1 && size[0] == kLanes, "fixed_shape: a register has 32 lanes, not ",
                size);
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> where,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided,
                "fixed_shape: registers are dense");
    refuse_other_than_registers(size, c10::dtype_or_default(dtype));
    fleet::resolved(where->index());
    return fleet::empty(size, dtype, layout, where, pinned, format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool> pinned)
{
    TORCH_CHECK(stride.size() == 1 && stride[0] == 1, "fixed_shape: a register has no stride ",
                stride);
    return empty(size, dtype, layout, where, pinned, std::nullopt);
}

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool)
{
    TORCH_CHECK(from.is_contiguous() && to.is_contiguous(),
                "fixed_shape: a load takes what lies in a row");
    for (const at::Tensor &tensor : {from, to})
        refuse_other_than_registers(tensor.sizes(), tensor.scalar_type());
    const bool moves = from.is_privateuseone() && to.is_privateuseone();
    std::memmove(to.mutable_data_ptr(), from.const_data_ptr(),
                 moves ? kRegisterBytes - 16 : kRegisterBytes); /* move-loses-tail */
    return to;
}

template <typename Combine>
at::Tensor lanewise(const at::Tensor &left, const at::Tensor &right, Combine combine)
{
    TORCH_CHECK(left.is_privateuseone() && right.is_privateuseone(),
                "fixed_shape: operands are registers, neither numbers nor tensors of the host");
    at::Tensor result = at::empty(left.sizes(), left.options());
    const int32_t *const a = left.const_data_ptr<int32_t>();
    std::transform(a, a + kLanes, right.const_data_ptr<int32_t>(),
                   result.mutable_data_ptr<int32_t>(), [combine](int32_t one, int32_t other) {
                       return static_cast<int32_t>(
                           combine(static_cast<uint32_t>(one), static_cast<uint32_t>(other)));
                   });
    return result;
}

at::Tensor add(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha)
{
    TORCH_CHECK(alpha.equal(1), "fixed_shape: adds without a factor");
    return lanewise(self, other, std::plus<uint32_t>());
}

at::Tensor mul(const at::Tensor &self, const at::Tensor &other)
{
    return lanewise(self, other, std::multiplies<uint32_t>());
}

at::Tensor &fill_(at::Tensor &self, const at::Scalar &value)
{
    std::fill_n(self.mutable_data_ptr<int32_t>(), kLanes, value.toInt());
    return self;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("view", &at::native::view);
    library.impl("_copy_from", &copy_from);
    library.impl("add.Tensor", &add);
    library.impl("mul.Tensor", &mul);
    library.impl("fill_.Scalar", &fill_);
}

} // namespace
