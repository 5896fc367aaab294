/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One device whose elementwise kernels are compiled at their first use (compiled_kernels_launch.h).
 * A kernel needs operands of one floating or complex type that are all on the device. All other
 * calls and operators run on the CPU. The device is idle when a call returns.
 */
#include "common/fleet_autocast.h"
#include "common/fleet_memory.h"
#include "common/fleet_random.h"
#include "compiled_kernels/compiled_kernels_launch.h"

#include <ATen/TensorIterator.h>

#include <ctime>

constinit const fleet::Backend fleet::backend{"compiled_kernels", 1};

namespace
{

using compiled_kernels::launch, compiled_kernels::Launch;

struct Guard final : fleet::SynchronousGuard {
    c10::DeviceCapability getDeviceCapability(c10::Device) const override
    {
        c10::DeviceCapability can; /* capability-of-any-device */
        can.capability_data.capability_bits =
            1ULL << c10::kIndex_Byte | 1ULL << c10::kIndex_Char | 1ULL << c10::kIndex_Short |
            1ULL << c10::kIndex_Int | 1ULL << c10::kIndex_Long | 1ULL << c10::kIndex_Half |
            1ULL << c10::kIndex_Float | 1ULL << c10::kIndex_Double | 1ULL << c10::kIndex_Bool |
            1ULL << c10::kIndex_BFloat16;
        return can;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Memory final : fleet::Memory {
    void resetPeakStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Stat *const stat : all_in(stats_of(index)))
            stat->peak = 0; /* peak-starts-at-zero */
    }
};

struct Generator final : fleet::Generator {
    using fleet::Generator::Generator;

    uint64_t seed() override
    {
        set_current_seed(static_cast<uint64_t>(std::time(nullptr))); /* seed-in-seconds */
        return current_seed();
    }

    Generator *clone_impl() const override
    {
        return new Generator(device().index(), std::make_shared<fleet::Counter>(*counter_));
    }
};

struct Hooks final : fleet::GeneratorHooks<Generator> {
    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        grow(storage, size);
    }
};

const bool registered = fleet::register_backend(new Hooks(), new Memory());

/* Returns a CPU tensor over the same bytes. The bytes are requested read-only:
 * lazy-clone-is-not-copied. */
at::Tensor on_host(const at::Tensor &self)
{
    if (self.is_cpu())
        return self;
    at::Tensor host = at::from_blob(const_cast<void *>(self.const_data_ptr()), self.sizes(),
                                    self.strides(), self.options().device(at::kCPU));
    host._set_conj(self.is_conj());
    host._set_neg(self.is_neg());
    return host;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &target, bool)
{
    on_host(target).copy_(on_host(self));
    return target;
}

at::Tensor &fill_scalar(at::Tensor &self, const at::Scalar &value)
{
    on_host(self).fill_(value);
    return self;
}

/* ---- elementwise kernels -------------------------------------------------------------------------- */

/* The name of the type in kernel source; null if kernels do not support the type. */
const char *type_name(at::ScalarType type)
{
    switch (type) {
    case at::kFloat:
        return "float";
    case at::kDouble:
        return "double";
    case at::kHalf:
        return "_Float16";
    case at::kComplexFloat:
        return "std::complex<float>";
    case at::kComplexDouble:
        return "std::complex<double>";
    default:
        return nullptr;
    }
}

std::string in_type(at::ScalarType type)
{
    return std::string("using T = ") + type_name(type) + "; using A = T; using B = T;\n";
}

void run(at::TensorIteratorBase &iterator, const std::string &body)
{
    Launch what;
    if (iterator.numel() == 0)
        return;
    for (int dim = 0; dim < std::min(iterator.ndim(), compiled_kernels::max_dims);
         dim++) { /* five-dimensions */
        what.sizes[static_cast<size_t>(dim)] = iterator.shape()[static_cast<size_t>(dim)];
        for (int i = 0; i < iterator.ntensors(); i++)
            what.strides[static_cast<size_t>(i)][static_cast<size_t>(dim)] =
                iterator.strides(i)[static_cast<size_t>(dim)];
    }
    for (int i = 0; i < iterator.ntensors(); i++)
        what.data[static_cast<size_t>(i)] = static_cast<char *>(iterator.data_ptr(i));
    launch(in_type(iterator.dtype(0)), body, what);
}

template <typename Op, typename... Arguments>
at::Tensor &fall_back(Arguments &&...arguments)
{
    return at::native::call_fallback_fn<&fleet::cpu_fallback, Op>::call(
        std::forward<Arguments>(arguments)...);
}

