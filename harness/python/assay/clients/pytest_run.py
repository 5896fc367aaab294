# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.clients.pytest_run WORDS: runs pytest without the current folder on the path, because that is a
checkout of the library.

The tests must import the installed library. Started by sides.py.
"""

import sys

import pytest

if __name__ == "__main__":
    sys.exit(pytest.main())
