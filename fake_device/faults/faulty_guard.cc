/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device guard with its faults. Each method queries its own faults, and calls the correct
 * method if none of these faults is on. The faults of streams are in faulty_streams.cc.
 */
#include "faulty_parts.h"

#include "device_index.h"
#include "faulty_streams.h"
#include "refusing.h"
#include "status.h"
#include "streams.h"
#include "switchboard.h"

#include <algorithm>
#include <atomic>

namespace fakedev
{

namespace
{

/* True if the driver accepts a call for this device. The number of devices does not show this. */
bool driver_knows(c10::DeviceIndex device) noexcept
{
    struct fd_properties properties;
    return fd_device_properties(device, &properties) == FD_OK;
}

bool driver_answers() noexcept
{
    return device_count() > 0 && driver_knows(current_device());
}

/* Fails if the guard is used after the static objects that it needs were destroyed. */
void need_statics()
{
    TORCH_CHECK(!statics_are_gone() || !armed("guard.unusable_at_exit"),
                "fakedev: the runtime was shut down");
}

thread_local bool device_was_set = false;

/* Returns the device that was current at the thread's first call of this function. */
c10::DeviceIndex remembered_device() noexcept
{
    static thread_local const c10::DeviceIndex first = current_device();
    return first;
}

/* The event of the newest record, and the event that the newest successful query found complete. */
std::atomic<void *> newest_event{nullptr}, complete_event{nullptr};

void refuse_record(c10::DeviceIndex index)
{
    TORCH_CHECK(!armed("event.half_missing"), "Backend doesn't support events.");
    TORCH_CHECK(index >= 0 || !armed("event.needs_an_index"), "fakedev: an event of no device");
}

/* The index that `record` uses as the device of the event. */
c10::DeviceIndex spoiled_index(c10::DeviceIndex index)
{
    return index < 0 && armed("event.first_index_is_zero") ? 0 : index;
}

struct FaultyGuard : FaultyStreams {
    c10::DeviceType type() const override
    {
        return armed("guard.type_is_cuda") ? c10::DeviceType::CUDA : Guard::type();
    }

    c10::Device exchangeDevice(c10::Device device) const override
    {
        const c10::Device previous = Guard::exchangeDevice(device);
        return armed("guard.exchange_returns_new") ? device : previous;
    }

    c10::Device getDevice() const override
    {
        need_statics();
        if (armed("guard.current_is_minus_one") ||
            (armed("guard.no_device_on_new_threads") && !device_was_set))
            return make_device(-1);
        return armed("guard.current_is_remembered") ? make_device(remembered_device())
                                                    : Guard::getDevice();
    }

    void setDevice(c10::Device device) const override
    {
        c10::Device wanted = device;
        if (armed("guard.set_takes_minus_one_as_zero"))
            wanted.set_index(std::max<c10::DeviceIndex>(device.index(), 0));
        if (armed("guard.set_ignores_argument"))
            wanted.set_index(0);
        Guard::setDevice(wanted);
        device_was_set = true;
    }

    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        if (armed("guard.unchecked_set_does_nothing"))
            return;
        need_statics();
        Guard::uncheckedSetDevice(armed("guard.unchecked_set_is_zero") ? make_device(0) : device);
        if (armed("guard.unchecked_set_throws")) {
            check(fd_device_set(device.index()), "set device");
            TORCH_CHECK(driver_answers(), "fakedev: set device: the driver does not answer");
        }
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        const c10::DeviceIndex count = Guard::deviceCount();
        TORCH_CHECK(!armed("guard.count_throws") || driver_answers(), "fakedev: no device");
        return armed("guard.count_one_too_many") ? static_cast<c10::DeviceIndex>(count + 1) : count;
    }

    c10::DeviceCapability getDeviceCapability(c10::Device device) const override
    {
        if (armed("guard.capability_any_index"))
            return Guard::getDeviceCapability(make_device(0));
        c10::DeviceCapability capability = Guard::getDeviceCapability(device);
        if (armed("guard.capability_claims_everything"))
            return c10::DeviceCapability();
        if (armed("guard.capability_is_empty"))
            capability.capability_data.capability_bits = 0;
        if (device.index() > 0 && armed("guard.capability_only_on_device_zero"))
            capability.capability_data.capability_bits = 1ULL << c10::kIndex_Byte;
        return capability;
    }

    void synchronizeDevice(const c10::DeviceIndex index) const override
    {
        if (index >= device_count() && armed("guard.synchronize_takes_any_index"))
            return;
        const c10::DeviceIndex device = resolve_device(index, "synchronize device");

        TORCH_INTERNAL_ASSERT(!armed("guard.synchronize_asserts"));
        if (armed("guard.synchronize_switches_device"))
            check(fd_device_set(device), "set device");
        if (armed("guard.synchronize_only_current_stream"))
            check(fd_stream_synchronize(current_stream(device)), "synchronize device");
        else if (!armed("guard.synchronize_does_nothing"))
            Guard::synchronizeDevice(device);
        for (int32_t i = 0; i < device_count() && armed("guard.synchronize_waits_for_all"); i++)
            check(fd_device_synchronize(i), "synchronize device");
    }

    /* ---- events ---- */

    void record(void **event, const c10::Stream &stream, const c10::DeviceIndex index,
                const c10::EventFlag flag) const override
    {
        refuse_record(index);
        const bool forgotten =
            armed("event.new_handle_each_record") ||
            (armed("event.any_device") && index >= 0 && index != stream.device_index());
        if (forgotten)
            *event = nullptr;
        try {
            Guard::record(event, stream, spoiled_index(forgotten ? -1 : index), flag);
        } catch (...) {
            if (armed("event.failed_record_loses_handle"))
                *event = nullptr;
            throw;
        }
        newest_event = *event;
    }

    void block(void *event, const c10::Stream &stream) const override
    {
        TORCH_CHECK(event || !armed("event.null_refused"), "fakedev: null is no event");
        if (!armed("event.block_does_nothing"))
            Guard::block(event, stream);
    }

    bool queryEvent(void *event) const override
    {
        TORCH_CHECK(event || !armed("event.null_refused"), "fakedev: null is no event");
        if (armed("event.query_never_true"))
            return false;
        if (armed("event.query_always_true") ||
            (armed("event.newest_is_complete") && event == newest_event) ||
            (armed("event.remembers_completion") && event == complete_event))
            return true;
        const bool complete = Guard::queryEvent(event);
        if (complete)
            complete_event = event;
        return complete;
    }

    void synchronizeEvent(void *event) const override
    {
        TORCH_CHECK(!armed("event.synchronize_missing"),
                    "Backend doesn't support synchronizing events.");
        try {
            Guard::synchronizeEvent(event);
        } catch (const c10::AcceleratorError &) {
            if (!armed("event.synchronize_hides_failures"))
                throw;
        }
    }

    double elapsedTime(void *start, void *end, const c10::DeviceIndex index) const override
    {
        if (armed("event.elapsed_switches_device"))
            check(fd_device_set(index), "set device");
        return Guard::elapsedTime(start, end, index);
    }

    void destroyEvent(void *event, const c10::DeviceIndex index) const noexcept override
    {
        if (armed("event.destroy_switches_device"))
            (void)fd_device_set(index);
        TORCH_CHECK(!armed("event.destroy_asks_the_driver") || driver_knows(index),
                    "fakedev: destroy event: the driver does not answer");
        Guard::destroyEvent(event, index);
    }
};

} // namespace

c10::impl::DeviceGuardImplInterface *make_faulty_guard()
{
    return new RefusingGuard<FaultyGuard>();
}

} // namespace fakedev
