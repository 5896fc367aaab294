/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The faults of the profiler, sorted by name. The other faults of the layer are in
 * fault_table_integration.c and the files next to it.
 */
#include "fakedev_faults.h"
#include "fault_table.h"

#define LAYER "integration"

static const struct fd_fault_info rows[] = {
    FAULT("profiler.each_device_keeps_the_last", "PROF-004",
          "onEachDevice of the stubs leaves the last device current."),
    FAULT("profiler.elapsed_does_not_wait", "PROF-003",
          "elapsed of the stubs returns 0 if an event is not complete."),
    FAULT("profiler.elapsed_in_milliseconds", "PROF-003,PROF-010",
          "elapsed of the stubs returns milliseconds."),
    FAULT("profiler.elapsed_raises", "PROF-003,PROF-009",
          "elapsed of the stubs raises, so that no profile can be read."),
    FAULT("profiler.marks_raise", "PROF-006", "mark and rangePush of the stubs raise."),
    FAULT("profiler.record_names_device_0", "PROF-002",
          "record of the stubs names device 0, whichever device is current."),
    FAULT("profiler.record_needs_all_pointers", "PROF-002,PROF-008",
          "record of the stubs raises if a pointer is null, as PyTorch passes it."),
    FAULT("profiler.stubs_not_enabled", "PROF-001",
          "enabled() of the stubs is that of the base class."),
    FAULT("profiler.synchronize_does_nothing", "PROF-005",
          "synchronize of the stubs returns immediately."),
};

const struct fd_fault_layer fd_faults_of_profiler = {rows, sizeof rows / sizeof rows[0]};
