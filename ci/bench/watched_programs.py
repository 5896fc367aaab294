# SPDX-License-Identifier: BSD-3-Clause
"""Runs twenty training programs of suites/programs several times in one process. Prints elapsed seconds and peak
memory.

Usage: watched_programs.py DEVICE ROUNDS. Run by watch_bench.py, with and without assay watch.
"""

import importlib
import json
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = """
test_language_programs: tied_language_model greedy_generation left_padded_batch translation mixture_of_experts
test_vision_programs: images_in_channels_last diffusion variational_autoencoder adversaries
test_sequence_programs: recurrent_cells packed_tagger unaligned_speech
test_table_programs: graph_network segments embedding_bags quantile_and_histogram_losses
test_precision_programs: checkpointed accumulation_and_clipping
test_optimizer_programs: closure moving_averages
"""


def programs():
    for line in PROGRAMS.split("\n"):
        module, _, names = line.partition(": ")
        for name in names.split():
            yield getattr(importlib.import_module(f"suites.programs.{module}"), name)


def main(device, rounds):
    import torch
    from assay.programs.run import Run

    chosen = list(programs())
    chosen[0](Run(device, torch.float32))  # warm-up, so that the first use of the device is not measured
    began, busy = time.monotonic(), time.process_time()
    for program in chosen:
        for _ in range(rounds):
            program(Run(device, torch.float32))
    took = time.monotonic() - began
    print(json.dumps({"programs": len(chosen), "seconds": took,
                      "processor": time.process_time() - busy,
                      "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
