/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A plugin with one of many defects. CMake builds it once per defect, with -DSHAPE_<name>. Without
 * such a definition, the plugin is correct. plugin_loader_test.c has the expected sentence for each
 * defect.
 */
#include "assay/check.h"
#include "assay/plugin.h"
#include "assay/target.h"

#include <stdio.h>

/* A broken plugin does not use all functions of the correct plugin. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunneeded-internal-declaration"
#endif

static void run_nothing(struct assay_check *check)
{
    (void)check;
}

static const struct assay_check_row rows[] = {
    {"zoo.first", run_nothing},
#if defined SHAPE_ROW_WITHOUT_ID
    {NULL, run_nothing},
#elif defined SHAPE_ROW_WITHOUT_FUNCTION
    {"zoo.second", NULL},
#endif
};

static const struct assay_check_factory checks = {
    .struct_size = sizeof checks,
    .count = sizeof rows / sizeof rows[0],
#if !defined SHAPE_FACTORY_WITHOUT_ROWS
    .rows = rows,
#endif
};

static int32_t init(const struct assay_plugin_host *host)
{
#if defined SHAPE_INIT_FAILS
    host->report(host->context, ASSAY_EUNSUPPORTED, "driver 3.1 or newer is needed");
    return ASSAY_EUNSUPPORTED;
#elif defined SHAPE_INIT_FAILS_SILENTLY
    (void)host;
    return ASSAY_EINTERNAL;
#else
    (void)host;
#endif
    return ASSAY_OK;
}

static void deinit(void)
{
}

static const void *get_factory(const char *id)
{
#if defined SHAPE_NO_FACTORY
    (void)id;
    return NULL;
#else
    return id[6] == 'c' ? &checks : NULL;
#endif
}

#if defined SHAPE_OTHER_TORCH
static const struct assay_build other_build = {
    .struct_size = sizeof other_build, .pointer_size = 8, .cxx11_abi = 0, .torch = "1.0.0"};
#endif

static const struct assay_plugin plugin = {
#if defined SHAPE_SHORT_STRUCT
    .struct_size = 24,
#elif defined SHAPE_EMPTY_STRUCT
    .struct_size = 0,
#else
    .struct_size = sizeof plugin,
#endif
#if defined SHAPE_MINOR_TOO_HIGH
    .minor = 999,
#endif
#if !defined SHAPE_NULL_NAME
    .name = "zoo",
#endif
    .version = "1",
#if defined SHAPE_OTHER_TORCH
    .build = &other_build,
#endif
#if !defined SHAPE_NULL_INIT
    .init = init,
#endif
#if !defined SHAPE_NULL_DEINIT
    .deinit = deinit,
#endif
#if !defined SHAPE_NULL_GET_FACTORY
    .get_factory = get_factory,
#endif
};

#if defined SHAPE_NO_SYMBOL
ASSAY_EXPORT const struct assay_plugin *zoo_entry_under_another_name(void);
const struct assay_plugin *zoo_entry_under_another_name(void)
{
    return &plugin;
}
#else
const struct assay_plugin *assay_plugin_entry(const struct assay_plugin_offer *offer)
{
#if defined SHAPE_WRONG_MAJOR
    snprintf(offer->refusal, offer->refusal_size, "built for ABI 7, offered %u",
             (unsigned)offer->major);
    return NULL;
#elif defined SHAPE_REFUSES_SILENTLY
    (void)offer;
    return NULL;
#else
    (void)offer;
    return &plugin;
#endif
}
#endif
