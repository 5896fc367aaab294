/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The faults that act in what integrates streams and graphs, sorted by name; the other faults of the layer are in
 * fault_table_integration.c and fault_table_integration_memory.c.
 */
#include "fakedev_faults.h"
#include "fault_table.h"

static const struct fd_fault_info rows[] = {
    {"stream.backward_leaves_its_stream", "integration",
     "After backward the stream it ran on is current on every thread.", "STRM-044", "", FD_AT_CALL},
    {"stream.default_is_current", "integration", "The default stream is whichever is current.",
     "STRM-004", "", FD_AT_CALL},
    {"stream.exchange_needs_its_device", "integration",
     "A stream can be made current only while its device is.", "STRM-013", "", FD_AT_CALL},
    {"stream.exchange_returns_new", "integration", "exchangeStream returns the stream it has set.",
     "STRM-011,STRM-043", "", FD_AT_CALL},
    {"stream.exchange_takes_any_index", "integration",
     "Making a stream of a device that is not there current succeeds.", "STRM-002", "", FD_AT_CALL},
    {"stream.id_is_a_pointer", "integration", "An id that no stream has is followed as an address.",
     "STRM-040", "", FD_AT_CALL},
    {"stream.is_always_capturing", "integration", "Every stream says that it is capturing.",
     "STRM-028,STRM-047,GRPH-006", "", FD_AT_CALL},
    {"stream.left_for_good", "integration", "A stream that was left cannot be made current again.",
     "STRM-042", "", FD_AT_CALL},
    {"stream.native_handle_is_new", "integration",
     "Each question for the native handle of a stream gives another.", "STRM-027", "", FD_AT_CALL},
    {"stream.never_reused", "integration",
     "Each stream that is made starts a thread of its own, for ever.", "STRM-051", "", FD_AT_CALL},
    {"stream.new_crashes_before_start", "integration",
     "Making a stream as the first call of a process ends it.", "DEV-036", "", FD_AT_CALL},
    {"stream.new_fails", "integration", "Making a stream fails, for no reason that can be told.",
     "STRM-006", "", FD_AT_CALL},
    {"stream.new_is_default", "integration", "A new stream is the default stream.", "STRM-008",
     "INC-035", FD_AT_CALL},
    {"stream.new_on_any_index", "integration",
     "A new stream for a device that is not there is one of device 0.", "STRM-049", "", FD_AT_CALL},
    {"stream.new_switches_device", "integration",
     "Making a stream makes its device the current one.", "STRM-048", "", FD_AT_CALL},
    {"stream.of_any_index", "integration",
     "The current stream of a device that is not there is that of device 0.", "STRM-041", "",
     FD_AT_CALL},
    {"stream.of_current_device", "integration",
     "getStream answers for the current device, whatever device is asked.",
     "STRM-001,STRM-003,ACC-009", "", FD_AT_CALL},
    {"stream.oldest_is_destroyed", "integration",
     "The fifth new stream destroys the first, which somebody may still have.", "STRM-037,STRM-042",
     "", FD_AT_CALL},
    {"stream.pool_ignores_device", "integration",
     "The pool gives streams of the current device, whatever device is asked.", "STRM-049,STRM-009",
     "", FD_AT_CALL},
    {"stream.pool_on_any_index", "integration",
     "The pool has a stream of device 0 for a device that is not there.", "STRM-049", "",
     FD_AT_CALL},
    {"stream.priority_is_an_index", "integration",
     "A priority that the device does not have ends the process.", "STRM-010", "", FD_AT_CALL},
    {"stream.query_never_idle", "integration", "A stream never says that it is idle.", "STRM-015",
     "", FD_AT_CALL},
    {"stream.zero_is_unknown", "integration", "A stream of id 0 cannot be waited for.",
     "STRM-005,STRM-015,STRM-017", "", FD_AT_CALL},
};

const struct fd_fault_layer fd_faults_of_streams = {rows, sizeof rows / sizeof rows[0]};
