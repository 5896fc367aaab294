/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See native_callbacks.h. Linked into the native host only. This file uses the bridge and must not
 * depend on evidence.
 */
#include "native_callbacks.h"
#include "adapter.h"
#include "bridge.h"
#include "check_registry.h"
#include "describe.h"
#include "host_orders.h"
#include "means.h"
#include "native_target.h"
#include "process_state.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTION_SECONDS 5
#define KIND_SIZE 64
#define COMMON_KIND "float32 any"

struct native_host {
    struct hn_host_callbacks table;
    struct hn_checks *checks;
    struct hn_adapter *adapter;
    struct hn_host_target target;
};

static int ends_with(const char *text, const char *tail)
{
    const size_t length = strlen(text), end = strlen(tail);
    return length >= end && strcmp(text + length - end, tail) == 0;
}

static int refuse(const char *text)
{
    hn_host_problem(text);
    return ASSAY_EFAILED;
}

/* Loads the suites; torch and the bridge are already loaded. Skips folders, because they contain
 * Python checks. */
static int prepare(void *context, const struct hn_host_setup *setup)
{
    struct native_host *const host = context;
    char text[1024];
    for (size_t i = 0; i < setup->module_count; i++) {
        if (ends_with(setup->modules[i], ".so") &&
            hn_checks_open(host->checks, setup->modules[i], text, sizeof text) != ASSAY_OK) {
            return refuse(text);
        }
    }
    return HN_HOST_DONE;
}

static pid_t plain_fork(void *context)
{
    (void)context;
    return fork();
}

static int load_target(void *context, const struct hn_host_setup *setup,
                       struct hn_host_target *target)
{
    struct native_host *const host = context;
    char text[2048];
    if (hn_native_load(setup->steps, setup->step_count, text, sizeof text) != ASSAY_OK ||
        hn_native_describe(setup, target, text, sizeof text) != ASSAY_OK) {
        return refuse(text);
    }
    host->target = *target;
    const struct assay_target_options options = {.struct_size = sizeof options,
                                                 .device_count = target->device_count,
                                                 .devices = target->devices,
                                                 .device_name = target->device_name};
    if (setup->adapter &&
        hn_adapter_open(setup->adapter, &options, &host->adapter, text, sizeof text) != ASSAY_OK) {
        return refuse(text);
    }
    return HN_HOST_DONE;
}

/* Finds a kind of tensor that can be copied to the device and back; "" if there is none.
 * usable_devices.py does the same in the Python host. */
static void find_kind(int32_t device, char kind[KIND_SIZE])
{
    kind[0] = '\0';
    bridge_tensor_kind(device, kind, KIND_SIZE);
    if (kind[0])
        return;
    const struct bridge_device before = bridge_guard_exchange(device);
    if (before.status != ASSAY_OK)
        return;
    bridge_tensor_kind(device, kind, KIND_SIZE);
    bridge_guard_unchecked_set(before.index);
}

/* Tries the state queries before the device is used, in a child process that may crash. */
static int try_questions(const struct hn_host_target *target)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(QUESTION_SECONDS);
        const int device = hn_state_try_device(target->devices, target->device_count);
        _exit(device | hn_state_try_streams(target->devices, target->device_count));
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : 0;
}

/* If neither guard nor hooks can count devices, there may still be a device: tries index 0. */
static uint32_t candidates(const struct hn_host_target *target, int32_t devices[HN_HOST_DEVICES])
{
    int32_t count = 0;
    if (!target->device_count && bridge_guard_count(&count) != ASSAY_OK &&
        bridge_hooks_count(&count) != ASSAY_OK) {
        devices[0] = 0;
        return 1;
    }
    memcpy(devices, target->devices, target->device_count * sizeof *devices);
    return target->device_count;
}

/* An error of the backend is not reported here, because the checks will report it. */
static int warm_up(void *context)
{
    const struct native_host *const host = context;
    char usable[512] = "", number[16], kind[KIND_SIZE], takes[KIND_SIZE] = "";
    int32_t devices[HN_HOST_DEVICES];
    snprintf(number, sizeof number, "%d", try_questions(&host->target));
    hn_host_fact(HN_NOTE_STATE, number);
    const uint32_t count = candidates(&host->target, devices);
    for (uint32_t i = 0; i < count; i++) {
        const size_t used = strlen(usable);
        find_kind(devices[i], kind);
        if (!kind[0])
            continue;
        if (!used)
            memcpy(takes, kind, sizeof takes);
        snprintf(usable + used, sizeof usable - used, "%s%d", used ? " " : "", (int)devices[i]);
    }
    hn_host_fact(HN_NOTE_USABLE, usable);
    if (takes[0] && strcmp(takes, COMMON_KIND) != 0)
        hn_host_fact(HN_NOTE_TAKES, takes);
    return HN_HOST_DONE;
}

static int begin_means(const struct native_host *host, const char *folder, char *text, size_t size)
{
    const char *const late = hn_host_order(HN_ORDER_LATE_MEANS);
    const struct hn_means_asked asked = {
        .folder = folder,
        .refused = hn_host_order(HN_ORDER_REFUSE),
        .recorded = hn_host_order(HN_ORDER_RECORD_MEANS) != NULL,
        .late_ms = late ? hn_wire_parse_number(late, 0) : 0,
    };
    return hn_means_begin(&asked, host->adapter, text, size);
}

static int run_check(void *context, const char *entry, struct assay_check *check)
{
    const struct native_host *const host = context;
    char text[512];
    if (begin_means(host, check->scratch, text, sizeof text) != ASSAY_OK)
        return refuse(text);
    if (hn_checks_run(host->checks, check) == ASSAY_OK)
        return HN_HOST_DONE;
    snprintf(text, sizeof text, "no suite of this host has the check %s%s%s", check->id,
             entry[0] != '\0' ? "; it is a Python check: " : "", entry);
    return refuse(text);
}

static void flush(void *context)
{
    (void)context;
    hn_means_end();
}

static void observe(void *context, enum hn_moment moment, int may)
{
    const struct hn_host_target *const target = &((const struct native_host *)context)->target;
    char text[4096], *rest = text;
    if (moment == HN_BEFORE_CHECK) {
        hn_state_take(may, target->devices, target->device_count);
        return;
    }
    hn_state_compare(may, target->devices, target->device_count, text, sizeof text);
    while (rest && rest[0] != '\0')
        hn_host_fact(HN_NOTE_LEFT, strsep(&rest, "\n"));
}

static const void *extension(void *context, const char *id, void **target)
{
    return hn_adapter_extension(((const struct native_host *)context)->adapter, id, target);
}

static int32_t claim(void *context, const char *capability)
{
    const char *reason = NULL;
    return hn_adapter_claim(((const struct native_host *)context)->adapter, capability, &reason);
}

const struct hn_host_callbacks *hn_native_callbacks(void)
{
    struct native_host *const host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->checks = hn_checks_create();
    host->table = (struct hn_host_callbacks){
        .context = host,
        .prepare = prepare,
        .fork = plain_fork,
        .load_target = load_target,
        .warm_up = warm_up,
        .run_check = run_check,
        .extension = extension,
        .flush = flush,
        .claim = claim,
        .observe = observe,
    };
    return host->checks ? &host->table : NULL;
}
