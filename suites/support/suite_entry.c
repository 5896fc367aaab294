/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the tables of a module's check files into one factory. This file is the same for every
 * suite. The plugin states for which torch its bridge was built, so that the loader can report a
 * mismatch in a clear message.
 */
#include "suite_entry.h"
#include "bridge.h"

#include <stdio.h>
#include <string.h>

#define ROWS 512

static struct assay_check_row rows[ROWS];
static struct assay_check_factory factory = {.struct_size = sizeof factory, .rows = rows};
static struct assay_plugin plugin;

static int32_t init(const struct assay_plugin_host *host)
{
    factory.count = 0;
    for (size_t topic = 0; assay_suite_topics[topic]; topic++) {
        const struct assay_check_row *row = assay_suite_topics[topic];
        for (; row->id; row++) {
            if (factory.count == ROWS) {
                host->report(host->context, ASSAY_EINTERNAL, "a suite has more than 512 checks");
                return ASSAY_EINTERNAL;
            }
            rows[factory.count++] = *row;
        }
    }
    return ASSAY_OK;
}

static void deinit(void)
{
}

static const void *get_factory(const char *id)
{
    return strcmp(id, ASSAY_CHECK_FACTORY) == 0 ? &factory : NULL;
}

const struct assay_plugin *assay_suite_entry(const struct assay_plugin_offer *offer)
{
    if (offer->major != ASSAY_ABI_MAJOR || offer->minor_lowest > ASSAY_ABI_MINOR) {
        snprintf(offer->refusal, offer->refusal_size, "this suite speaks ABI %u.%u",
                 ASSAY_ABI_MAJOR, ASSAY_ABI_MINOR);
        return NULL;
    }
    plugin = (struct assay_plugin){
        .struct_size = sizeof plugin,
        .minor = offer->minor_highest < ASSAY_ABI_MINOR ? offer->minor_highest : ASSAY_ABI_MINOR,
        .name = assay_suite_name,
        .version = "1",
        .build = bridge_build(),
        .init = init,
        .deinit = deinit,
        .get_factory = get_factory,
    };
    return &plugin;
}
