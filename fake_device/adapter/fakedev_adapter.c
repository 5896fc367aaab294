/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fake device's adapter, see README.md. assay loads it after the backend. The adapter calls the
 * driver only.
 */
#include "assay/plugin.h"
#include "assay/target.h"

#include "fakedev_adapter.h"

#include <string.h>

static const struct assay_plugin_host *plugin_host;

static int32_t reset(void *target, int32_t device)
{
    (void)target;
    return fakedev_translate(fd_device_reset(device));
}

static int32_t synchronize(void *target, int32_t device)
{
    (void)target;
    return fakedev_translate(fd_device_synchronize(device));
}

static int32_t live(void *target, int32_t device, uint64_t *bytes, uint64_t *blocks)
{
    struct fd_memory_stats stats;
    (void)target;
    const fd_status status = fd_memory_get_stats(device, &stats);
    if (status == FD_OK) {
        *bytes = stats.allocated_bytes.current;
        *blocks = stats.blocks.current;
    }
    return fakedev_translate(status);
}

static int32_t owner(void *target, const void *pointer, int32_t *device)
{
    struct fd_block block = {.device = -1};
    (void)target;
    /* If no block contains the address, the result is -1 and not an error. */
    *device = fd_memory_find(pointer, &block) == FD_OK ? block.device : -1;
    return ASSAY_OK;
}

static int32_t gate_close(void *target, int32_t device, int64_t stream, void **gate)
{
    fd_stream *held = NULL;
    fd_gate *made = NULL;
    (void)target;
    fd_status status = fd_stream_from_id(device, stream, &held);
    if (status == FD_OK)
        status = fd_gate_create(&made);
    if (status == FD_OK)
        status = fd_gate_close(made, held);
    if (status != FD_OK) {
        fd_gate_destroy(made);
        return fakedev_translate(status);
    }
    *gate = made;
    return ASSAY_OK;
}

static int32_t gate_open(void *target, void *gate)
{
    (void)target;
    return fakedev_translate(fd_gate_open(gate));
}

static void gate_destroy(void *target, void *gate)
{
    (void)target;
    fd_gate_destroy(gate);
}

static int32_t lose_device(void *target, int32_t device)
{
    (void)target;
    return fakedev_translate(fd_device_lose(device));
}

static fd_status failing_task(void *arguments)
{
    (void)arguments;
    return FD_ERROR_KERNEL;
}

static int32_t fail_task(void *target, int32_t device, int64_t stream)
{
    fd_stream *queue = NULL;
    (void)target;
    fd_status status = fd_stream_from_id(device, stream, &queue);
    if (status == FD_OK)
        status = fd_stream_launch(queue, "adapter.failing_task", failing_task, "", 1);
    return fakedev_translate(status);
}

static const struct {
    const char *name;
    size_t offset;
} counters_by_name[] = {
    {"streams_created", offsetof(struct fd_counters, streams_created)},
    {"streams_destroyed", offsetof(struct fd_counters, streams_destroyed)},
    {"events_created", offsetof(struct fd_counters, events_created)},
    {"events_destroyed", offsetof(struct fd_counters, events_destroyed)},
    {"tasks_enqueued", offsetof(struct fd_counters, tasks_enqueued)},
    {"tasks_completed", offsetof(struct fd_counters, tasks_completed)},
    {"copies", offsetof(struct fd_counters, copies)},
    {"synchronizations", offsetof(struct fd_counters, synchronizations)},
    {"host_allocations", offsetof(struct fd_counters, host_allocations)},
    {"host_frees", offsetof(struct fd_counters, host_frees)},
};

static int32_t counters_read(void *target, const char *name, uint64_t *value)
{
    struct fd_counters counters;
    (void)target;
    for (size_t i = 0; i < sizeof counters_by_name / sizeof counters_by_name[0]; i++) {
        if (strcmp(counters_by_name[i].name, name) == 0) {
            fd_get_counters(&counters);
            memcpy(value, (const char *)&counters + counters_by_name[i].offset, sizeof *value);
            return ASSAY_OK;
        }
    }
    plugin_host->report(plugin_host->context, ASSAY_EUNSUPPORTED, "the driver has no such counter");
    return ASSAY_EUNSUPPORTED;
}

