/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of faults, sorted by name. A row without a line of code where it acts, or the reverse,
 * fails fault_table_test.py.
 */
#include "fault_table.h"

const struct fd_fault_info fd_fault_table[] = {
    {"device.count_changes", "driver",
     "Each question for the number of devices has another answer.", "DEV-014", "INC-165"},
    {"device.current_ignores_set", "driver",
     "Setting the current device succeeds and changes nothing.", "DEV-008,DEV-004,DEV-017", ""},
    {"device.current_shared_by_threads", "driver",
     "All threads share one current device: a switch in one is seen in the others.", "DEV-015", ""},
    {"device.lost_is_silent", "driver", "Calls on a lost device report success.", "", ""},
    {"device.set_accepts_out_of_range", "driver",
     "Setting a device index that does not exist succeeds.", "DEV-009,DEV-007,DEV-037", ""},
    {"device.synchronize_returns_at_once", "driver",
     "Synchronising a device does not wait for its streams.", "DEV-024", ""},
    {"device.synchronize_waits_for_current", "driver",
     "Synchronising a device by index waits for the current device instead.", "DEV-025", ""},
};

const size_t fd_fault_table_size = sizeof fd_fault_table / sizeof fd_fault_table[0];
