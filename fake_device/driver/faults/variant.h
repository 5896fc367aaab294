/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Selects variants when the library is loaded. To query a variant, use fd_variant_is_on().
 */
#ifndef FD_VARIANT_H
#define FD_VARIANT_H

#include "settings.h"

/* Selects the variants of a comma-separated list and lets each change `settings`. Returns 0, or
 * -1 with one sentence in `message`. Must be called only while the library is loaded (and in
 * tests). */
int fd_variants_choose(const char *list, struct fd_settings *settings, char *message,
                       size_t message_size);

#endif
