/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors with an ordinary storage whose pointer is a handle. The device only keeps bytes: all computing
 * is done on the CPU, the random operators with a CPU generator seeded for each call.
 */
#include "remote_device.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/jit/serialization/pickler_helper.h>
#include <torch/library.h>

namespace remote
{
namespace
{

/* ---- memory of tensors ----------------------------------------------------------------------- */

c10::Device checked_device(std::optional<at::Layout> layout, std::optional<at::Device> device,
                           std::optional<bool> pin_memory)
{
    TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
    TORCH_CHECK(layout.value_or(at::kStrided) == at::kStrided, "remote: only strided tensors");
    return {c10::kPrivateUse1, resolved(device ? device->index() : c10::DeviceIndex{-1})};
}

constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format)
{
    const c10::DeviceGuard guard(checked_device(layout, device, pin_memory));
    return at::detail::empty_generic(sizes, c10::GetAllocator(c10::kPrivateUse1), keys,
                                     c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                         std::optional<at::ScalarType> type, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory)
{
    const c10::DeviceGuard guard(checked_device(layout, device, pin_memory));
    return at::detail::empty_strided_generic(sizes, strides, c10::GetAllocator(c10::kPrivateUse1),
                                             keys, c10::dtype_or_default(type));
}

char *address_of(const at::Tensor &self)
{
    auto *const begin = static_cast<char *>(self.storage().mutable_data());
    return begin + self.storage_offset() * static_cast<int64_t>(self.itemsize());
}

/* How many bytes lie between the first and the last element, both included. */
uint64_t span_of(const at::Tensor &self)
{
    return at::detail::computeStorageNbytes(self.sizes(), self.strides(), self.itemsize(), 0);
}

/* The bytes a tensor spans, as a host tensor of the same sizes and strides. */
at::Tensor mirror(const at::Tensor &self)
{
    at::Tensor host =
        at::detail::empty_strided_cpu(self.sizes(), self.strides(), self.scalar_type());

    if (self.numel())
        read(host.mutable_data_ptr(), address_of(self), span_of(self));
    if (self.is_conj())
        host = host.conj();
    return self.is_neg() ? host._neg_view() : host;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &target, bool /*non_blocking*/)
{
    const at::Tensor source = self.is_cpu() ? self : mirror(self);

    if (target.is_cpu()) {
        target.copy_(source);
        return target;
    }
    at::Tensor host = mirror(target); /* what lies between the elements stays as it is */
    host.copy_(source);
    if (target.numel())
        write(address_of(target), host.storage().data(), span_of(target));
    return target;
}

const at::Tensor &resize_(const at::Tensor &self, at::IntArrayRef sizes,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();

    at::native::check_size_nonnegative(sizes);
    impl->set_sizes_contiguous(sizes);
    if (format && *format != at::MemoryFormat::Preserve)
        impl->empty_tensor_restride(*format);
    const size_t bytes =
        at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), self.itemsize(),
                                         static_cast<size_t>(self.storage_offset()));
    if (self.numel() && bytes > self.storage().nbytes())
        at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(self.storage(), bytes);
    return self;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &target)
{
    target.resize_(self.sizes());
    return copy_from(self, target, false);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return mirror(self).clone().item();
}

at::Tensor as_strided(const at::Tensor &self, c10::SymIntArrayRef sizes,
                      c10::SymIntArrayRef strides, std::optional<c10::SymInt> offset)
{
    return at::native::as_strided_tensorimpl(
        self, C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides),
        offset ? std::optional<int64_t>(offset->expect_int()) : std::nullopt);
}

at::Tensor &set_source(at::Tensor &self, at::Storage source, int64_t offset, at::IntArrayRef sizes,
                       at::IntArrayRef strides)
{
    TORCH_CHECK(source.device() == self.device(), "remote: a tensor on ", self.device(),
                " cannot have a storage on ", source.device());
    return at::native::set_storage_meta__symint(self, std::move(source), offset,
                                                c10::fromIntArrayRefSlow(sizes),
                                                c10::fromIntArrayRefSlow(strides));
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source)
{
    const auto count = static_cast<int64_t>(source.nbytes() / self.itemsize());
    return set_source(self, std::move(source), 0, {count}, {1});
}

at::Tensor &set_tensor(at::Tensor &self, const at::Tensor &source)
{
    return set_source(self, source.storage(), source.storage_offset(), source.sizes(),
                      source.strides());
}

/* ---- computing -------------------------------------------------------------------------------- */

void cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    at::native::cpu_fallback(op, stack);
}

