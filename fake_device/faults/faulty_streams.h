/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stream methods of the device guard, with their faults.
 */
#pragma once

#include "device_guard.h"

namespace fakedev
{

struct FaultyStreams : Guard {
    c10::Stream getStream(c10::Device device) const override;
    c10::Stream getDefaultStream(c10::Device device) const override;
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool isHighPriority) const override;
    c10::Stream getNewStream(c10::Device device, int priority) const override;
    c10::Stream exchangeStream(c10::Stream stream) const override;
    void *getStreamNativeHandle(const c10::Stream stream) const override;
    bool queryStream(const c10::Stream &stream) const override;
    void synchronizeStream(const c10::Stream &stream) const override;
    bool isStreamCapturing(const c10::Stream &stream) const override;
    void recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const override;
};

} // namespace fakedev
