/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard, hooks, allocator, streams, events and generators. The device answers each request before the
 * next, so that a stream is a number and an event a reading of the device's clock.
 */
#include "remote_device.h"

#include <ATen/ATen.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

namespace remote
{
namespace
{

thread_local c10::DeviceIndex current = 0;
thread_local std::array<c10::StreamId, device_count> streams{};
std::atomic<c10::StreamId> last_stream{0};

c10::Device device_of(c10::DeviceIndex index)
{
    return {c10::kPrivateUse1, index};
}

void check_index(c10::DeviceIndex index)
{
    TORCH_CHECK(index >= 0 && index < device_count, "remote: there is no device ",
                static_cast<int>(index), ", there are ", static_cast<int>(device_count));
}

void set_device(c10::DeviceIndex index)
{
    current = index;
    check_index(index);
}

} // namespace

c10::DeviceIndex current_device() noexcept
{
    return current;
}

c10::DeviceIndex resolved(c10::DeviceIndex index)
{
    if (index == -1)
        return current;
    check_index(index);
    return index;
}

namespace
{

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::kPrivateUse1;
    }
    c10::Device exchangeDevice(c10::Device device) const override
    {
        const c10::Device previous = getDevice();
        check_index(device.index());
        current = device.index();
        return previous;
    }
    c10::Device getDevice() const override
    {
        return device_of(current);
    }
    void setDevice(c10::Device device) const override
    {
        set_device(device.index());
    }
    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        if (device.index() >= 0 && device.index() < device_count)
            current = device.index();
    }
    c10::Stream getStream(c10::Device device) const override
    {
        const c10::DeviceIndex index = resolved(device.index());
        return c10::Stream(c10::Stream::UNSAFE, device_of(index),
                           streams[static_cast<size_t>(index)]);
    }
    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return c10::Stream(c10::Stream::DEFAULT, device_of(resolved(device.index())));
    }
    c10::Stream getNewStream(c10::Device device, int /*priority*/) const override
    {
        return c10::Stream(c10::Stream::UNSAFE, device_of(resolved(device.index())), ++last_stream);
    }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool /*urgent*/) const override
    {
        return getNewStream(device, 0);
    }
    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        const c10::Stream previous = getStream(stream.device());
        streams[static_cast<size_t>(previous.device_index())] = stream.id();
        return previous;
    }
    bool queryStream(const c10::Stream & /*stream*/) const override
    {
        return true;
    }
    void synchronizeStream(const c10::Stream & /*stream*/) const override
    {
    }
    void synchronizeDevice(c10::DeviceIndex /*index*/) const override
    {
    }
    c10::DeviceIndex deviceCount() const noexcept override
    {
        return device_count;
    }

    void record(void **event, const c10::Stream & /*stream*/, c10::DeviceIndex /*index*/,
                c10::EventFlag /*flag*/) const override
    {
        if (!*event)
            *event = new uint64_t;
        *static_cast<uint64_t *>(*event) = clock_nanoseconds();
    }
    void block(void * /*event*/, const c10::Stream & /*stream*/) const override
    {
    }
    bool queryEvent(void * /*event*/) const override
    {
        return true;
    }
    void synchronizeEvent(void * /*event*/) const override
    {
    }
    void destroyEvent(void *event, c10::DeviceIndex /*index*/) const noexcept override
    {
        delete static_cast<uint64_t *>(event);
    }
    double elapsedTime(void *first, void *second, c10::DeviceIndex /*index*/) const override
    {
        const uint64_t begin = *static_cast<uint64_t *>(first),
                       end = *static_cast<uint64_t *>(second);
        return static_cast<double>(static_cast<int64_t>(end - begin)) / 1e9;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Memory final : c10::Allocator {
    c10::DataPtr allocate(size_t count) override
    {
        void *const pointer = count ? remote::allocate(current, count) : nullptr;
        return {pointer, pointer, &release, device_of(current)};
    }
    c10::DeleterFnPtr raw_deleter() const override
    {
        return &release;
    }
    void copy_data(void *target, const void *source, size_t count) const override
    {
        std::vector<char> bytes(count);

        if (count == 0)
            return;
        read(bytes.data(), source, count);
        write(target, bytes.data(), count);
    }
};

Memory *const memory = new Memory();
REGISTER_ALLOCATOR(c10::kPrivateUse1, memory)

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }
    bool isAvailable() const override
    {
        return true;
    }
    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return index >= 0 && index < device_count && is_connected();
    }
    c10::DeviceIndex deviceCount() const override
    {
        return device_count;
    }
    c10::DeviceIndex getCurrentDevice() const override
    {
        return current;
    }
    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        set_device(index);
    }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        return Guard().exchangeDevice(device_of(index)).index();
    }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? current : exchangeDevice(index);
    }
    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return default_generator(resolved(index));
    }
    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return at::make_generator<Generator>(index < 0 ? current : index,
                                             std::make_shared<Randomness>());
    }
    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator();
    }
    /* The old bytes go over the wire and back. */
    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        c10::StorageImpl *const impl = storage.unsafeGetStorageImpl();
        TORCH_CHECK(impl->resizable(), "remote: this storage cannot be resized");
        c10::DataPtr grown = memory->allocate(size);
        const size_t kept = std::min(size, impl->nbytes());

        if (kept)
            memory->copy_data(grown.get(), impl->data(), kept);
        impl->set_data_ptr_noswap(std::move(grown));
        impl->set_nbytes(size);
    }
};

