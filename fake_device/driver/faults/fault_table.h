/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All switches of the fake device: faults (one or more files of rows for each layer in which they
 * act), refusals and delays. README.md describes how to add a fault.
 */
#ifndef FD_FAULT_TABLE_H
#define FD_FAULT_TABLE_H

#include "fakedev_faults.h"

#define FD_LARGEST_FAULT_TABLE 1024 /* settings_test.c checks that the table is not larger */

struct fd_fault_layer {
    const struct fd_fault_info *rows;
    size_t count;
};
extern const struct fd_fault_layer fd_faults_of_driver, fd_faults_of_integration,
    fd_faults_of_collectives, fd_faults_of_kinds, fd_faults_of_memory, fd_faults_of_operators,
    fd_faults_of_profiler, fd_faults_of_streams, fd_faults_of_python, fd_refusals;

/* A row of a fault table. The file defines LAYER. `violates`: requirement ids, comma separated. */
#define FAULT(name, violates, summary) FAULT_FROM(name, violates, summary, "")
/* `source`: the incident or document on which the fault is based. */
#define FAULT_FROM(name, violates, summary, source)                                                \
    {                                                                                              \
        name, LAYER, summary, violates, source, FD_AT_CALL                                         \
    }
#define FAULT_AT_LOAD(name, violates, summary, source)                                             \
    {                                                                                              \
        name, LAYER, summary, violates, source, FD_AT_LOAD                                         \
    }

/* `index` 0 is the first fault. The faults of all layers come first, then the refusals. Returns
 * NULL past the end. */
const struct fd_fault_info *fd_fault_at(size_t index);

#endif
