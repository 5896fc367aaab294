/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fake backend's guard and profiler.
 */
#include <c10/core/Device.h>
#include <stdio.h>
#include <torch/csrc/profiler/stubs/base.h>

namespace {
int current;

struct Guard final : c10::DeviceGuardImpl {
    int exchangeDevice(int device) const override
    {
        const int previous = current;
        current = device;
        return previous;
    }
};

/* Like std::ostream: prints a number in digits, and a char as a character. */
struct Label {
    char *text;
    int size;
    void operator<<(int number) { snprintf(text, static_cast<size_t>(size), "device %d", number); }
    void operator<<(signed char byte) { snprintf(text, static_cast<size_t>(size), "device %c", byte); }
};

struct Stubs final : torch::profiler::impl::ProfilerStubs {
    void record(int *device, long *microseconds) const override
    {
        *device = current;
        *microseconds = 1;
    }
};
} // namespace

extern "C" int backend_exchanges(int device)
{
    return Guard().exchangeDevice(device);
}

extern "C" void backend_label(char *text, int size)
{
    Label{text, size} << Guard().currentDevice();
}

extern "C" int backend_records()
{
    decltype(current) device = -1;
    long microseconds = 0;
    const torch::profiler::impl::ProfilerStubs &stubs = *new Stubs;
    stubs.record(&device, &microseconds);
    return microseconds == 1;
}
