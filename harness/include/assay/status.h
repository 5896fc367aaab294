/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Status codes of assay's public ABI and the few words every other header here uses.
 * Included by plugins, suites, adapters and the harness. Knows nothing of PyTorch or of any device.
 */
#ifndef ASSAY_STATUS_H
#define ASSAY_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* Every function that can fail returns an int32_t: 0, or one of these. The list is closed: a new
 * meaning goes into the text that accompanies the status, not into a new number. */
#define ASSAY_OK 0
#define ASSAY_EINVALID (-1) /* an argument is out of its documented range */
#define ASSAY_EUNSUPPORTED                                                                         \
    (-2)                     /* understood, and clearly refused: this backend does not offer it */
#define ASSAY_ENOMEM (-3)    /* memory is exhausted: the device's or the host's */
#define ASSAY_ELOST (-4)     /* the device is gone; nothing but a reset helps */
#define ASSAY_ETIMEOUT (-5)  /* a deadline passed */
#define ASSAY_EINTERNAL (-6) /* an internal assert, or an exception of an unknown kind */
#define ASSAY_EFAILED (-7)   /* an ordinary error was raised; the text says which */

/* Answers to a question that may have no answer. */
#define ASSAY_NO 0
#define ASSAY_YES 1
#define ASSAY_UNKNOWN 2

/* Marks the functions that a plugin exports; everything else in it is hidden. */
#define ASSAY_EXPORT __attribute__((visibility("default")))

/* No exception crosses the border; in C++ the compiler is told so. */
#ifdef __cplusplus
#define ASSAY_NOEXCEPT noexcept
#else
#define ASSAY_NOEXCEPT
#endif

/* Is `field` inside the struct that the other side filled? Ask before reading any field that was
 * added after minor 0. Pointers: ASSAY_HAS also wants a value. */
#define ASSAY_HAS_FIELD(pointer, type, field)                                                      \
    ((pointer)->struct_size >= offsetof(type, field) + sizeof((pointer)->field))
#define ASSAY_HAS(pointer, type, field)                                                            \
    (ASSAY_HAS_FIELD(pointer, type, field) && (pointer)->field != NULL)

#endif
