/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The methods that the faulty library can refuse. PyTorch's base class then handles the call, as if
 * the backend did not override the method. A refusal is not a fault, because a legal backend may
 * lack each method. Refusals act in ../../faults/refusing.h. The table also has one delay: the
 * first call of each method is slow.
 */
#include "fakedev_faults.h"
#include "fault_table.h"

#define REFUSAL(method)                                                                            \
    {                                                                                              \
        method, "refusal", "The base class answers.", "", "", FD_AT_CALL                           \
    }

static const struct fd_fault_info rows[] = {
    REFUSAL("allocator.getMemoryInfo"),
    REFUSAL("allocator.raw_deleter"),
    REFUSAL("guard.block"),
    REFUSAL("guard.destroyEvent"),
    REFUSAL("guard.elapsedTime"),
    REFUSAL("guard.getDefaultStream"),
    REFUSAL("guard.getDeviceCapability"),
    REFUSAL("guard.getNewStream"),
    REFUSAL("guard.getStreamFromGlobalPool"),
    REFUSAL("guard.getStreamNativeHandle"),
    REFUSAL("guard.isStreamCapturing"),
    REFUSAL("guard.queryEvent"),
    REFUSAL("guard.queryStream"),
    REFUSAL("guard.record"),
    REFUSAL("guard.recordDataPtrOnStream"),
    REFUSAL("guard.synchronizeDevice"),
    REFUSAL("guard.synchronizeEvent"),
    REFUSAL("guard.synchronizeStream"),
    REFUSAL("hooks.deviceCount"),
    REFUSAL("hooks.exchangeDevice"),
    REFUSAL("hooks.getCurrentDevice"),
    REFUSAL("hooks.getDefaultGenerator"),
    REFUSAL("hooks.getDeviceFromPtr"),
    REFUSAL("hooks.getNewGenerator"),
    REFUSAL("hooks.getPinnedMemoryAllocator"),
    REFUSAL("hooks.hasPrimaryContext"),
    REFUSAL("hooks.init"),
    REFUSAL("hooks.isAvailable"),
    REFUSAL("hooks.isBuilt"),
    REFUSAL("hooks.isPinnedPtr"),
    REFUSAL("hooks.maybeExchangeDevice"),
    REFUSAL("hooks.resizePrivateUse1Bytes"),
    REFUSAL("hooks.setCurrentDevice"),
    {"methods.late", "delay", "The first call of each method takes 300 ms.", "", "", FD_AT_CALL},
};

const struct fd_fault_layer fd_refusals = {rows, sizeof rows / sizeof rows[0]};
