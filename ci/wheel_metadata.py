# SPDX-License-Identifier: BSD-3-Clause
"""Metadata of the wheel from ci/torch-range: the extra `assay[torch]` names the range of torch, and numpy, which some
checks need to read tensors.

Called by the build of the wheel (pyproject.toml). There is no upper bound, because assay also runs with a newer
torch. torch is not a plain dependency, because assay uses the torch of the environment.
"""

from pathlib import Path

RANGE = Path(__file__).with_name("torch-range")


def dynamic_metadata(field, _settings=None):
    if field != "optional-dependencies":
        raise RuntimeError(f"wheel_metadata.py knows nothing of {field}")
    oldest = RANGE.read_text(encoding="utf-8").split()[0]
    return {"torch": [f"torch>={oldest}", "numpy"]}
