/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program inside libassay_native.so, which native_launcher.c finds by name. The program uses
 * the bridge without linking it: the bridge must be loaded already, with global symbols.
 */
#ifndef HN_NATIVE_ENTRY_H
#define HN_NATIVE_ENTRY_H

#include "assay/status.h"

ASSAY_EXPORT int hn_host_native_main(int count, char **arguments);

#endif
