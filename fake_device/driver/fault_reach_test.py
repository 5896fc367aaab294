# SPDX-License-Identifier: BSD-3-Clause
"""How far the driver's faults reach: not beyond the programs that stand on the code of their area.

A program outside the area of a fault must pass with it. Running each program once for each fault
takes a quarter of an hour, so it runs once, with every fault on that is none of its business.
"""

import concurrent.futures
import os
import subprocess
import unittest
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD"])
DEADLINE = 240

# The programs that stand on an area's code, and so may fail with its faults. No other may.
KERNELS = (
    "kernel_test kernel_reduce_test kernel_index_test kernel_random_test kernel_copy_test "
    "kernel_matmul_test kernel_pointwise_test"
)
ABOVE = {
    "allocator": f"memory_test allocator_test device_test copy_test ipc_test stream_fault_test "
                 f"{KERNELS}",
    "copy": "stream_fault_test copy_test",
    "device": "device_test device_work_test memory_test allocator_test stream_test "
              "stream_fault_test worker_test scheduler_test stream_stress_test kernel_copy_test "
              "kernel_pointwise_test",
    "error": "stream_fault_test stream_error_test device_test event_test stream_work_test "
             "device_work_test worker_test stream_stress_test copy_test stream_registry_test "
             "kernel_index_test kernel_pointwise_test",
    "event": "stream_fault_test event_test device_work_test worker_test scheduler_test "
             "stream_stress_test",
    "ipc": "ipc_test",
    "kernel": f"arith_test dtype_test tensor_walk_test {KERNELS}",
    "pinned": "pinned_test memory_test copy_test device_test kernel_test stream_fault_test",
    "random": "random_test kernel_random_test",
    "stream": "stream_fault_test stream_test event_test stream_work_test device_work_test gate_test "
              "worker_test scheduler_test stream_stress_test copy_test current_stream_test "
              "allocator_test memory_test device_test milestone_test kernel_test "
              "kernel_index_test kernel_copy_test kernel_pointwise_test",
}
# Asks itself what the environment has switched on.
SKIPPED = {"settings_test"}


def driver_faults():
    out = subprocess.run(
        [BUILD / "bin" / "fakedev", "faults"], check=True, capture_output=True, text=True
    ).stdout
    rows = [line.split("\t") for line in out.splitlines()]
    return [name for name, layer, *_ in rows if layer == "driver"]


def area_of(fault):
    return fault.split(".")[0]


def driver_programs():
    sources = Path(__file__).resolve().parent.glob("*_test.c")
    return sorted({source.stem for source in sources} - SKIPPED)


def run(program, faults):
    """(passed, output) of a test program with these faults on. One that hangs has not passed."""
    environment = {**os.environ, "FAKEDEV_FAULT": ",".join(faults), "CK_VERBOSITY": "normal"}
    try:
        done = subprocess.run(
            [BUILD / "tests" / program], env=environment, timeout=DEADLINE, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )
    except subprocess.TimeoutExpired as late:
        return False, f"{program} hangs\n{late.stdout}"
    return done.returncode == 0, f"{program}: status {done.returncode}\n{done.stdout}"


class FaultReach(unittest.TestCase):
    def setUp(self):
        self.faults = driver_faults()
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.addCleanup(self.pool.shutdown)

    def test_table_names_areas_and_programs_that_exist(self):
        self.assertEqual(set(ABOVE), {area_of(fault) for fault in self.faults})
        named = set(" ".join(ABOVE.values()).split())
        self.assertEqual(set(), named - set(driver_programs()))

    def test_programs_elsewhere_pass(self):
        futures = {}
        for program in driver_programs():
            foreign = [f for f in self.faults if program not in ABOVE[area_of(f)].split()]
            futures[program] = (foreign, self.pool.submit(run, program, foreign))
        for program, (foreign, future) in futures.items():
            with self.subTest(program=program):
                self.assertGreater(len(foreign), 3)
                passed, output = future.result()
                self.assertTrue(passed, output[-3000:])


if __name__ == "__main__":
    unittest.main()
