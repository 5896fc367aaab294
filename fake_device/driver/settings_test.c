/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests names, faults, variants and settings, which are read once from the environment.
 */
#include "driver_test.h"
#include "fakedev_faults.h"
#include "fault.h"
#include "fault_table.h"
#include "names.h"
#include "settings.h"
#include "variant_table.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct variable {
    const char *name, *value;
};
static const struct variable *variables; /* terminated by a NULL name */

static const char *get_variable(const char *name)
{
    for (const struct variable *v = variables; v && v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v->value;
    return NULL;
}

static int read_settings(const struct variable *from, struct fd_settings *settings, char *message)
{
    variables = from;
    fd_faults_disarm();
    return fd_settings_read(settings, get_variable, message, 320);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *fruit_at(size_t index)
{
    static const char *const fruits[] = {"apple", "banana", "cherry"};
    return index < 3 ? fruits[index] : NULL;
}
static const struct fd_names fruits = {"fruit", fruit_at};
static unsigned chosen;

static void choose(size_t index)
{
    chosen |= 1u << index;
}

TEST(names_nearest_of_misspelt_is_the_meant_one)
{
    ck_assert_str_eq(fd_names_nearest(&fruits, "bananna"), "banana");
    ck_assert_str_eq(fd_names_nearest(&fruits, "chery"), "cherry");
    ck_assert_str_eq(fd_names_nearest(&fruits, "pple"), "apple");
}

TEST(names_choose_of_list_chooses_each)
{
    char message[200] = "";
    chosen = 0;
    ck_assert_int_eq(fd_names_choose(&fruits, "cherry,,apple,", choose, message, sizeof message),
                     0);
    ck_assert_uint_eq(chosen, 5);
}

TEST(names_choose_of_unknown_names_the_nearest)
{
    char message[200] = "";
    ck_assert_int_eq(fd_names_choose(&fruits, "apple,bananas", choose, message, sizeof message),
                     -1);
    ck_assert_str_eq(message, "unknown fruit \"bananas\"; the nearest is \"banana\"");
}

TEST(names_choose_of_endless_name_is_refused)
{
    char message[400] = "", name[300];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    ck_assert_int_eq(fd_names_choose(&fruits, name, choose, message, sizeof message), -1);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void assert_sorted(const struct fd_fault_layer *table)
{
    for (size_t i = 1; i < table->count; i++)
        ck_assert_msg(strcmp(table->rows[i - 1].name, table->rows[i].name) < 0, "%s follows %s",
                      table->rows[i].name, table->rows[i - 1].name);
}

TEST(fault_tables_are_sorted)
{
    assert_sorted(&fd_faults_of_driver);
    assert_sorted(&fd_faults_of_integration);
    assert_sorted(&fd_faults_of_memory);
    assert_sorted(&fd_faults_of_operators);
    assert_sorted(&fd_faults_of_collectives);
    assert_sorted(&fd_faults_of_streams);
    assert_sorted(&fd_faults_of_python);
    assert_sorted(&fd_refusals);
}

TEST(fault_tables_are_complete)
{
    struct fd_fault_info info;
    size_t count = 0;
    for (; fd_fault_get(count, &info) == FD_OK; count++) {
        ck_assert_msg(strlen(info.name) < FD_NAME_SIZE && strlen(info.summary) > 10, "%s",
                      info.name);
        ck_assert_msg(strcmp(info.layer, "driver") == 0 || strcmp(info.layer, "python") == 0 ||
                          strcmp(info.layer, "integration") == 0,
                      "%s acts in layer %s", info.name, info.layer);
        ck_assert_ptr_nonnull(info.violates);
        ck_assert_ptr_nonnull(info.source);
    }
    ck_assert_uint_ge(count, 20);
    ck_assert_uint_le(count, FD_LARGEST_FAULT_TABLE);
    ck_assert_status(fd_fault_get(count, &info), FD_ERROR_INVALID_VALUE);
}

TEST(variant_table_is_sorted_and_complete)
{
    struct fd_variant_info info, previous = {.name = ""};
    ck_assert_uint_le(fd_variant_table_size, 64);
    for (size_t i = 0; fd_variant_get(i, &info) == FD_OK; i++) {
        ck_assert_int_lt(strcmp(previous.name, info.name), 0);
        ck_assert_uint_gt(strlen(info.summary), 10);
        previous = info;
    }
    ck_assert_str_ne(previous.name, "");
    ck_assert_status(fd_variant_get(fd_variant_table_size, &info), FD_ERROR_INVALID_VALUE);
}

TEST(fault_armed_is_on_and_others_off)
{
    char message[320];
    ck_assert_int_eq(fd_any_fault, 0);
    ck_assert_int_eq(fd_fault("device.count_changes"), 0);
    ck_assert_int_eq(
        fd_faults_arm("device.count_changes,device.count_changes", message, sizeof message), 0);
    ck_assert_int_eq(fd_any_fault, 1);
    ck_assert_int_eq(fd_fault("device.count_changes"), 1);
    ck_assert_int_eq(fd_fault("device.current_ignores_set"), 0);
    fd_faults_disarm();
    ck_assert_int_eq(fd_fault("device.count_changes"), 0);
}

/* ---- settings -------------------------------------------------------------------------------- */

TEST(settings_of_empty_environment_are_the_defaults)
{
    struct fd_settings settings;
    char message[320];
    ck_assert_int_eq(read_settings(NULL, &settings, message), 0);
    ck_assert_int_eq(settings.devices, 2);
    ck_assert_uint_eq(settings.memory, UINT64_C(1) << 30);
    ck_assert_uint_eq(settings.alignment, 512);
    ck_assert_int_eq(settings.caching, 1);
    ck_assert_int_eq(settings.eager_streams | settings.late_completion | settings.poisoned_free, 0);
}

TEST(settings_of_numbers_are_read_with_suffixes)
{
    const struct variable given[] = {{"FAKEDEV_DEVICES", "0"},
                                     {"FAKEDEV_MEMORY", "96M"},
                                     {"FAKEDEV_ALIGNMENT", "4K"},
                                     {"FAKEDEV_CACHING", "0"},
                                     {NULL, NULL}};
    struct fd_settings settings;
    char message[320];
    ck_assert_int_eq(read_settings(given, &settings, message), 0);
    ck_assert_int_eq(settings.devices, 0);
    ck_assert_uint_eq(settings.memory, UINT64_C(96) << 20);
    ck_assert_uint_eq(settings.alignment, 4096);
    ck_assert_int_eq(settings.caching, 0);
}

TEST(settings_of_variants_win_over_numbers)
{
    const struct variable given[] = {{"FAKEDEV_DEVICES", "2"},
                                     {"FAKEDEV_VARIANT", "one_device,tiny_memory,large_alignment,"
                                                         "no_caching,eager_streams,late_completion,"
                                                         "poisoned_free"},
                                     {NULL, NULL}};
    struct fd_settings settings;
    char message[320];
    ck_assert_int_eq(read_settings(given, &settings, message), 0);
    ck_assert_int_eq(settings.devices, 1);
    ck_assert_uint_eq(settings.memory, UINT64_C(64) << 20);
    ck_assert_uint_eq(settings.alignment, 65536);
    ck_assert_int_eq(settings.caching, 0);
    ck_assert_int_eq(settings.eager_streams & settings.late_completion & settings.poisoned_free, 1);
    ck_assert_int_eq(fd_variant_is_on("one_device"), 1);
    ck_assert_int_eq(fd_variant_is_on("eight_devices"), 0);
}

static const struct {
    const char *name, *value, *told;
} refused[] = {
    {"FAKEDEV_DEVICES", "17", "not a number from 0 to 16"},
    {"FAKEDEV_DEVICES", "-1", "FAKEDEV_DEVICES is \"-1\""},
    {"FAKEDEV_DEVICES", "", "FAKEDEV_DEVICES is \"\""},
    {"FAKEDEV_DEVICES", "2x", "FAKEDEV_DEVICES is \"2x\""},
    {"FAKEDEV_MEMORY", "1Gi", "FAKEDEV_MEMORY is \"1Gi\""},
    {"FAKEDEV_MEMORY", "99999999999999999999", "FAKEDEV_MEMORY"},
    {"FAKEDEV_MEMORY", "4000000G", "FAKEDEV_MEMORY"},
    {"FAKEDEV_MEMORY", "16G", "more than 16 GiB in total"},
    {"FAKEDEV_ALIGNMENT", "48", "not a power of two from 16"},
    {"FAKEDEV_ALIGNMENT", "4M", "not a power of two from 16"},
    {"FAKEDEV_CACHING", "yes", "FAKEDEV_CACHING is \"yes\""},
    {"FAKEDEV_FAULT", "device.count_change", "the nearest is \"device.count_changes\""},
    {"FAKEDEV_VARIANT", "no_cashing",
     "unknown variant \"no_cashing\"; the nearest is \"no_caching\""},
};

TEST_EACH(settings_of_malformed_value_are_refused_in_words, refused)
{
    const struct variable given[] = {{refused[_i].name, refused[_i].value}, {NULL, NULL}};
    struct fd_settings settings;
    char message[320] = "";
    ck_assert_int_eq(read_settings(given, &settings, message), -1);
    ck_assert_msg(strstr(message, refused[_i].told) != NULL, "%s", message);
}

/* Runs this program with an invalid environment: the process ends before main. */
TEST(load_with_unknown_fault_ends_process_with_78)
{
    int output[2];
    ck_assert_int_eq(pipe(output), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)dup2(output[1], 2);
        (void)setenv("FAKEDEV_FAULT", "device.count_chang", 1);
        (void)execl("/proc/self/exe", "settings_test", (char *)NULL);
        _exit(1);
    }
    (void)close(output[1]);
    char text[400] = "";
    size_t length = 0;
    ssize_t got;
    while ((got = read(output[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), FD_EXIT_MALFORMED);
    ck_assert_str_eq(text, "fakedev: unknown fault \"device.count_chang\"; the nearest is "
                           "\"device.count_changes\"\n");
}

/* The process must also end in a build without assertions. */
TEST_DYING(asking_for_a_name_in_no_table_ends_the_process, 2, SIGABRT)
{
    char message[256];
    ck_assert_int_eq(fd_faults_arm("device.count_changes", message, sizeof message), 0);
    (void)(_i == 0 ? fd_fault_is_on("device.no_such_fault") : fd_variant_is_on("no_such_variant"));
}
