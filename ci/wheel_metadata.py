# SPDX-License-Identifier: BSD-3-Clause
"""Metadata of the wheel that ci/torch-range has: which torch is meant by `pip install assay[torch]`, with numpy, through
which some checks look at tensors.

Called by the build of the wheel (pyproject.toml). A newer torch than all of the range runs, so there is no upper bound; no
plain dependency either: torch is whatever the environment has.
"""

from pathlib import Path

RANGE = Path(__file__).with_name("torch-range")


def dynamic_metadata(field, _settings=None):
    if field != "optional-dependencies":
        raise RuntimeError(f"wheel_metadata.py knows nothing of {field}")
    oldest = RANGE.read_text(encoding="utf-8").split()[0]
    return {"torch": [f"torch>={oldest}", "numpy"]}