/* The device that a call is about: the first tensor's, else the one of the device argument. */
c10::Device device_of_call(c10::ArrayRef<c10::IValue> arguments)
{
    for (const c10::IValue &argument : arguments)
        if (argument.isTensor() && argument.toTensor().defined() &&
            argument.toTensor().is_privateuseone())
            return argument.toTensor().device();
    return {c10::kPrivateUse1, current_device()};
}

/* Lends the call a CPU generator whose seed comes from the device's. */
void random_on_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto &arguments = op.schema().arguments();
    const size_t first = stack->size() - arguments.size();

    for (size_t i = 0; i < arguments.size(); i++) {
        c10::IValue &value = (*stack)[first + i];
        if (arguments[i].name() != "generator")
            continue;
        const c10::Device device = device_of_call(c10::ArrayRef<c10::IValue>(*stack).slice(first));
        at::Generator generator =
            value.isNone() ? default_generator(device.index()) : value.toGenerator();
        TORCH_CHECK(generator.device().type() == c10::kPrivateUse1,
                    "Expected a 'remote' device type for generator but found '",
                    generator.device().type(), "'");
        const std::lock_guard<std::mutex> lock(generator.mutex());
        auto *const own = static_cast<Generator *>(generator.unsafeGetGeneratorImpl());
        value = at::detail::createCPUGenerator(own->next());
    }
    at::native::cpu_fallback(op, stack);
}

/* ---- what a tensor remembers about its place --------------------------------------------------- */

struct Marks final : c10::BackendMeta {
    Marks(bool is_home, bool is_compressed) : home(is_home), compressed(is_compressed)
    {
    }
    c10::intrusive_ptr<c10::BackendMeta>
    clone(const c10::intrusive_ptr<c10::BackendMeta> & /*self*/) const override
    {
        return c10::make_intrusive<Marks>(home, compressed);
    }
    bool home, compressed;
};

void mark(const at::Tensor &tensor, bool home, bool compressed)
{
    tensor.unsafeGetTensorImpl()->set_backend_meta(c10::make_intrusive<Marks>(home, compressed));
}

void marks_to_map(const at::Tensor &tensor, std::unordered_map<std::string, bool> &map)
{
    const auto *const marks =
        dynamic_cast<const Marks *>(tensor.unsafeGetTensorImpl()->get_backend_meta());

    if (!marks)
        return;
    map["remote_home"] = marks->home;
    map["remote_compressed"] = marks->compressed;
}

void marks_from_map(const at::Tensor &tensor, std::unordered_map<std::string, bool> &map)
{
    const bool home = map.count("remote_home"), compressed = map.count("remote_compressed");

    if (home || compressed)
        mark(tensor, home, compressed);
}

[[maybe_unused]] const bool registered = [] {
    torch::jit::TensorBackendMetaRegistry(c10::kPrivateUse1, &marks_to_map, &marks_from_map);
    return true;
}();

TORCH_LIBRARY_IMPL(remote, CompositeExplicitAutograd, m)
{
    m.impl("mark", &mark);
}

/* Module.to keeps its parameters where the host's tensors may take the data of ours, and back. */
bool may_take_data(const at::Tensor &self, const at::Tensor &from)
{
    return self.layout() == at::kStrided && from.layout() == at::kStrided;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &empty_strided);
    m.impl("as_strided", &as_strided);
    m.impl("view", &at::native::view);
    m.impl("view.dtype", &at::native::view_dtype);
    m.impl("view_as_real", &at::native::view_as_real);
    m.impl("view_as_complex", &at::native::view_as_complex);
    m.impl("unfold", &at::native::unfold);
    m.impl("_reshape_alias", &at::native::_reshape_alias);
    m.impl("_has_compatible_shallow_copy_type", &may_take_data);
    /* Core has a form of its own, which wins over the fallback and takes contiguous tensors alone. */
    m.impl("native_group_norm", torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
    m.impl("resize_", &resize_);
    m.impl("set_.source_Storage", &set_storage);
    m.impl("set_.source_Storage_storage_offset", &set_source);
    m.impl("set_.source_Tensor", &set_tensor);
    m.impl("_copy_from", &copy_from);
    m.impl("_copy_from_and_resize", &copy_from_and_resize);
    m.impl("_local_scalar_dense", &local_scalar_dense);

    for (const char *const name :
         {"uniform_", "normal_", "random_", "random_.from", "random_.to", "bernoulli",
          "bernoulli.p", "bernoulli_.float", "bernoulli_.Tensor", "randperm.generator_out",
          "multinomial", "exponential_", "cauchy_", "geometric_", "log_normal_", "poisson",
          "normal.Tensor_Tensor", "normal.Tensor_float", "normal.float_Tensor"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&random_on_cpu>());
}

/* _copy_from looks at both bits itself. */
TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFallthrough());
}

} // namespace
} // namespace remote
