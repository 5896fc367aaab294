/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the driver's fault table as faults.tsv. Run by the build, so that no other program of the
 * harness needs to load the driver to know the names.
 */
#include <stdio.h>

#include "fakedev.h"

/* Tabs and line ends separate columns and rows. */
static void print_column(const char *text, char end)
{
    for (; *text; text++)
        putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
    putchar(end);
}

int main(void)
{
    struct fd_fault_info info;

    for (size_t i = 0; fd_fault_get(i, &info) == FD_OK; i++) {
        print_column(info.name, '\t');
        print_column(info.layer, '\t');
        print_column(info.summary, '\t');
        print_column(info.violates, '\t');
        print_column(info.source, '\n');
    }
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
