/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program `fakedev` prints the properties, faults and variants of this fake device. Each line
 * is one item with tab-separated fields, readable by scripts and by people. The build stores the
 * output as share/assay/faults.tsv and variants.tsv. Depends on the public headers only.
 */
#include "fakedev_faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int print_devices(void)
{
    int32_t count = 0;
    fd_device_count(&count);
    for (int32_t device = 0; device < count; device++) {
        struct fd_properties properties;
        if (fd_device_properties(device, &properties) != FD_OK) {
            fprintf(stderr, "fakedev: %s\n", fd_last_error_text());
            return 1;
        }
        printf("%" PRId32 "\t%s\t%" PRIu64 " bytes\talignment %" PRIu32 "\n", device,
               properties.name, properties.total_memory, properties.alignment);
    }
    return 0;
}

static int print_faults(void)
{
    struct fd_fault_info fault;
    for (size_t i = 0; fd_fault_get(i, &fault) == FD_OK; i++)
        printf("%s\t%s\t%s\t%s\t%s\n", fault.name, fault.layer, fault.summary, fault.violates,
               fault.source);
    return 0;
}

static int print_variants(void)
{
    struct fd_variant_info variant;
    for (size_t i = 0; fd_variant_get(i, &variant) == FD_OK; i++)
        printf("%s\t%s\n", variant.name, variant.summary);
    return 0;
}

static const struct {
    const char *name;
    int (*print)(void);
    const char *help;
} commands[] = {
    {"devices", print_devices, "index, name, memory, alignment"},
    {"faults", print_faults, "name, layer, summary, requirements violated, source"},
    {"variants", print_variants, "name, summary"},
};

int main(int argc, char **argv)
{
    const size_t count = sizeof commands / sizeof *commands;
    for (size_t i = 0; argc == 2 && i < count; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].print();
    fprintf(stderr, "usage: fakedev COMMAND\n");
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "  %-10s%s\n", commands[i].name, commands[i].help);
    return 64;
}
