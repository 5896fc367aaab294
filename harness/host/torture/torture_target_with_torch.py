# SPDX-License-Identifier: BSD-3-Clause
"""The torture target in a host that has imported torch: for ci/bench/isolation_bench.py."""

import torch  # noqa: F401

from torture_target import *  # noqa: F401, F403
