/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay-host-native is the host program for native checks. The supervisor starts it with
 * --control=FD; in exec mode, the program starts itself with --job=FD. This file has only the
 * entry point, which native_launcher.c calls after it has loaded the bridge.
 */
#include "native_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native_callbacks.h"

int hn_host_native_main(int count, char **arguments)
{
    static const char *program[2];
    const struct hn_host_callbacks *callbacks = hn_native_callbacks();
    const char *value = count == 2 ? strchr(arguments[1], '=') : NULL;
    if (!value) {
        fputs("usage: assay-host-native --control=FD (assay starts it)\n", stderr);
        return 64;
    }
    if (!callbacks)
        return 71;
    program[0] = arguments[0];
    hn_host_set_program(program);
    const int channel = (int)strtol(value + 1, NULL, 10);
    if (strncmp(arguments[1], "--job=", 6) == 0)
        return hn_host_serve_one(channel, callbacks);
    return hn_host_serve(channel, callbacks);
}
