/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Status codes of assay's public ABI, and the constants that all other headers in this folder use.
 * Included by plugins, suites, adapters and the harness. This file must not depend on PyTorch or on
 * any device.
 */
#ifndef ASSAY_STATUS_H
#define ASSAY_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* Every function that can fail returns an int32_t: one of the values below. The list is closed:
 * details go into the text that accompanies the status, not into a new number. */
#define ASSAY_OK 0
#define ASSAY_EINVALID (-1) /* an argument is outside of its documented range */
#define ASSAY_EUNSUPPORTED                                                                         \
    (-2)                     /* the request is understood, but this backend does not support it */
#define ASSAY_ENOMEM (-3)    /* out of memory, on the device or on the host */
#define ASSAY_ELOST (-4)     /* the device is lost; only a reset helps */
#define ASSAY_ETIMEOUT (-5)  /* a deadline passed */
#define ASSAY_EINTERNAL (-6) /* an internal assert, or an exception of an unknown kind */
#define ASSAY_EFAILED (-7)   /* an ordinary error was raised; the text has the details */

/* Answers to a query. */
#define ASSAY_NO 0
#define ASSAY_YES 1
#define ASSAY_UNKNOWN 2

/* Marks the functions that a plugin exports; all other functions are hidden. */
#define ASSAY_EXPORT __attribute__((visibility("default")))

/* No exception may leave a function of the ABI, so it is noexcept in C++. */
#ifdef __cplusplus
#define ASSAY_NOEXCEPT noexcept
#else
#define ASSAY_NOEXCEPT
#endif

/* Tests whether `field` is inside the struct that the other side filled in. Use it before reading a
 * field that was added after minor 0. ASSAY_HAS also tests that a pointer field is not NULL. */
#define ASSAY_HAS_FIELD(pointer, type, field)                                                      \
    ((pointer)->struct_size >= offsetof(type, field) + sizeof((pointer)->field))
#define ASSAY_HAS(pointer, type, field)                                                            \
    (ASSAY_HAS_FIELD(pointer, type, field) && (pointer)->field != NULL)

#endif
