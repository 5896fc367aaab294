# SPDX-License-Identifier: BSD-3-Clause
"""Changes between two PyTorchs, and whom they hit. Reading order: harness/drift/README.md.

Nothing is imported from the folder that the user happens to be in; an interpreter older than 3.11 is told here.
"""

import os
import sys

if sys.version_info < (3, 11) and sys.argv[:1] == ["-m"] and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]
