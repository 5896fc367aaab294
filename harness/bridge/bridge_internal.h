// SPDX-License-Identifier: BSD-3-Clause
//
// Helpers of all areas of the bridge: conversion of exceptions to a status, and the handles.
// Included by bridge_*.cc only.
#pragma once

#include "bridge.h"
#include "torch_differences.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

struct bridge_tensor {
    at::Tensor value;
};

struct bridge_generator {
    at::Generator value;
};

namespace bridge
{

// Called in a catch block: stores the text for this thread and returns the status.
int32_t remember_exception() noexcept;
// Stores an error that the bridge itself found.
int32_t refuse(int32_t status, const char *text) noexcept;

// Runs `work` and converts every exception to a status.
template <class Work>
int32_t guarded(Work &&work) noexcept
{
    try {
        work();
        return ASSAY_OK;
    } catch (...) {
        return remember_exception();
    }
}

// Records that the caller made this device current; a negative index is a no-op.
void remember_switch(int32_t device) noexcept;

inline c10::DeviceIndex index(int32_t device)
{
    return static_cast<c10::DeviceIndex>(device);
}

// The guard of the backend.
inline const c10::impl::DeviceGuardImplInterface &guard()
{
    return *c10::impl::getDeviceGuardImpl(c10::kPrivateUse1);
}

inline c10::Device device(int32_t index)
{
    if (index == BRIDGE_CPU)
        return c10::Device(c10::kCPU);
    return c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(index));
}

inline bridge_device report(c10::Device value) noexcept
{
    return {ASSAY_OK, static_cast<int32_t>(value.type()), value.index()};
}

inline c10::Stream stream(const bridge_stream &value)
{
    return c10::Stream(c10::Stream::UNSAFE,
                       c10::Device(static_cast<c10::DeviceType>(value.type),
                                   static_cast<c10::DeviceIndex>(value.device)),
                       value.id);
}

inline bridge_stream report(const c10::Stream &value) noexcept
{
    return {value.id(), ASSAY_OK, static_cast<int32_t>(value.device_type()), value.device_index(),
            0};
}

// The DataPtr that a block owns.
inline at::DataPtr *pointer_of(const bridge_block *block) noexcept
{
    return static_cast<at::DataPtr *>(block->owner);
}

// Moves `pointer` into `block`.
void give(at::DataPtr &&pointer, bridge_block *block);

} // namespace bridge
