/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The faults that act in the collectives of the integration, sorted by name. Faults of the factory
 * of process groups are in fault_table_python.c.
 */
#include "fakedev_faults.h"
#include "fault_table.h"

#define LAYER "integration"

static const struct fd_fault_info rows[] = {
    FAULT("collective.all_to_all_reverses_chunks", "DIST-015",
          "all_to_all sends the chunks to the ranks in reverse order."),
    FAULT("collective.all_to_all_turns_backwards", "DIST-049",
          "all_to_all sends the chunk of the next rank to the rank before."),
    FAULT("collective.barrier_returns_at_once", "DIST-017",
          "barrier() does not wait for the other ranks."),
    FAULT("collective.chunks_are_reversed", "DIST-012,DIST-046,DIST-047",
          "all_gather writes the chunk of the last rank first."),
    FAULT("collective.coalesced_sums_the_first_alone", "DIST-018",
          "all_reduce_coalesced sums only its first tensor."),
    FAULT("collective.drops_the_odd_element", "DIST-030,DIST-042",
          "The last element is not sent if their number is odd."),
    FAULT("collective.every_rank_gets_the_first_chunk", "DIST-013,DIST-029",
          "reduce_scatter gives every rank the chunk of rank 0."),
    FAULT("collective.every_reduction_is_a_sum", "DIST-010",
          "A reduction ignores its operator and sums."),
    FAULT("collective.future_is_empty", "DIST-019,DIST-028",
          "The future of an all_reduce completes without its tensors."),
    FAULT("collective.gathers_in_reverse", "DIST-014",
          "gather writes the tensor of the last rank first."),
    FAULT("collective.ignores_the_current_stream", "DIST-020",
          "A collective reads its input before the current stream has computed it."),
    FAULT("collective.integers_are_summed_as_floats", "DIST-043",
          "Sums of integers are computed in float32."),
    FAULT("collective.later_groups_ignore_streams", "DIST-020",
          "After its first six groups, a process ignores the current stream in collectives."),
    FAULT("collective.messages_are_of_half_precision", "DIST-053",
          "send() sends floats in half precision."),
    FAULT("collective.missing_ones_do_nothing", "DIST-015,DIST-022",
          "A collective that the backend lacks returns without an error."),
    FAULT("collective.mixed_group_loses_results", "DIST-008",
          "In a group with a backend for the CPU, sums do not reach device tensors."),
    FAULT("collective.root_is_rank_zero", "DIST-011",
          "broadcast and reduce use rank 0, whichever root is requested."),
    FAULT("collective.sums_a_power_of_two_of_ranks", "DIST-049",
          "A sum leaves out the ranks beyond the largest power of two."),
    FAULT("collective.sums_are_of_half_precision", "DIST-028,DIST-029,DIST-043,DIST-052",
          "Sums of floats are computed in half precision."),
    FAULT("collective.tags_are_ignored", "DIST-016",
          "Messages are received in the order of sending, whatever their tags are."),
    FAULT("collective.takes_device_tensors_without_backend", "DIST-048",
          "A group without a backend for the device accepts its tensors and does nothing."),
    FAULT("collective.takes_host_tensors", "DIST-021",
          "A group without a backend for the CPU accepts CPU tensors and does nothing."),
    FAULT("collective.work_hides_errors", "DIST-023,DIST-044",
          "wait() returns normally although the collective failed."),
    FAULT("collective.work_is_complete_at_once", "DIST-019",
          "is_completed() is true before the other ranks have entered."),
    FAULT("collective.work_is_waited_for_once", "DIST-019", "A second wait() raises."),
    FAULT("collective.writes_to_a_packed_copy", "DIST-042",
          "The result of a collective does not reach a tensor that is not contiguous."),
};

const struct fd_fault_layer fd_faults_of_collectives = {rows, sizeof rows / sizeof rows[0]};
