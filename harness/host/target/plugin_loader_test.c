/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the error message for every kind of broken plugin, and loads and unloads the template for
 * vendors. The broken plugins are built from ../testplugins/broken_plugin.c.
 */
#include "plugin_loader.h"
#include "unit_test.h"

#include <stdio.h>
#include <string.h>

struct shape {
    const char *name;
    const char *sentence; /* text that the error contains; "": the plugin is accepted */
    int status;
};

static const struct shape shapes[] = {
    {"sound", "", ASSAY_OK},
    {"no_symbol", "does not export assay_plugin_entry, so it is not an assay plugin",
     ASSAY_EINVALID},
    {"wrong_major", "refuses ABI 1.0 to 1.3: built for ABI 7, offered 1", ASSAY_EUNSUPPORTED},
    {"refuses_silently", "refuses ABI 1.0 to 1.3: it gives no reason", ASSAY_EUNSUPPORTED},
    {"minor_too_high", "chose ABI minor 999, the offer was 0 to 3", ASSAY_EINVALID},
    {"short_struct", "struct assay_plugin says struct_size 24, too short for its field init",
     ASSAY_EINVALID},
    {"empty_struct", "struct assay_plugin says struct_size 0, too short for its field name",
     ASSAY_EINVALID},
    {"null_name", "struct assay_plugin has no name: the pointer is NULL", ASSAY_EINVALID},
    {"null_init", "struct assay_plugin has no init: the pointer is NULL", ASSAY_EINVALID},
    {"null_deinit", "struct assay_plugin has no deinit: the pointer is NULL", ASSAY_EINVALID},
    {"null_get_factory", "struct assay_plugin has no get_factory: the pointer is NULL",
     ASSAY_EINVALID},
    {"init_fails", "init refused with status -2: driver 3.1 or newer is needed", ASSAY_EFAILED},
    {"init_fails_silently", "init refused with status -6: it gives no reason", ASSAY_EFAILED},
    {"no_factory", "offers no assay.check-factory/1", ASSAY_EINVALID},
    {"factory_without_rows", "struct assay_check_factory has no rows: the pointer is NULL",
     ASSAY_EINVALID},
    {"row_without_id", "row 1 of its 2 checks has no id", ASSAY_EINVALID},
    {"row_without_function", "row 1 of its 2 checks has no function", ASSAY_EINVALID},
};

/* Loads the plugin, then its checks, as a job does. */
static int load(const char *path, char *text, size_t size)
{
    struct hn_plugin *plugin;
    const int status = hn_plugin_load(path, NULL, &plugin, text, size);
    const void *checks = status ? NULL : hn_plugin_checks(plugin, text, size);
    hn_plugin_unload(plugin);
    return status || checks ? status : ASSAY_EINVALID;
}

TEST_EACH(load_of_each_shape_gives_its_sentence, shapes)
{
    const struct shape *const shape = &shapes[_i];
    char path[512], text[512] = "";
    snprintf(path, sizeof path, "%s/zoo_%s.so", ZOO, shape->name);

    const int status = load(path, text, sizeof text);

    ck_assert_msg(strstr(text, shape->sentence) != NULL && (text[0] != '\0') == (status != 0),
                  "%s: expected \"%s\", got \"%s\"", shape->name, shape->sentence, text);
    ck_assert_int_eq(status, shape->status);
}

TEST(load_for_another_torch_names_both)
{
    const struct assay_build ours = {
        .struct_size = sizeof ours, .pointer_size = 8, .cxx11_abi = 1, .torch = "2.13.0"};
    const struct hn_plugin_terms terms = {.build = &ours};
    struct hn_plugin *plugin;
    char text[512];
    ck_assert_int_eq(hn_plugin_load(ZOO "/zoo_other_torch.so", &terms, &plugin, text, sizeof text),
                     ASSAY_EUNSUPPORTED);
    ck_assert_str_eq(text, "built for torch 1.0.0 (C++11 ABI 0, 8-byte pointers), this process has "
                           "torch 2.13.0 (C++11 ABI 1, 8-byte pointers)");
}

TEST(load_of_text_file_gives_the_loaders_sentence)
{
    struct hn_plugin *plugin;
    char text[512];
    ck_assert_int_eq(hn_plugin_load(ZOO "/../../CMakeCache.txt", NULL, &plugin, text, sizeof text),
                     ASSAY_EINVALID);
    ck_assert_ptr_nonnull(strstr(text, "invalid ELF header"));
    ck_assert_ptr_null(plugin);
}

TEST(template_runs_from_load_to_unload)
{
    const int32_t devices[] = {0, 1};
    const struct assay_target_options options = {.struct_size = sizeof options,
                                                 .device_count = 2,
                                                 .devices = devices,
                                                 .device_name = "example"};
    struct hn_plugin *plugin;
    char text[512] = "";
    void *target = NULL;
    uint64_t resets = 9, hits = 9;
    const char *reason = NULL;
    ck_assert_int_eq(hn_plugin_load(ZOO "/target_plugin.so", NULL, &plugin, text, sizeof text),
                     ASSAY_OK);
    ck_assert_ptr_null(hn_plugin_checks(plugin, text, sizeof text));
    const struct assay_target_factory *factory = hn_plugin_target(plugin, text, sizeof text);
    ck_assert_ptr_nonnull(factory);
    ck_assert_int_eq(factory->create(&options, &target), ASSAY_OK);
    ck_assert_ptr_null(factory->get_extension(target, ASSAY_GATE));
    const struct assay_reset *reset = factory->get_extension(target, ASSAY_RESET);
    const struct assay_counters *counters = factory->get_extension(target, ASSAY_COUNTERS);
    ck_assert_int_eq(reset->reset(target, 1), ASSAY_OK);
    ck_assert_int_eq(reset->reset(target, 2), ASSAY_EINVALID);
    ck_assert_int_eq(counters->read(target, "resets", &resets), ASSAY_OK);
    ck_assert_uint_eq(resets, 1);
    ck_assert_int_eq(counters->read(target, "copies", &resets), ASSAY_EUNSUPPORTED);
    const struct assay_switches *switches = factory->get_extension(target, ASSAY_SWITCHES);
    ck_assert_uint_eq(switches->count(target), 1);
    ck_assert_int_eq(switches->arm(target, "nothing"), ASSAY_EINVALID);
    ck_assert_int_eq(switches->arm(target, switches->get(target, 0)->name), ASSAY_OK);
    ck_assert_int_eq(reset->reset(target, 1), ASSAY_OK);
    ck_assert_int_eq(switches->disarm(target), ASSAY_OK);
    ck_assert_int_eq(switches->hits(target, switches->get(target, 0)->name, &hits), ASSAY_OK);
    ck_assert_uint_eq(hits, 1);
    ck_assert_int_eq(counters->read(target, "resets", &resets), ASSAY_OK);
    ck_assert_uint_eq(resets, 1);
    ck_assert_int_eq(factory->claim(target, "graphs", &reason), ASSAY_NO);
    ck_assert_str_eq(reason, "the driver cannot record");
    factory->destroy(target);
    hn_plugin_unload(plugin);
}
