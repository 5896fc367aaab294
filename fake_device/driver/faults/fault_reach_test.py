# SPDX-License-Identifier: BSD-3-Clause
"""How far the driver's faults reach: not beyond the programs that stand on the code of their area.

A program outside the area of a fault must pass with it. Every change runs each program once, with
every fault on that is none of its business: quick, but one fault could hide another. So ci/full, with
ASSAY_EACH_FAULT=1, also runs each program once for each such fault, which takes a quarter of an hour.
"""

import os
import unittest

import driver_programs

# The programs that stand on an area's code, and so may fail with its faults. No other may.
KERNELS = (
    "kernel_test kernel_reduce_test kernel_index_test kernel_random_test kernel_copy_test "
    "kernel_matmul_test kernel_pointwise_test kernel_pointwise_binary_test"
)
ABOVE = {
    "allocator": f"memory_test allocator_test device_test copy_test ipc_test stream_fault_test "
                 f"pinned_test graph_test {KERNELS}",
    "copy": "stream_fault_test copy_test graph_test pinned_test memory_test device_test kernel_test",
    "device": "device_test device_work_test graph_test memory_test allocator_test stream_test "
              "stream_fault_test worker_test scheduler_test stream_stress_test kernel_copy_test "
              "kernel_pointwise_test kernel_pointwise_binary_test",
    "error": "stream_fault_test stream_error_test device_test event_test stream_work_test "
             "device_work_test worker_test stream_stress_test copy_test stream_registry_test "
             "kernel_index_test kernel_pointwise_binary_test graph_test",
    "event": "stream_fault_test event_test device_work_test worker_test scheduler_test "
             "stream_stress_test graph_test",
    "graph": "graph_test",
    "kernel": f"arith_test dtype_test tensor_walk_test {KERNELS}",
    "random": "random_test kernel_random_test",
    "stream": f"stream_fault_test stream_test event_test stream_work_test device_work_test gate_test graph_test "
              f"worker_test scheduler_test stream_stress_test copy_test current_stream_test "
              f"allocator_test memory_test device_test milestone_test pinned_test {KERNELS}",
}


def driver_faults():
    return [name for name, layer, *_ in driver_programs.table("faults") if layer == "driver"]


def area_of(fault):
    return fault.split(".")[0]


def foreign_to(program):
    """The faults that are none of the program's business."""
    return [fault for fault in driver_faults() if program not in ABOVE[area_of(fault)].split()]


class FaultReach(unittest.TestCase):
    def pass_all(self, jobs):
        for (program, environment), passed, output in driver_programs.run_all(jobs):
            with self.subTest(program=program, **environment):
                self.assertTrue(passed, output[-3000:])

    def test_table_names_areas_and_programs_that_exist(self):
        self.assertEqual(set(ABOVE), {area_of(fault) for fault in driver_faults()})
        named = set(" ".join(ABOVE.values()).split())
        self.assertEqual(set(), named - set(driver_programs.names()))

    def test_programs_elsewhere_pass_with_all_at_once(self):
        jobs = []
        for program in driver_programs.names():
            foreign = foreign_to(program)
            self.assertGreater(len(foreign), 3)
            jobs.append((program, {"FAKEDEV_FAULT": ",".join(foreign)}))
        self.pass_all(jobs)

    @unittest.skipUnless(os.environ.get("ASSAY_EACH_FAULT") == "1", "ASSAY_EACH_FAULT is not 1")
    def test_programs_elsewhere_pass_with_each_alone(self):
        self.pass_all((program, {"FAKEDEV_FAULT": fault})
                      for program in driver_programs.names() for fault in foreign_to(program))


if __name__ == "__main__":
    unittest.main()