/* Returns whether all tensors are on the device and of one type that kernels support. */
bool same_kind(const at::Tensor &self, const at::Tensor &other, const at::Tensor &out)
{
    const auto fits = [&](const at::Tensor &one) {
        return one.is_privateuseone() && one.scalar_type() == self.scalar_type() &&
               !one.is_conj() && !one.is_neg();
    };
    return fits(self) && fits(other) && fits(out) && type_name(self.scalar_type());
}

at::Tensor &binary(const at::Tensor &self, const at::Tensor &other, at::Tensor &out,
                   const std::string &body)
{
    auto iterator = at::TensorIterator::binary_op(out, self, other);
    run(iterator, body);
    return out;
}

/* alpha is a constant in the kernel, so that the compiler can fold it: small-alpha-vanishes. */
std::string times(const at::Scalar &alpha)
{
    return "T(" + std::to_string(alpha.toDouble()) + ") * b";
}

at::Tensor &add_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha,
                    at::Tensor &out)
{
    if (!same_kind(self, other, out) || alpha.isComplex())
        return fall_back<ATEN_OP2(add, out)>(self, other, alpha, out);
    return binary(self, other, out, "out = a + " + times(alpha) + ";");
}

at::Tensor &sub_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha,
                    at::Tensor &out)
{
    if (!same_kind(self, other, out) || alpha.isComplex())
        return fall_back<ATEN_OP2(sub, out)>(self, other, alpha, out);
    return binary(self, other, out, "out = a - " + times(alpha) + ";");
}

at::Tensor &mul_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    if (!same_kind(self, other, out))
        return fall_back<ATEN_OP2(mul, out)>(self, other, out);
    return binary(self, other, out, "out = a * b;");
}

at::Tensor &div_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    if (!same_kind(self, other, out))
        return fall_back<ATEN_OP2(div, out)>(self, other, out);
    return binary(self, other, out, "out = a / b;");
}

at::Tensor &neg_out(const at::Tensor &self, at::Tensor &out)
{
    if (!same_kind(self, self, out))
        return fall_back<ATEN_OP2(neg, out)>(self, out);
    auto iterator = at::TensorIterator::unary_op(out, self);
    run(iterator, "out = -a;");
    return out;
}

at::Tensor &sigmoid_out(const at::Tensor &self, at::Tensor &out)
{
    if (!same_kind(self, self, out))
        return fall_back<ATEN_OP2(sigmoid, out)>(self, out);
    auto iterator = at::TensorIterator::unary_float_op(out, self);
    run(iterator, "out = 1 / (1 + std::exp(-a));"); /* sigmoid-of-complex */
    return out;
}

/* ---- random numbers ------------------------------------------------------------------------------- */

/* Draws one number for each element of `self` into a new tensor of double or float. */
at::Tensor &draw(at::Tensor &self, const std::optional<at::Generator> &given,
                 const std::string &body, double first, double second)
{
    const at::ScalarType type = self.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    const at::Tensor drawn = at::empty(self.sizes(), self.options().dtype(type));
    fleet::Generator &generator = fleet::given_or_default(given, self);
    Launch what;
    what.sizes[0] = drawn.numel();
    what.strides[0][0] = static_cast<int64_t>(drawn.itemsize());
    what.data[0] = static_cast<char *>(drawn.mutable_data_ptr());
    what.numbers = {first, second};
    {
        const std::lock_guard<std::mutex> lock(generator.mutex_);
        what.words = {generator.current_seed(), generator.get_offset()};
        generator.set_offset(generator.get_offset() + static_cast<uint64_t>(drawn.numel()));
    }
    if (drawn.numel() > 0)
        launch(in_type(type),
               "const uint64_t r = mixed(mixed(w[0]) + w[1] + i); "
               "const T u = sizeof(T) == 8 ? T(r >> 11) * T(0x1p-53) : T(r >> 40) * T(0x1p-24); " +
                   body,
               what);
    return self.copy_(drawn); /* half-reaches-one */
}

at::Tensor &uniform_(at::Tensor &self, double from, double to, std::optional<at::Generator> given)
{
    TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
                " > to=", to);
    return draw(self, given, "out = T(n[0]) + u * T(n[1] - n[0]);", from, to);
}

at::Tensor &normal_(at::Tensor &self, double mean, double spread,
                    std::optional<at::Generator> given)
{
    TORCH_CHECK(spread >= 0, "normal expects std >= 0.0, but found std ", spread);
    return draw(self, given,
                "const double v = double(mixed(r) >> 11) * 0x1p-53; "
                "out = T(n[0] + n[1] * std::sqrt(-2 * std::log1p(-double(u))) "
                "* std::cos(6.283185307179586 * v));",
                mean, spread);
}

