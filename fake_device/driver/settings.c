/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the environment when the library is loaded. If a value is invalid, the process ends with
 * status 78, so that a test run never uses other settings than requested. Only this file of the
 * driver may print or exit.
 */
#include "settings.h"

#include "fakedev_faults.h"
#include "fault.h"
#include "fault_asked.h"
#include "variant_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The address space has four parts of this size: user and driver addresses, each for own and
 * imported blocks. Together these are 64 GiB of addresses. */
#define MOST_MEMORY_IN_TOTAL (UINT64_C(16) << 30)
#define LEAST_ALIGNMENT 16u
#define MOST_ALIGNMENT (UINT64_C(2) << 20)

static struct fd_settings settings_now;

/* Decimal digits, then optionally K, M or G. */
static int parse_bytes(const char *text, uint64_t *value)
{
    static const char suffixes[] = "KMG";
    uint64_t number = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (number > (UINT64_C(1) << 50))
            return -1;
        number = number * 10 + (uint64_t)(*p - '0');
    }
    if (p == text || number > (UINT64_C(1) << 50))
        return -1;
    const char *suffix = *p ? strchr(suffixes, *p) : NULL;
    if (suffix) {
        const unsigned shift = 10u * (unsigned)(suffix - suffixes + 1);
        if (number > (UINT64_MAX >> shift))
            return -1;
        number <<= shift;
        p++;
    }
    if (*p)
        return -1;
    *value = number;
    return 0;
}

struct number_row {
    const char *name;
    uint64_t lowest, highest;
    int power_of_two;
    uint64_t value; /* the default, then the value that was read */
};

static int read_number(struct number_row *row, const char *(*get)(const char *name), char *message,
                       size_t message_size)
{
    const char *text = get(row->name);
    if (!text)
        return 0;
    uint64_t value;
    if (parse_bytes(text, &value) == 0 && value >= row->lowest && value <= row->highest &&
        !(row->power_of_two && (value & (value - 1)))) {
        row->value = value;
        return 0;
    }
    (void)snprintf(message, message_size,
                   "%s is \"%.60s\", not a %s from %llu to %llu (suffixes K, M, G)", row->name,
                   text, row->power_of_two ? "power of two" : "number",
                   (unsigned long long)row->lowest, (unsigned long long)row->highest);
    return -1;
}

static const char *get_or_empty(const char *(*get)(const char *name), const char *name)
{
    const char *text = get(name);
    return text ? text : "";
}

static int check_total(const struct fd_settings *settings, char *message, size_t message_size)
{
    if ((uint64_t)settings->devices * settings->memory <= MOST_MEMORY_IN_TOTAL)
        return 0;
    (void)snprintf(message, message_size,
                   "%d devices with %llu bytes each are more than %llu GiB in total; lower "
                   "FAKEDEV_MEMORY or FAKEDEV_DEVICES",
                   settings->devices, (unsigned long long)settings->memory,
                   (unsigned long long)(MOST_MEMORY_IN_TOTAL >> 30));
    return -1;
}

int fd_settings_read(struct fd_settings *settings, const char *(*get)(const char *name),
                     char *message, size_t message_size)
{
    struct number_row devices = {"FAKEDEV_DEVICES", 0, FD_MAX_DEVICES, 0, 2};
    struct number_row memory = {"FAKEDEV_MEMORY", UINT64_C(1) << 20, MOST_MEMORY_IN_TOTAL, 0,
                                UINT64_C(1) << 30};
    struct number_row alignment = {"FAKEDEV_ALIGNMENT", LEAST_ALIGNMENT, MOST_ALIGNMENT, 1, 512};
    struct number_row caching = {"FAKEDEV_CACHING", 0, 1, 0, 1};
    struct number_row *rows[] = {&devices, &memory, &alignment, &caching};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (read_number(rows[i], get, message, message_size) < 0)
            return -1;

    *settings = (struct fd_settings){.devices = (int32_t)devices.value,
                                     .memory = memory.value,
                                     .alignment = alignment.value,
                                     .caching = (int32_t)caching.value};
    if (fd_variants_choose(get_or_empty(get, "FAKEDEV_VARIANT"), settings, message, message_size) <
            0 ||
        fd_asked_keep(get_or_empty(get, "FAKEDEV_ASKED"), message, message_size) < 0 ||
        fd_faults_arm(get_or_empty(get, "FAKEDEV_FAULT"), message, message_size) < 0)
        return -1;
    /* Round down to whole segments: no device ends inside a page or an aligned block. */
    settings->memory &= ~(MOST_ALIGNMENT - 1);
    if (settings->memory == 0)
        settings->memory = MOST_ALIGNMENT;
    return check_total(settings, message, message_size);
}

_Noreturn void fd_settings_refuse(const char *message)
{
    (void)fprintf(stderr, "fakedev: %s\n", message);
    _exit(FD_EXIT_MALFORMED);
}

static const char *from_environment(const char *name)
{
    return getenv(name);
}

__attribute__((constructor)) static void read_environment(void)
{
    char message[320];
    if (fd_settings_read(&settings_now, from_environment, message, sizeof message) != 0)
        fd_settings_refuse(message);
}

const struct fd_settings *fd_settings(void)
{
    return &settings_now;
}

struct fd_settings *fd_settings_for_tests(void)
{
    return &settings_now;
}
