/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the driver's fault table as faults.tsv, with the argument "variants" its table of variants
 * as variants.tsv. Run by the build, so that no other program of the
 * harness needs to load the driver to know the names.
 */
#include <stdio.h>
#include <string.h>

#include "fakedev_faults.h"

/* Tabs and line ends separate columns and rows. */
static void print_column(const char *text, char end)
{
    for (; *text; text++)
        putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
    putchar(end);
}

static void print_variants(void)
{
    struct fd_variant_info info;

    for (size_t i = 0; fd_variant_get(i, &info) == FD_OK; i++) {
        print_column(info.name, '\t');
        print_column(info.summary, '\n');
    }
}

static void print_faults(void)
{
    struct fd_fault_info info;

    for (size_t i = 0; fd_fault_get(i, &info) == FD_OK; i++) {
        print_column(info.name, '\t');
        print_column(info.layer, '\t');
        print_column(info.summary, '\t');
        print_column(info.violates, '\t');
        print_column(info.source, '\n');
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "variants") == 0)
        print_variants();
    else
        print_faults();
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
