/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices: lazy start, current device per thread, peers, properties. Called by every other part of
 * the driver. Must not depend on streams and memory: device_control.c has the device operations
 * that use streams or memory.
 */
#include "device.h"

#include "error.h"
#include "fault.h"
#include "settings.h"
#include "stream_internal.h"
#include "trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { NOT_STARTED, STARTING, STARTED, FORKED };

static _Atomic int32_t phase = NOT_STARTED;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int32_t lost[FD_MAX_DEVICES];
static _Atomic int32_t peer_disabled[FD_MAX_DEVICES][FD_MAX_DEVICES];
static _Thread_local int32_t current_of_thread;
static _Atomic int32_t current_of_all; /* fault device.current_shared_by_threads */
static _Atomic int32_t times_counted;  /* fault device.count_changes */

/* ---- start and fork -------------------------------------------------------------------------- */

/* A forked child discards the driver's state if the driver had started or another thread was
 * starting the driver. These threads do not exist in the child, so nobody there would release their locks. */
static void after_fork_in_child(void)
{
    if (atomic_load(&phase) != NOT_STARTED && !fd_fault("device.fork_goes_unnoticed"))
        atomic_store(&phase, FORKED);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

fd_status fd_driver_check_fork(void)
{
    if (atomic_load(&phase) != FORKED)
        return FD_OK;
    return fd_fail(
        FD_ERROR_FORKED,
        "this process was forked after the driver had started and cannot use the devices; "
        "start it as a fresh process (spawn) or fork before the first use");
}

int32_t fd_started(void)
{
    return atomic_load(&phase) == STARTED;
}

int32_t fd_forked_after_start(void)
{
    return atomic_load(&phase) == FORKED;
}

/* Called when the driver starts. By then, every layer has been loaded. */
static void refuse_unserved_faults(void)
{
    char message[200];
    const char *fault = fd_faults_unserved();
    if (!fault)
        return;
    (void)snprintf(message, sizeof message,
                   "%s acts in a layer that is loaded without its faults: import "
                   "torch_fakedev_faulty instead of torch_fakedev",
                   fault);
    fd_settings_refuse(message);
}

static fd_status (*start_memory)(void);

void fd_driver_starts_with(fd_status (*start)(void))
{
    start_memory = start;
}

static fd_status start_once(void)
{
    refuse_unserved_faults();
    (void)pthread_mutex_lock(&start_lock);
    fd_status status = FD_OK;
    if (atomic_load(&phase) != STARTED) {
        atomic_store(&phase, STARTING);
        status = start_memory();
        atomic_store(&phase, status == FD_OK ? STARTED : NOT_STARTED);
    }
    (void)pthread_mutex_unlock(&start_lock);
    return status;
}

fd_status fd_driver_start(void)
{
    if (fd_settings()->devices == 0)
        return fd_fail(FD_ERROR_NO_DEVICE, "this machine has no device (FAKEDEV_DEVICES is 0)");
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    return atomic_load(&phase) == STARTED ? FD_OK : start_once();
}

/* ---- checks ---------------------------------------------------------------------------------- */

static fd_status check_range(int32_t device)
{
    const int32_t count = fd_settings()->devices;
    if (count == 0)
        return fd_fail(FD_ERROR_NO_DEVICE, "this machine has no device (FAKEDEV_DEVICES is 0)");
    if (device >= 0 && device < count)
        return FD_OK;
    return fd_fail(FD_ERROR_INVALID_DEVICE, "there is no device %d; indices run from 0 to %d",
                   device, count - 1);
}

int32_t fd_device_is_lost(int32_t device)
{
    return atomic_load(&lost[device]);
}

void fd_device_mark_lost(int32_t device, int32_t is_lost)
{
    atomic_store(&lost[device], is_lost);
}

fd_status fd_device_check_even_lost(int32_t device)
{
    const fd_status status = check_range(device);
    return status == FD_OK ? fd_driver_start() : status;
}

fd_status fd_device_check(int32_t device)
{
    const fd_status status = fd_device_check_even_lost(device);
    if (status != FD_OK || !fd_device_is_lost(device))
        return status;
    return fd_fail(FD_ERROR_DEVICE_LOST, "device %d is lost; only a reset brings it back", device);
}

/* ---- count and current device ---------------------------------------------------------------- */

/* Calls that count devices or read the current device are not traced. PyTorch makes these calls
 * before every operator, so they would fill the trace. */
fd_status fd_device_count(int32_t *count)
{
    if (!count)
        return fd_fail(FD_ERROR_INVALID_VALUE, "count is NULL");
    *count = fd_settings()->devices;
    if (fd_fault("device.count_changes"))
        *count += atomic_fetch_add(&times_counted, 1) & 1;
    return FD_OK;
}

fd_status fd_device_get(int32_t *device)
{
    if (!device)
        return fd_fail(FD_ERROR_INVALID_VALUE, "device is NULL");
    *device = fd_fault("device.current_shared_by_threads") ? atomic_load(&current_of_all)
                                                           : current_of_thread;
    return FD_OK;
}

static fd_status set_device(int32_t device)
{
    const fd_status status = check_range(device);
    if (status != FD_OK && !fd_fault("device.set_accepts_out_of_range"))
        return status;
    if (fd_fault("device.current_ignores_set"))
        return FD_OK;
    current_of_thread = device;
    atomic_store(&current_of_all, device);
    return FD_OK;
}

fd_status fd_device_set(int32_t device)
{
    return fd_trace_call("fd_device_set", device, -1, 0, set_device(device));
}

/* ---- properties and peers -------------------------------------------------------------------- */

#define ODD_NAME "\"f\u00e4ke\" \\ 'device' with a name of all but sixty-four bytes, <&>"

static fd_status properties_of(int32_t device, struct fd_properties *properties)
{
    const fd_status status = fd_device_check(device);
    if (status != FD_OK)
        return status;
    if (!properties)
        return fd_fail(FD_ERROR_INVALID_VALUE, "properties is NULL");
    const struct fd_settings *settings = fd_settings();
    *properties = (struct fd_properties){
        .total_memory = settings->memory,
        .alignment = (uint32_t)settings->alignment,
        .compute_units = FD_COMPUTE_SLOTS,
        .priority_lowest = 0,
        .priority_highest = -2,
        .can_hold_streams = !settings->eager_streams,
        .has_fp64 = !fd_settings()->no_fp64,
    };
    (void)snprintf(properties->name, sizeof properties->name, "%s",
                   fd_variant_is_on("odd_name") ? ODD_NAME : "assay fake device");
    return FD_OK;
}

fd_status fd_device_properties(int32_t device, struct fd_properties *properties)
{
    return fd_trace_call("fd_device_properties", device, -1, 0, properties_of(device, properties));
}

static fd_status check_pair(int32_t device, int32_t peer)
{
    const fd_status status = fd_device_check(device);
    return status == FD_OK ? fd_device_check(peer) : status;
}

int32_t fd_device_peer_enabled(int32_t device, int32_t peer)
{
    return device == peer || !atomic_load(&peer_disabled[device][peer]);
}

static fd_status can_access_peer(int32_t device, int32_t peer, int32_t *can)
{
    const fd_status status = check_pair(device, peer);
    if (status != FD_OK)
        return status;
    if (!can)
        return fd_fail(FD_ERROR_INVALID_VALUE, "can is NULL");
    *can = fd_device_peer_enabled(device, peer);
    return FD_OK;
}

fd_status fd_device_can_access_peer(int32_t device, int32_t peer, int32_t *can)
{
    return fd_trace_call("fd_device_can_access_peer", device, -1, 0,
                         can_access_peer(device, peer, can));
}

static fd_status enable_peer(int32_t device, int32_t peer, int32_t enable)
{
    const fd_status status = check_pair(device, peer);
    if (status != FD_OK)
        return status;
    if (device == peer)
        return fd_fail(FD_ERROR_INVALID_VALUE, "device %d is its own peer", device);
    atomic_store(&peer_disabled[device][peer], !enable);
    return FD_OK;
}

fd_status fd_device_enable_peer(int32_t device, int32_t peer, int32_t enable)
{
    return fd_trace_call("fd_device_enable_peer", device, -1, 0, enable_peer(device, peer, enable));
}
