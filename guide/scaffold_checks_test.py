# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the scaffold conforms to the contract, because authors begin with a copy of the scaffold.

Runs half of all checks, those of the scaffold's own code, without the slow ones. ci/full scaffold installs the backend
with pip and runs all checks."""

import os
import unittest
from pathlib import Path

from new_backend import FEATURES, PARTS, files_of
from scratch_build import compile_in, write_changed
from step_runs import ask, tell_of_entry_point

PLACE = Path(os.environ["ASSAY_BUILD"]) / "guide/scaffold"
MODULES = ("allocator", "amp", "device_module", "generator", "operators", "pinned", "statistics", "storage")
SLOW = (  # each takes more than half a second of processor time
    "allocator.block_is_not_reused_while_a_stream_uses_it", "allocator.racing_threads_get_disjoint_blocks",
    "generator.racing_threads_draw_different_numbers",
    "operators.binary_operators_match_the_cpu", "operators.elementwise_out_and_in_place_match_the_cpu",
    "operators.gradients_of_convolutions_match_the_cpu", "operators.losses_and_normalisations_match_the_cpu",
    "operators.matrix_products_match_the_cpu", "operators.python_numbers_are_accepted_as_operands",
    "operators.recurrent_cells_match_the_cpu", "operators.reductions_match_the_cpu",
    "operators.result_layouts_match_fake_tensors", "operators.results_of_every_dtype_match_the_cpu",
    "operators.gather_and_scatter_along_a_dim_match_the_cpu", "operators.unary_operators_match_the_cpu",
    "pinned.non_blocking_copies_do_not_wait",
)  # fmt: skip
NOT_KEPT = {"fail", "crash", "timeout", "broken"}


class Scaffold(unittest.TestCase):
    def test_a_backend_with_everything_keeps_the_contract(self):
        write_changed(PLACE / "tree", files_of("foo", {*PARTS, *FEATURES}, "the foo authors"))
        compile_in(PLACE / "tree")
        tell_of_entry_point(PLACE / "tree")
        verdicts = ask(PLACE, "run", [",".join((*MODULES, *(f"-{check}" for check in SLOW)))])
        self.assertEqual({check: verdict for check, verdict in verdicts.items() if verdict in NOT_KEPT}, {})
        self.assertGreaterEqual(list(verdicts.values()).count("pass"), 350)


if __name__ == "__main__":
    unittest.main()
