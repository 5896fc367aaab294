/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device guard: PyTorch's interface to the current device, its streams and its events.
 *
 * DeviceGuard, torch.accelerator and autograd all use this object. deviceCount and
 * uncheckedSetDevice are noexcept: an exception there ends the process. The index -1 is never
 * returned. Methods that are not overridden raise PyTorch's "Backend doesn't support ...".
 */
#include "foo.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

namespace foo
{

void check(int error, const char *what)
{
    TORCH_CHECK_WITH(OutOfMemoryError, error != FOO_NO_MEMORY, "foo: ", what, ": ",
                     foo_error_text(error));
    TORCH_CHECK(error == FOO_OK, "foo: ", what, ": ", foo_error_text(error));
}

c10::Device device_of(c10::DeviceIndex index)
{
    return {c10::DeviceType::PrivateUse1, index};
}

c10::DeviceIndex current_device() noexcept
{
    return static_cast<c10::DeviceIndex>(foo_device_get());
}

c10::DeviceIndex device_count() noexcept
{
    return static_cast<c10::DeviceIndex>(foo_device_count());
}

c10::DeviceIndex resolve(c10::DeviceIndex index, const char *what)
{
    const c10::DeviceIndex resolved = index == -1 ? current_device() : index;
    TORCH_CHECK(resolved >= 0 && resolved < device_count(), "foo: ", what, ": there is no device ",
                static_cast<int>(index), ", only ", static_cast<int>(device_count()));
    return resolved;
}

DeviceScope::DeviceScope(c10::DeviceIndex index) : previous_(foo_device_get())
{
    check(foo_device_set(index), "set device");
}

DeviceScope::~DeviceScope()
{
    (void)foo_device_set(previous_);
}

namespace
{

c10::DeviceIndex index_of(c10::Device device)
{
    TORCH_CHECK(device.is_privateuseone(), "foo: expected a device of foo, got ", device);
    return device.index();
}

/* @with streams */
foo_event *event_of(void *event)
{
    return static_cast<foo_event *>(event);
}

bool is_done(int error, const char *what)
{
    if (error == FOO_NOT_READY)
        return false;
    check(error, what);
    return true;
}
/* @end */

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::DeviceType::PrivateUse1;
    }

    c10::Device exchangeDevice(c10::Device device) const override
    {
        const c10::Device previous = getDevice();
        setDevice(device);
        return previous;
    }

    c10::Device getDevice() const override
    {
        return device_of(current_device());
    }

    void setDevice(c10::Device device) const override
    {
        check(foo_device_set(index_of(device)), "set device");
    }

    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        (void)foo_device_set(device.index());
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return device_count();
    }

    /* @with guard */
    void synchronizeDevice(const c10::DeviceIndex index) const override
    {
        check(foo_device_synchronize(resolve(index, "synchronize device")), "synchronize device");
    }
    /* @end */

    c10::Stream getStream(c10::Device device) const override
    {
        return current_torch_stream(resolve(index_of(device), "current stream"));
    }

    /* @with guard */
    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return default_torch_stream(resolve(index_of(device), "default stream"));
    }
    /* @end */

    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return exchange_stream(stream);
    }

    /* @with guard */
    bool queryStream(const c10::Stream &stream) const override
    {
        const int error = foo_stream_query(runtime_stream(stream));
        if (error == FOO_NOT_READY)
            return false;
        check(error, "query stream");
        return true;
    }

    void synchronizeStream(const c10::Stream &stream) const override
    {
        check(foo_stream_synchronize(runtime_stream(stream)), "synchronize stream");
    }
    /* @end */

    /* The runtime reuses a freed block only after all streams of its device have passed. */
    void recordDataPtrOnStream(const c10::DataPtr &, const c10::Stream &) const override
    {
    }

    /* @with streams */
    c10::Stream getNewStream(c10::Device device, int) const override
    {
        return new_stream(resolve(index_of(device), "new stream"));
    }

    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override
    {
        return new_stream(resolve(index_of(device), "new stream"));
    }

    void *getStreamNativeHandle(const c10::Stream stream) const override
    {
        return runtime_stream(stream);
    }

    /* The handle is made by the first record. If that record fails, the handle is destroyed. */
    void record(void **event, const c10::Stream &stream, const c10::DeviceIndex index,
                const c10::EventFlag) const override
    {
        TORCH_CHECK(index == -1 || index == stream.device_index(), "Event device index ",
                    static_cast<int>(index), " does not match recording stream's device index ",
                    static_cast<int>(stream.device_index()), ".");
        foo_stream *const on = runtime_stream(stream);
        foo_event *handle = event_of(*event);
        if (!handle)
            check(foo_event_create(&handle), "create event");
        const int error = foo_event_record(handle, on);
        if (error != FOO_OK && !*event)
            (void)foo_event_destroy(handle);
        check(error, "record event");
        *event = handle;
    }

    void block(void *event, const c10::Stream &stream) const override
    {
        if (event)
            check(foo_stream_wait(runtime_stream(stream), event_of(event)), "wait for event");
    }

    bool queryEvent(void *event) const override
    {
        return !event || is_done(foo_event_query(event_of(event)), "query event");
    }

    void synchronizeEvent(void *event) const override
    {
        if (event)
            check(foo_event_synchronize(event_of(event)), "synchronize event");
    }

    double elapsedTime(void *start, void *end, const c10::DeviceIndex) const override
    {
        double milliseconds = 0;
        TORCH_CHECK(start && end, "Both events must be recorded before calculating elapsed time.");
        const int error = foo_event_elapsed(event_of(start), event_of(end), &milliseconds);
        TORCH_CHECK(error != FOO_NOT_READY,
                    "Both events must be completed before calculating elapsed time.");
        check(error, "elapsed time");
        return milliseconds;
    }

    void destroyEvent(void *event, const c10::DeviceIndex) const noexcept override
    {
        (void)foo_event_destroy(event_of(event));
    }
    /* @end */
};

/* Never destroyed: static destructors of other libraries still call it. */
const bool registered = [] {
    c10::impl::registerDeviceGuard(c10::DeviceType::PrivateUse1, new Guard());
    return true;
}();

} // namespace

} // namespace foo

/* Called by the Python package. */
extern "C" {
__attribute__((visibility("default"))) int foo_python_device_count(void)
{
    return foo_device_count();
}

__attribute__((visibility("default"))) int foo_python_forked(void)
{
    return foo_forked();
}
}
