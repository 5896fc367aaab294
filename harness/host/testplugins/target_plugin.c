/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Template of a vendor's adapter. Copy this file, rename "example", keep the extensions that you
 * can offer, and delete the others. Build it as a shared object with hidden visibility against
 * include/assay and your own driver, never against PyTorch, and name it as `adapter:` in the target
 * profile.
 *
 * In this file the "driver" is a few variables, so that our tests can build and run the template.
 */
#include "assay/plugin.h"
#include "assay/target.h"

#include <stdlib.h>
#include <string.h>

/* The state of the adapter. This table and the host pointer are the only globals. */
struct example_target {
    int32_t device_count;
    uint64_t resets;
    uint64_t switch_hits;
    int32_t switch_armed; /* for your adapter: make it atomic if several threads read it */
};

static const struct assay_plugin_host *example_host;

/* Returns `status`, and reports the sentence `text` to the host. */
static int32_t refuse(int32_t status, const char *text)
{
    example_host->report(example_host->context, status, text);
    return status;
}

static int32_t example_reset(void *target, int32_t device)
{
    struct example_target *const example = target;
    if (device < 0 || device >= example->device_count)
        return refuse(ASSAY_EINVALID, "reset: no such device");
    if (example->switch_armed) {
        example->switch_hits++;
        return ASSAY_OK; /* the defect: nothing is reset */
    }
    /* for your adapter: wait for the device, drop pending errors, empty the cache */
    example->resets++;
    return ASSAY_OK;
}

static int32_t example_read(void *target, const char *name, uint64_t *value)
{
    const struct example_target *const example = target;
    if (strcmp(name, "resets") != 0)
        return refuse(ASSAY_EUNSUPPORTED, "counters: only \"resets\" is counted");
    *value = example->resets;
    return ASSAY_OK;
}

/* With a switchboard, a proof can show that checks can fail on your device: each switch turns on a
 * defect. Most backends have no switchboard, and delete this part. */
static const struct assay_switch switch_rows[] = {{
    .struct_size = sizeof(struct assay_switch),
    .kind = ASSAY_SWITCH_FAULT,
    .time = ASSAY_SWITCH_AT_CALL,
    .name = "example.reset_does_nothing",
    .violates = "DEV-001",
    .summary = "A reset leaves the device as it is.",
}};

static uint32_t example_count(void *target)
{
    (void)target;
    return sizeof switch_rows / sizeof switch_rows[0];
}

static const struct assay_switch *example_get(void *target, uint32_t index)
{
    return index < example_count(target) ? &switch_rows[index] : NULL;
}

static int32_t example_arm(void *target, const char *name)
{
    if (strcmp(name, switch_rows[0].name) != 0)
        return refuse(ASSAY_EINVALID, "switches: no such switch");
    ((struct example_target *)target)->switch_armed = 1;
    return ASSAY_OK;
}

static int32_t example_disarm(void *target)
{
    ((struct example_target *)target)->switch_armed = 0;
    return ASSAY_OK;
}

static int32_t example_watch(void *target)
{
    (void)target;
    return ASSAY_OK; /* uses are not recorded: example_asked returns UNKNOWN */
}

static int32_t example_asked(void *target, const char *name)
{
    (void)target;
    (void)name;
    return ASSAY_UNKNOWN;
}

static int32_t example_hits(void *target, const char *name, uint64_t *hits)
{
    if (strcmp(name, switch_rows[0].name) != 0)
        return refuse(ASSAY_EINVALID, "switches: no such switch");
    *hits = ((const struct example_target *)target)->switch_hits;
    return ASSAY_OK;
}

static const struct assay_reset reset_extension = {
    .struct_size = sizeof reset_extension,
    .reset = example_reset,
};
static const struct assay_counters counters_extension = {
    .struct_size = sizeof counters_extension,
    .read = example_read,
};
static const struct assay_switches switches_extension = {
    .struct_size = sizeof switches_extension,
    .count = example_count,
    .get = example_get,
    .arm = example_arm,
    .disarm = example_disarm,
    .watch = example_watch,
    .asked = example_asked,
    .hits = example_hits,
};

static int32_t example_create(const struct assay_target_options *options, void **target)
{
    struct example_target *const example = calloc(1, sizeof *example);
    if (!example)
        return refuse(ASSAY_ENOMEM, "create: out of memory");
    example->device_count = (int32_t)options->device_count;
    *target = example;
    return ASSAY_OK;
}

static void example_destroy(void *target)
{
    free(target);
}

static const struct {
    const char *id;
    const void *table;
} extensions[] = {
    {ASSAY_RESET, &reset_extension},
    {ASSAY_COUNTERS, &counters_extension},
    {ASSAY_SWITCHES, &switches_extension},
};

static const void *example_extension(void *target, const char *id)
{
    (void)target;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (strcmp(extensions[i].id, id) == 0)
            return extensions[i].table;
    return NULL;
}

static int32_t example_claim(void *target, const char *capability, const char **reason)
{
    (void)target;
    if (strcmp(capability, "graphs") == 0) {
        *reason = "the driver cannot record";
        return ASSAY_NO;
    }
    return ASSAY_UNKNOWN;
}

static const struct assay_target_factory factory = {
    .struct_size = sizeof factory,
    .create = example_create,
    .destroy = example_destroy,
    .get_extension = example_extension,
    .claim = example_claim,
};

static int32_t example_init(const struct assay_plugin_host *host)
{
    example_host = host;
    return ASSAY_OK;
}

static void example_deinit(void)
{
    example_host = NULL;
}

static const void *example_factory(const char *id)
{
    return strcmp(id, ASSAY_TARGET_FACTORY) == 0 ? &factory : NULL;
}

static const struct assay_plugin plugin = {
    .struct_size = sizeof plugin,
    .minor = ASSAY_ABI_MINOR,
    .name = "example adapter",
    .version = "1.0",
    .init = example_init,
    .deinit = example_deinit,
    .get_factory = example_factory,
};

const struct assay_plugin *assay_plugin_entry(const struct assay_plugin_offer *offer)
{
    static const char refusal[] = "this adapter speaks ABI 1";
    if (offer->major != ASSAY_ABI_MAJOR || offer->minor_highest < plugin.minor) {
        if (offer->refusal_size >= sizeof refusal)
            memcpy(offer->refusal, refusal, sizeof refusal);
        return NULL;
    }
    return &plugin;
}
