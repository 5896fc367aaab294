/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One index over the faults of all layers, sorted by layer and name, and then the refusals.
 */
#include "fault_table.h"
#include "fakedev_faults.h"

static const struct fd_fault_layer *const layers[] = {
    &fd_faults_of_driver,      &fd_faults_of_integration,
    &fd_faults_of_collectives, &fd_faults_of_kinds,
    &fd_faults_of_memory,      &fd_faults_of_operators,
    &fd_faults_of_profiler,    &fd_faults_of_streams,
    &fd_faults_of_python,      &fd_refusals};

const struct fd_fault_info *fd_fault_at(size_t index)
{
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        if (index < layers[i]->count)
            return &layers[i]->rows[index];
        index -= layers[i]->count;
    }
    return NULL;
}
