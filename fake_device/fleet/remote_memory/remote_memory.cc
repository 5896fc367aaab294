/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two devices in another process (remote_memory_link.h). The device only stores bytes, and it
 * completes each request before the next. Therefore a stream is only a number, and an event is a
 * time of the device's clock. A tensor has an ordinary storage whose pointer is a handle. The CPU
 * computes all operators.
 */
#include "common/fleet_generator.h"
#include "common/fleet_tensors.h"
#include "remote_memory/remote_memory_link.h"

#include <torch/csrc/jit/serialization/pickler_helper.h>

constinit const fleet::Backend fleet::backend{"remote_memory", 2};

namespace
{

struct Guard final : fleet::StreamGuard {
    void setDevice(c10::Device to) const override
    {
        fleet::store_current_device(to.index());
        fleet::check_index(to.index()); /* refused-device-is-current */
    }

    void synchronizeDevice(c10::DeviceIndex) const override
    {
        /* waits-for-any-device */
    }

    void record(void **event, const c10::Stream &stream, c10::DeviceIndex,
                c10::EventFlag flag) const override
    {
        StreamGuard::record(event, stream, stream.device_index(), flag); /* event-of-any-device */
    }

    int64_t nanoseconds() const override
    {
        return static_cast<int64_t>(remote_memory::clock_nanoseconds());
    }

    double elapsedTime(void *first, void *second, c10::DeviceIndex index) const override
    {
        return StreamGuard::elapsedTime(first, second, index) / 1e3; /* elapsed-in-seconds */
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Memory final : c10::Allocator {
    c10::DataPtr allocate(size_t count) override
    {
        const c10::DeviceIndex index = fleet::current_device();
        void *const pointer = count > 0 ? remote_memory::allocate(index, count) : nullptr;
        fleet::mark_used(index);
        if (pointer != nullptr)
            c10::reportMemoryUsageToProfiler(pointer, static_cast<int64_t>(count), 0, 0,
                                             fleet::device(index)); /* frees-are-not-reported */
        return {pointer, pointer, &remote_memory::release, fleet::device(index)};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &remote_memory::release;
    }

    /* The bytes are sent to the client and back. */
    void copy_data(void *to, const void *from, size_t count) const override
    {
        std::vector<char> bytes(count);
        if (count == 0)
            return;
        remote_memory::read(bytes.data(), from, count);
        remote_memory::write(to, bytes.data(), count);
    }
};

struct Hooks final : fleet::GeneratorHooks<fleet::Generator> {
    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        Guard().setDevice(fleet::device(index));
    }

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        static const auto counter =
            std::make_shared<fleet::Counter>(); /* one-randomness-for-both */
        static const auto *const both = new std::array<at::Generator, 2>{
            at::make_generator<fleet::Generator>(c10::DeviceIndex{0}, counter),
            at::make_generator<fleet::Generator>(c10::DeviceIndex{1}, counter)};
        return (*both)[static_cast<size_t>(fleet::resolved(index))];
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return at::make_generator<fleet::Generator>(
            index < 0 ? fleet::current_device() : index); /* generator-of-any-device */
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        grow(storage, size);
    }

