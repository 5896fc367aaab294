/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See native_callbacks.h. Linked into the native host only; knows the bridge, knows no evidence.
 */
#include "native_callbacks.h"
#include "adapter.h"
#include "bridge.h"
#include "check_registry.h"
#include "describe.h"
#include "host_orders.h"
#include "means.h"
#include "native_target.h"
#include "process_growth.h"
#include "process_state.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTION_SECONDS 5

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

/* torch and the bridge came with the program; the suites come here. Folders hold Python checks. */
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

/* A tensor there and back. What usable_devices.py asks in the other host. */
static int goes_there_and_back(int32_t device)
{
    const uint8_t bytes[16] = {1, 2, 3};
    uint8_t back[sizeof bytes];
    const int64_t size = sizeof bytes;
    struct bridge_tensor *here = NULL, *there = NULL;

    const int done =
        bridge_tensor_from_bytes(bytes, sizeof bytes, &size, 1, BRIDGE_UINT8, &here) == ASSAY_OK &&
        bridge_tensor_to(here, device, &there) == ASSAY_OK &&
        bridge_tensor_read(there, back, sizeof back) == ASSAY_OK;
    bridge_tensor_free(there);
    bridge_tensor_free(here);
    return done;
}

static int is_usable(int32_t device)
{
    if (goes_there_and_back(device))
        return 1;
    const struct bridge_device before = bridge_guard_exchange(device);
    const int done = before.status == ASSAY_OK && goes_there_and_back(device);
    if (before.status == ASSAY_OK)
        bridge_guard_unchecked_set(before.index);
    return done;
}

/* Tried before the device is used, in a process that may be lost. */
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

/* A backend that cannot is not at fault here: its checks will say so. */
static int warm_up(void *context)
{
    const struct native_host *const host = context;
    char usable[512] = "", number[16];

    snprintf(number, sizeof number, "%d", try_questions(&host->target));
    hn_host_fact(HN_NOTE_STATE, number);
    for (uint32_t i = 0; i < host->target.device_count; i++) {
        const int32_t device = host->target.devices[i];
        const size_t used = strlen(usable);
        if (is_usable(device))
            snprintf(usable + used, sizeof usable - used, "%s%d", used ? " " : "", (int)device);
    }
    hn_host_fact(HN_NOTE_USABLE, usable);
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

static void measure(void *context, struct hn_growth *growth)
{
    const struct native_host *const host = context;
    hn_growth_measure(host->adapter, host->target.devices, host->target.device_count, growth);
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
        .measure = measure,
    };
    return host->checks ? &host->table : NULL;
}