[[maybe_unused]] const bool registered = [] {
    c10::register_privateuse1_backend("remote");
    at::RegisterPrivateUse1HooksInterface(new Hooks()); /* never destroyed */
    return true;
}();

} // namespace

/* ---- random numbers -------------------------------------------------------------------------- */

Generator::Generator(c10::DeviceIndex device, std::shared_ptr<Randomness> randomness)
    : c10::GeneratorImpl(device_of(device), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
      randomness_(std::move(randomness))
{
}

void Generator::set_current_seed(uint64_t seed)
{
    *randomness_ = {seed, 0};
}

uint64_t Generator::current_seed() const
{
    return randomness_->seed;
}

uint64_t Generator::seed()
{
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return randomness_->seed;
}

void Generator::set_offset(uint64_t offset)
{
    randomness_->offset = offset;
}

uint64_t Generator::get_offset() const
{
    return randomness_->offset;
}

c10::intrusive_ptr<c10::TensorImpl> Generator::get_state() const
{
    const at::Tensor state = at::empty({static_cast<int64_t>(sizeof(Randomness))}, at::kByte);

    std::memcpy(state.mutable_data_ptr<uint8_t>(), randomness_.get(), sizeof(Randomness));
    return state.getIntrusivePtr();
}

void Generator::set_state(const c10::TensorImpl &state)
{
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == sizeof(Randomness), "remote: a state has ", sizeof(Randomness),
                " bytes, not ", state.numel());
    std::memcpy(randomness_.get(), state.data(), sizeof(Randomness));
}

uint64_t Generator::next()
{
    uint64_t mixed = randomness_->seed + 0x9e3779b97f4a7c15u * ++randomness_->offset;

    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

Generator *Generator::clone_impl() const
{
    return new Generator(device().index(), std::make_shared<Randomness>(*randomness_));
}

/* The device's process has one source of randomness. */
const at::Generator &default_generator(c10::DeviceIndex device)
{
    static const auto *const all = [] {
        const auto shared = std::make_shared<Randomness>();
        return new std::array<at::Generator, device_count>{
            at::make_generator<Generator>(c10::DeviceIndex{0}, shared),
            at::make_generator<Generator>(c10::DeviceIndex{1}, shared)};
    }();
    return (*all)[static_cast<size_t>(device)];
}

/* ---- for the package -------------------------------------------------------------------------- */

namespace
{

at::Generator default_generator_at(int64_t device)
{
    check_index(static_cast<c10::DeviceIndex>(device));
    return default_generator(static_cast<c10::DeviceIndex>(device));
}

void serve_with_program(std::string interpreter, std::string script)
{
    serve_with(interpreter, script);
}

TORCH_LIBRARY(remote, m)
{
    m.def("default_generator(int device) -> Generator?", &default_generator_at);
    m.def("serve_with(str interpreter, str script) -> ()", &serve_with_program);
    m.def("is_connected() -> bool", &is_connected);
    m.def("disconnect() -> ()", &disconnect);
    m.def("mark(Tensor tensor, bool home, bool compressed) -> ()");
}

} // namespace
} // namespace remote
