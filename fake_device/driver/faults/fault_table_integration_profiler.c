/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The faults of the profiler, sorted by name. The other faults of the layer are in
 * fault_table_integration.c and the files next to it.
 */
#include "fakedev_faults.h"
#include "fault_table.h"

#define LAYER "integration"

static const struct fd_fault_info rows[] = {
    FAULT("profiler.activities_end_with_the_session", "PROF-030",
          "Each device event ends when the session ends."),
    FAULT("profiler.activities_in_the_drivers_clock", "PROF-030",
          "Device events have times of the driver's clock."),
    FAULT("profiler.activities_not_linked", "PROF-018", "Device events are linked to no operator."),
    FAULT("profiler.activities_on_device_0", "PROF-031", "All device events are on device 0."),
    FAULT("profiler.activities_on_one_row", "PROF-031",
          "The events of all streams of a device are on one row."),
    FAULT("profiler.arrows_without_start", "PROF-034",
          "No arrow leads from a launch to its device event."),
    FAULT("profiler.device_in_every_profile", "PROF-035",
          "A profile of the CPU alone contains device events."),
    FAULT("profiler.each_device_keeps_the_last", "PROF-004",
          "onEachDevice of the stubs leaves the last device current."),
    FAULT("profiler.elapsed_does_not_wait", "PROF-003",
          "elapsed of the stubs returns 0 if an event is not complete."),
    FAULT("profiler.elapsed_in_milliseconds", "PROF-003,PROF-010",
          "elapsed of the stubs returns milliseconds."),
    FAULT("profiler.elapsed_raises", "PROF-003,PROF-009",
          "elapsed of the stubs raises, so that no profile can be read."),
    FAULT("profiler.linked_to_the_operator_before", "PROF-018",
          "Each device event is linked to the operator of the event before."),
    FAULT("profiler.marks_raise", "PROF-006", "mark and rangePush of the stubs raise."),
    FAULT("profiler.metadata_breaks_the_trace", "PROF-011",
          "Metadata of device events is not JSON."),
    FAULT("profiler.pending_work_is_lost", "PROF-032",
          "Work that is pending when a session ends is in no session."),
    FAULT("profiler.record_names_device_0", "PROF-002",
          "record of the stubs names device 0, whichever device is current."),
    FAULT("profiler.record_needs_all_pointers", "PROF-002,PROF-008",
          "record of the stubs raises if a pointer is null, as PyTorch passes it."),
    FAULT("profiler.rows_without_names", "PROF-033",
          "The rows of the device have no names in the timeline."),
    FAULT("profiler.second_session_fails", "PROF-013",
          "Only the first session of a process works."),
    FAULT("profiler.session_repeats_the_last", "PROF-014",
          "A session also contains the events of the session before."),
    FAULT("profiler.sessions_are_refused", "PROF-026", "The activity profiler returns no session."),
    FAULT("profiler.stubs_not_enabled", "PROF-001",
          "enabled() of the stubs is that of the base class."),
    FAULT("profiler.synchronize_does_nothing", "PROF-005",
          "synchronize of the stubs returns immediately."),
};

const struct fd_fault_layer fd_faults_of_profiler = {rows, sizeof rows / sizeof rows[0]};
