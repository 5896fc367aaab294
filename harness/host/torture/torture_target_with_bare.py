# SPDX-License-Identifier: BSD-3-Clause
"""The torture target in a host with a bare process. Its torch is a stand-in of a few lines (bare_process_test.py)."""

from assay.host import bare_process

bare_process.import_torch()

import torch  # noqa: E402, F401
from torture_target import *  # noqa: E402, F401, F403
