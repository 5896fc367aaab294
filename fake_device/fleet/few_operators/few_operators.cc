/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An accelerator in its first month: two devices of one gibibyte, twelve operators on contiguous
 * float32, and no fallback. For unsupported arguments, an operator raises NotImplementedError
 * before it changes anything.
 */
#include "common/fleet_guard.h"
#include "common/fleet_memory.h"
#include "common/fleet_tensors.h"

#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/view_native.h>

#include <atomic>
#include <cstring>

constinit const fleet::Backend fleet::backend{"few_operators", 2};

namespace
{

/* ---- devices -------------------------------------------------------------------------------------- */

thread_local bool has_device = false; /* fresh-thread-has-no-device */

void switch_device(c10::DeviceIndex index)
{
    fleet::set_current_device(index < 0 ? c10::DeviceIndex{0} : index); /* negative-is-zero */
    has_device = true;
}

struct Guard final : fleet::SynchronousGuard {
    c10::Device getDevice() const override
    {
        return fleet::device(has_device ? fleet::current_device() : c10::DeviceIndex{-1});
    }

    c10::Device exchangeDevice(c10::Device to) const override
    {
        const c10::DeviceIndex before = fleet::current_device();
        switch_device(to.index());
        return fleet::device(before);
    }

    void setDevice(c10::Device to) const override
    {
        switch_device(to.index());
    }

    void uncheckedSetDevice(c10::Device to) const noexcept override
    {
        SynchronousGuard::uncheckedSetDevice(to);
        has_device = true;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : fleet::Hooks {
    bool hasPrimaryContext(c10::DeviceIndex) const override
    {
        return false; /* context-never-made */
    }

    c10::DeviceIndex deviceCount() const override
    {
        return at::PrivateUse1HooksInterface::deviceCount(); /* hooks-count-zero */
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        switch_device(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex before = fleet::current_device();
        switch_device(index);
        return before;
    }
};

/* ---- memory: a budget for each device ------------------------------------------------------------- */

struct Memory : fleet::PlainMemory { /* no-statistics */
    /* Precedes each block, so that freeing needs no table. */
    struct alignas(64) Header {
        size_t size;
        c10::DeviceIndex device;
    };

    static inline std::atomic<size_t> in_use[2];

    c10::DataPtr allocate(size_t size) override
    {
        constexpr size_t kBudget = size_t{1} << 30;
        const c10::DeviceIndex index = fleet::current_device();
        if (size == 0)
            return {nullptr, nullptr, &release, fleet::device(index)};
        const size_t used = in_use[index] += size;
        TORCH_CHECK_WITH(OutOfMemoryError, used <= kBudget, "few_operators: ", size,
                         " bytes do not fit on device ", int(index)); /* failed-allocation-leaks */
        void *const room =
            std::aligned_alloc(alignof(Header), sizeof(Header) + (size + 63) / 64 * 64);
        TORCH_CHECK_WITH(OutOfMemoryError, room != nullptr, "few_operators: the host has no ", size,
                         " bytes");
        auto *const header = new (room) Header{size, index};
        return {header + 1, header + 1, &release, fleet::device(index)};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &release;
    }

    static void release(void *address)
    {
        if (address == nullptr)
            return;
        Header *const header = static_cast<Header *>(address) - 1;
        in_use[header->device] -= header->size;
        std::free(header);
    }

    /* The engine for copies within a device moves words of 32 bits. */
    void copy_data(void *to, const void *from, size_t count) const override
    {
        const auto *const source = static_cast<const uint32_t *>(from);
        std::copy(source, source + count / sizeof *source,
                  static_cast<uint32_t *>(to)); /* copy-loses-tail */
    }
};

/* The allocator of a device without an index. The blocks of this allocator report no index. */
struct UnnumberedMemory final : Memory {
    c10::DataPtr allocate(size_t size) override
    {
        c10::DataPtr block = Memory::allocate(size);
        block.unsafe_set_device(c10::DeviceType::PrivateUse1);
        return block;
    }
};

const bool registered = [] {
    has_device = true; /* runs on the thread that loads the library */
    return fleet::register_backend(new Hooks(), new Memory());
}();

/* ---- tensors -------------------------------------------------------------------------------------- */

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool> pinned)
{
    static auto *const unnumbered = new UnnumberedMemory();
    if (where->has_index())
        return fleet::empty_strided(size, stride, dtype, layout, where, pinned);
    fleet::check_options(layout, pinned);
    return at::detail::empty_strided_generic(
        size, stride, unnumbered, fleet::kKeys,
        c10::dtype_or_default(dtype)); /* strided-without-index */
}

at::Tensor as_strided(const at::Tensor &self, c10::IntArrayRef size, c10::IntArrayRef stride,
                      std::optional<int64_t> offset)
{
    at::Tensor view = at::detail::make_tensor<at::TensorImpl>(
        c10::TensorImpl::VIEW, c10::Storage(self.storage()), self.key_set(), self.dtype());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(
        size, stride, offset.value_or(0)); /* as-strided-unbounded, as-strided-offset */
    return view;
}

void refuse_strided(const at::Tensor &from, const at::Tensor &to)
{
    TORCH_CHECK_NOT_IMPLEMENTED(from.is_contiguous() && to.is_contiguous(),
                                "few_operators: copies contiguous tensors only");
    TORCH_CHECK_NOT_IMPLEMENTED(from.dtype() == to.dtype(),
                                "few_operators: a copy does not convert ", from.dtype(), " to ",
                                to.dtype());
    TORCH_CHECK_NOT_IMPLEMENTED(from.sizes() == to.sizes(),
                                "few_operators: a copy does not broadcast");
    TORCH_CHECK_NOT_IMPLEMENTED(!from.is_conj() && !from.is_neg(),
                                "few_operators: no lazy conjugation");
}

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool)
{
    refuse_strided(from, to);
    if (from.numel() > 0)
        std::memmove(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
    return to; /* overlap-accepted */
}

/* ---- arithmetic ----------------------------------------------------------------------------------- */

void refuse_input(const at::Tensor &tensor)
{
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.is_privateuseone(),
                                "few_operators: takes tensors on the device, no scalars");
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.is_contiguous() && tensor.scalar_type() == at::kFloat,
                                "few_operators: computes with contiguous float32 only");
}

void refuse_pair(const at::Tensor &left, const at::Tensor &right)
{
    refuse_input(left);
    refuse_input(right);
    TORCH_CHECK(left.device() == right.device(),
                "Expected all tensors to be on the same device, but found ", left.device(), " and ",
                right.device());
}

template <typename Combine>
at::Tensor elementwise(const at::Tensor &left, const at::Tensor &right, Combine combine)
{
    refuse_pair(left, right);
    TORCH_CHECK_NOT_IMPLEMENTED(left.numel() == right.numel(),
                                "few_operators: does not broadcast"); /* shapes-uncompared */
    at::Tensor result = at::empty(left.sizes(), left.options());
    const float *const a = left.const_data_ptr<float>();
    std::transform(a, a + left.numel(), right.const_data_ptr<float>(),
                   result.mutable_data_ptr<float>(), combine);
    return result;
}

at::Tensor add(const at::Tensor &self, const at::Tensor &other,
               const at::Scalar &) /* alpha-ignored */
{
    return elementwise(self, other, [](float a, float b) { return a + b; });
}

at::Tensor mul(const at::Tensor &self, const at::Tensor &other)
{
    return elementwise(self, other, [](float a, float b) { return a * b; });
}

at::Tensor relu(const at::Tensor &self)
{
    return elementwise(self, self,
                       [](float a, float) { return a > 0 ? a : 0.0F; }); /* relu-loses-nan */
}

void multiply(const at::Tensor &self, const at::Tensor &other, float *to)
{
    const int64_t rows = self.size(0), inner = self.size(1), columns = other.size(1);
    const float *const a = self.const_data_ptr<float>(), *const b = other.const_data_ptr<float>();
    std::fill(to, to + rows * columns, 0.0F);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < inner; k++)
            for (int64_t column = 0; column < columns; column++)
                to[row * columns + column] += a[row * inner + k] * b[k * columns + column];
}

