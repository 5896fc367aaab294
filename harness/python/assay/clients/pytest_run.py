# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.clients.pytest_run WORDS: pytest without the current folder, a checkout of the library, on the path.

The tests are for the library that is installed. Started by sides.py.
"""

import sys

import pytest

if __name__ == "__main__":
    sys.exit(pytest.main())
