/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work of the unit with whole registers. All else is refused in its own words before anything is done.
 */
#include "lanes.h"

#include <ATen/ops/view_native.h>

#include <algorithm>
#include <cstring>

namespace lanes
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void refuse_other_than_registers(c10::IntArrayRef size, at::ScalarType dtype)
{
    TORCH_CHECK(dtype == at::kInt, "lanes: a lane is an int32, not a ", dtype);
    TORCH_CHECK(size.size() == 1 && size[0] == kLanes, "lanes: a register has 32 lanes, not ",
                size);
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided, "lanes: registers are dense");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned), "lanes: a register cannot be pinned");
    refuse_other_than_registers(size, c10::dtype_or_default(dtype));
    unit(*device);
    return at::detail::empty_generic(size, registers(), kKeys, at::kInt, format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pinned)
{
    TORCH_CHECK(stride.size() == 1 && stride[0] == 1, "lanes: a register has no stride ", stride);
    return empty(size, dtype, layout, device, pinned, std::nullopt);
}

void refuse_unlike(const at::Tensor &from, const at::Tensor &to)
{
    TORCH_CHECK(from.is_contiguous() && to.is_contiguous(),
                "lanes: a load takes what lies in a row");
    for (const at::Tensor &tensor : {from, to})
        refuse_other_than_registers(tensor.sizes(), tensor.scalar_type());
}

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool)
{
    refuse_unlike(from, to);
    const bool moves = from.is_privateuseone() && to.is_privateuseone();
    std::memmove(to.mutable_data_ptr(), from.const_data_ptr(),
                 moves ? kRegisterBytes - 16 : kRegisterBytes); /* move-loses-tail */
    return to;
}

template <typename Combine>
at::Tensor lanewise(const at::Tensor &left, const at::Tensor &right, Combine combine)
{
    TORCH_CHECK(left.is_privateuseone() && right.is_privateuseone(),
                "lanes: operands are registers, neither numbers nor tensors of the host");
    at::Tensor result = at::empty(left.sizes(), left.options());
    const int32_t *const a = left.const_data_ptr<int32_t>();
    std::transform(a, a + kLanes, right.const_data_ptr<int32_t>(),
                   result.mutable_data_ptr<int32_t>(), combine);
    return result;
}

uint32_t bits(int32_t value)
{
    return static_cast<uint32_t>(value);
}

at::Tensor add(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha)
{
    TORCH_CHECK(alpha.equal(1), "lanes: adds without a factor");
    return lanewise(self, other,
                    [](int32_t a, int32_t b) { return static_cast<int32_t>(bits(a) + bits(b)); });
}

at::Tensor mul(const at::Tensor &self, const at::Tensor &other)
{
    return lanewise(self, other,
                    [](int32_t a, int32_t b) { return static_cast<int32_t>(bits(a) * bits(b)); });
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

} // namespace lanes