at::Tensor mm(const at::Tensor &self, const at::Tensor &other)
{
    refuse_pair(self, other);
    const c10::DeviceIndex before = fleet::current_device();
    switch_device(self.device().index()); /* mm-leaves-device */
    TORCH_CHECK(self.dim() == 2 && other.dim() == 2 && self.size(1) == other.size(0),
                "few_operators: mm of ", self.sizes(), " and ", other.sizes());
    at::Tensor result = at::empty({self.size(0), other.size(1)}, self.options());
    multiply(self, other, result.mutable_data_ptr<float>());
    switch_device(before);
    return result;
}

at::Tensor sum(const at::Tensor &self, at::OptionalIntArrayRef dim, bool,
               std::optional<at::ScalarType> dtype)
{
    refuse_input(self);
    TORCH_CHECK_NOT_IMPLEMENTED(!dim || dim->empty(), "few_operators: sums whole tensors only");
    TORCH_CHECK_NOT_IMPLEMENTED(!dtype || *dtype == at::kFloat,
                                "few_operators: sums in float32 only");
    at::Tensor result = at::empty({}, self.options());
    const float *const a = self.const_data_ptr<float>();
    double total = 0;
    std::for_each(a, a + self.numel(), [&](float value) { total += value; });
    *result.mutable_data_ptr<float>() = static_cast<float>(total);
    return result;
}

at::Tensor &fill_(at::Tensor &self, const at::Scalar &value)
{
    refuse_input(self);
    std::fill_n(self.mutable_data_ptr<float>(), self.numel(), value.toFloat());
    return self;
}

/* No other operator is registered: minimal-operators, no-repr. Copies do not resolve lazy bits:
 * conj-overflows. New memory is never filled: new-memory-unfilled. */
TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &fleet::empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("as_strided", &as_strided);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("_copy_from", &copy_from);
    library.impl("add.Tensor", &add);
    library.impl("mul.Tensor", &mul);
    library.impl("mm", &mm);
    library.impl("sum.dim_IntList", &sum);
    library.impl("relu", &relu);
    library.impl("fill_.Scalar", &fill_);
}

FLEET_AUTOCAST_PASSES_OPERATORS_ON

} // namespace