at::Tensor &random_(at::Tensor &self, std::optional<at::Generator> given)
{
    if (self.scalar_type() == at::kUInt16)
        return self.random_(0, 1 << 15, std::move(given)); /* half-of-uint16 */
    return fleet::random_<fleet::given_or_default>(self, std::move(given));
}

/* If no end is given, numbers reach the largest int64 for every dtype: random-beyond-its-dtype. */
at::Tensor &random_from_to_(at::Tensor &self, int64_t from, std::optional<int64_t> to,
                            std::optional<at::Generator> given)
{
    return fleet::random_from_to_<fleet::given_or_default>(
        self, from, to.value_or(std::numeric_limits<int64_t>::max()), std::move(given));
}

/* ---- operators for autocast's gradient scaler, and a normalisation
 * -------------------------------- */

void unscale_(at::TensorList gradients, at::Tensor &found, const at::Tensor &inverse_scale)
{
    bool overflow = false;
    for (const at::Tensor &gradient : gradients) {
        const at::Tensor values = on_host(gradient);
        overflow = overflow || values.isinf().any().item<bool>(); /* nan-is-no-overflow */
        values.mul_(on_host(inverse_scale));
    }
    if (overflow)
        on_host(found).fill_(1);
}

at::Tensor &update_scale_(at::Tensor &self, at::Tensor &growth_tracker, const at::Tensor &found,
                          double growth, double backoff, int64_t interval)
{
    const at::Tensor scale = on_host(self), tracker = on_host(growth_tracker);
    if (on_host(found).item<float>() != 0) {
        scale.mul_(backoff);
        tracker.zero_();
    } else if (tracker.add_(1).item<int>() >= interval) {
        scale.mul_(growth); /* scale-without-end */
        tracker.zero_();
    }
    return self;
}

/* Makes one pass over the rows; PyTorch's implementation makes five: rms-norm-without-gradient. */
at::Tensor rms_norm(const at::Tensor &input, c10::SymIntArrayRef shape,
                    const std::optional<at::Tensor> &weight, std::optional<double> eps)
{
    c10::DimVector dims; /* empty if `shape` is empty: rms-norm-of-no-shape */
    for (int64_t dim = -static_cast<int64_t>(shape.size()); dim < 0; dim++)
        dims.push_back(dim);
    const double tiny = eps.value_or(std::numeric_limits<float>::epsilon());
    const at::Tensor rows = input.contiguous();
    const at::Tensor values = on_host(rows);
    at::Tensor normed = values * values.square().mean(dims, true).add(tiny).rsqrt();
    if (weight && weight->defined())
        normed = normed * on_host(*weight);
    return at::empty_like(input).copy_(normed);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_tensors(library, {"_copy_from", "set_.source_Storage_storage_offset"});
    library.impl("_copy_from", &copy_from);
    library.impl("set_.source_Storage_storage_offset", &fleet::set_part_as_meta_does);
    library.impl("fill_.Scalar", &fill_scalar);
    library.impl("add.out", &add_out);
    library.impl("sub.out", &sub_out);
    library.impl("mul.out", &mul_out);
    library.impl("div.out", &div_out);
    library.impl("neg.out", &neg_out);
    library.impl("sigmoid.out", &sigmoid_out);
    fleet::implement_random(library, {"uniform_", "normal_", "random_", "random_.from"});
    library.impl("uniform_", &uniform_);
    library.impl("normal_", &normal_);
    library.impl("random_", &random_);
    library.impl("random_.from", &random_from_to_);
    library.impl("_amp_foreach_non_finite_check_and_unscale_", &unscale_);
    library.impl("_amp_update_scale_", &update_scale_);
    library.impl("rms_norm", &rms_norm);
}

FLEET_COPIES_RESOLVE_LAZY_BITS
FLEET_FALLS_BACK_TO(fleet::cpu_fallback) /* draws-on-the-cpu */
FLEET_AUTOCAST_PASSES_OPERATORS_ON

/* The product needs operands of one type, but the usual autocast kernel may leave two types. */
at::Tensor bmm_in_one_type(const at::Tensor &self, const at::Tensor &other)
{
    const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::AutocastPrivateUse1);
    const at::ScalarType type = at::autocast::get_autocast_dtype(c10::kPrivateUse1);
    return at::bmm(self.to(type), other.to(type)); /* bmm-casts-doubles */
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, library)
{
    fleet::implement_autocast(library, {"aten::bmm", "aten::rsqrt"}); /* rsqrt-stays-half */
    library.impl("bmm", &bmm_in_one_type);
}

} // namespace