static const struct assay_reset reset_table = {.struct_size = sizeof reset_table, .reset = reset};
static const struct assay_synchronize synchronize_table = {.struct_size = sizeof synchronize_table,
                                                           .synchronize = synchronize};
static const struct assay_memory_probe memory_table = {
    .struct_size = sizeof memory_table, .live = live, .owner = owner};
static const struct assay_gate gate_table = {.struct_size = sizeof gate_table,
                                             .close = gate_close,
                                             .open = gate_open,
                                             .destroy = gate_destroy};
static const struct assay_driver_failures failures_table = {
    .struct_size = sizeof failures_table, .lose_device = lose_device, .fail_task = fail_task};
static const struct assay_counters counters_table = {.struct_size = sizeof counters_table,
                                                     .read = counters_read};

static const struct {
    const char *id;
    const void *table;
} extensions[] = {
    {ASSAY_RESET, &reset_table},
    {ASSAY_SYNCHRONIZE, &synchronize_table},
    {ASSAY_MEMORY_PROBE, &memory_table},
    {ASSAY_GATE, &gate_table},
    {ASSAY_DRIVER_FAILURES, &failures_table},
    {ASSAY_COUNTERS, &counters_table},
    {ASSAY_SWITCHES, &fakedev_switches},
};

static int32_t create(const struct assay_target_options *options, void **target)
{
    (void)options;
    /* the driver holds all state */
    *target = (void *)&plugin_host;
    fakedev_switches_list();
    return ASSAY_OK;
}

static void destroy(void *target)
{
    (void)target;
}

/* A device that runs work immediately does not support gates. Reading this property would start the
 * driver, so the error ASSAY_EUNSUPPORTED is reported only when a check closes a gate. */
static const void *get_extension(void *target, const char *id)
{
    (void)target;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (strcmp(extensions[i].id, id) == 0)
            return extensions[i].table;
    return NULL;
}

static int32_t claim(void *target, const char *capability, const char **reason)
{
    (void)target;
    (void)reason;
    /* The adapter claims these capabilities, because no probe can decide them. A device that lost
     * such a capability would raise no error: it would return tensors without metadata, or copies
     * of tensors. */
    static const char *const silent[] = {"ipc", "meta", "memory.stats", "profiler"};
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
        if (strcmp(capability, silent[i]) == 0)
            return ASSAY_YES;
    return ASSAY_UNKNOWN;
}

static const struct assay_target_factory factory = {
    .struct_size = sizeof factory,
    .create = create,
    .destroy = destroy,
    .get_extension = get_extension,
    .claim = claim,
};

static int32_t init(const struct assay_plugin_host *host)
{
    plugin_host = host;
    fakedev_report_to(host);
    return ASSAY_OK;
}

static void deinit(void)
{
    plugin_host = NULL;
}

static const void *get_factory(const char *id)
{
    return strcmp(id, ASSAY_TARGET_FACTORY) == 0 ? &factory : NULL;
}

static const struct assay_plugin plugin = {
    .struct_size = sizeof plugin,
    .minor = ASSAY_ABI_MINOR,
    .name = "fakedev adapter",
    .version = "1",
    .init = init,
    .deinit = deinit,
    .get_factory = get_factory,
};

const struct assay_plugin *assay_plugin_entry(const struct assay_plugin_offer *offer)
{
    static const char refusal[] = "the fakedev adapter speaks ABI 1";
    if (offer->major != ASSAY_ABI_MAJOR) {
        if (offer->refusal_size >= sizeof refusal)
            memcpy(offer->refusal, refusal, sizeof refusal);
        return NULL;
    }
    return &plugin;
}
