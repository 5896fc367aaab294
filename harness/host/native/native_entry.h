/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program inside libassay_native.so, as native_launcher.c finds it by name. It uses the bridge
 * without linking it: it must be in the process already, with its symbols for everyone.
 */
#ifndef HN_NATIVE_ENTRY_H
#define HN_NATIVE_ENTRY_H

#include "assay/status.h"

ASSAY_EXPORT int hn_host_native_main(int count, char **arguments);

#endif