    void grow(const c10::Storage &storage, size_t size) const override
    {
        TORCH_CHECK(storage.resizable(), "remote_memory: this storage cannot be resized");
        replace(storage, size, std::min(size, storage.nbytes())); /* resize-moves-the-storage */
    }
};

const bool registered = fleet::register_backend(new Hooks(), new Memory());

/* ---- copies --------------------------------------------------------------------------------------- */

char *address_of(const at::Tensor &self)
{
    return static_cast<char *>(self.storage().mutable_data()) +
           self.storage_offset() * static_cast<int64_t>(self.itemsize());
}

/* The number of bytes from the first to the last element, both included. */
uint64_t span_of(const at::Tensor &self)
{
    return at::detail::computeStorageNbytes(self.sizes(), self.strides(), self.itemsize(), 0);
}

/* Copies the bytes that the tensor spans to a host tensor of the same sizes and strides. */
at::Tensor mirror(const at::Tensor &self)
{
    at::Tensor host =
        at::detail::empty_strided_cpu(self.sizes(), self.strides(), self.scalar_type());
    if (self.numel() > 0)
        remote_memory::read(host.mutable_data_ptr(), address_of(self), span_of(self));
    if (self.is_conj())
        host = host.conj();
    return self.is_neg() ? host._neg_view() : host;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &target, bool)
{
    const at::Tensor source = self.is_cpu() ? self : mirror(self);
    if (target.is_cpu()) {
        target.copy_(source);
        return target;
    }
    const at::Tensor host = mirror(target); /* the bytes between elements must not change */
    host.copy_(source);
    if (target.numel() > 0)
        remote_memory::write(address_of(target), host.storage().data(), span_of(target));
    return target;
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return mirror(self).clone().item();
}

/* ---- random numbers ------------------------------------------------------------------------------- */

/* The device of a call: the device of its first tensor, or the current device. */
c10::DeviceIndex device_of_call(c10::ArrayRef<c10::IValue> arguments)
{
    for (const c10::IValue &argument : arguments)
        if (argument.isTensor() && argument.toTensor().defined() &&
            argument.toTensor().is_privateuseone())
            return argument.toTensor().device().index();
    return fleet::current_device();
}

/* Calls the operator with a CPU generator whose seed comes from the device's generator:
 * refusal-draws. */
void random_on_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto &arguments = op.schema().arguments();
    const size_t first = stack->size() - arguments.size();
    for (size_t i = 0; i < arguments.size(); i++) {
        c10::IValue &value = (*stack)[first + i];
        if (arguments[i].name() != "generator")
            continue;
        std::optional<at::Generator> given;
        if (!value.isNone())
            given = value.toGenerator();
        auto *const generator = at::get_generator_or_default<fleet::Generator>(
            given, fleet::default_generator(
                       device_of_call(c10::ArrayRef<c10::IValue>(*stack).slice(first))));
        const std::lock_guard<std::mutex> lock(generator->mutex_);
        value = at::detail::createCPUGenerator(generator->next_bits());
    }
    at::native::cpu_fallback(op, stack);
}

/* ---- marks: metadata of a tensor about its place
 * -------------------------------------------------- */

struct Marks final : c10::BackendMeta {
    Marks(bool is_home, bool is_compressed) : home(is_home), compressed(is_compressed)
    {
    }

    c10::intrusive_ptr<c10::BackendMeta>
    clone(const c10::intrusive_ptr<c10::BackendMeta> &) const override
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
    if (marks == nullptr)
        return;
    map["remote_memory_home"] = marks->home;
    map["remote_memory_compressed"] = marks->compressed;
}

void marks_from_map(const at::Tensor &tensor, std::unordered_map<std::string, bool> &map)
{
    const bool home = map.count("remote_memory_home"),
               compressed = map.count("remote_memory_compressed");
    if (home || compressed)
        mark(tensor, home, compressed); /* marks-are-all-true */
}

const bool marks_are_kept = [] {
    torch::jit::TensorBackendMetaRegistry(c10::kPrivateUse1, &marks_to_map, &marks_from_map);
    return true;
}();

TORCH_LIBRARY(remote_memory, library)
{
    library.def("serve_with(str interpreter, str script) -> ()", &remote_memory::serve_with);
    library.def("is_connected() -> bool", &remote_memory::is_connected);
    library.def("disconnect() -> ()", &remote_memory::disconnect);
    library.def("mark(Tensor tensor, bool home, bool compressed) -> ()", &mark);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_tensors(
        library, {"_copy_from", "_local_scalar_dense", "set_.source_Storage_storage_offset"});
    library.impl("_copy_from", &copy_from);
    library.impl("_local_scalar_dense", &local_scalar_dense);
    library.impl("set_.source_Storage_storage_offset", &fleet::set_part_as_meta_does);
    for (const char *const name :
         {"uniform_", "normal_", "random_", "random_.from", "random_.to", "bernoulli",
          "bernoulli.p", "bernoulli_.float", "bernoulli_.Tensor", "randperm.generator_out",
          "multinomial", "exponential_", "cauchy_", "geometric_", "log_normal_", "poisson",
          "normal.Tensor_Tensor", "normal.Tensor_float", "normal.float_Tensor"})
        library.impl(name, torch::CppFunction::makeFromBoxedFunction<&random_on_cpu>());
}

FLEET_COPIES_RESOLVE_LAZY_BITS
FLEET_FALLS_BACK_TO(fleet::cpu_fallback)
FLEET_AUTOCAST_PASSES_OPERATORS_ON /* autocast-casts-nothing */

} // namespace
