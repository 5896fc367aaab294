/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads a target without Python, by the dlopen steps of its profile. If a library needs symbols
 * of Python, libpython is loaded first, with global symbols and without starting an interpreter.
 * The use of libpython is recorded as a fact of the job. Loading runs no operator and
 * initialises no device. [main]
 */
#ifndef HN_NATIVE_TARGET_H
#define HN_NATIVE_TARGET_H

#include "host_callbacks.h"

/* Runs the steps in order. Returns 0, or a negative ASSAY_E and one sentence. The registrations of
 * each step become a fact of the job, such as "guard, 12 kernels for PrivateUse1" for "step 1
 * dlopen libfoo.so". */
int32_t hn_native_load(const struct hn_host_step *steps, size_t count, char *text, size_t size);

/* Finds the registered name and devices after loading. Values of the profile take precedence. */
int32_t hn_native_describe(const struct hn_host_setup *setup, struct hn_host_target *target,
                           char *text, size_t size);

#endif
