# SPDX-License-Identifier: BSD-3-Clause
"""Modules of the suites' support in a user's program. They leave no name behind: it may have a judge.py of its own."""

import os
import sys


def taken(folder, *names):
    before = dict(sys.modules)
    sys.path.insert(0, folder)
    try:
        for module in [one for one in sys.modules if os.path.exists(os.path.join(folder, one + ".py"))]:
            del sys.modules[module]
        return [__import__(name) for name in names]
    finally:
        sys.path.remove(folder)
        for module in [one for one in sys.modules if os.path.exists(os.path.join(folder, one + ".py"))]:
            del sys.modules[module]
            if module in before:
                sys.modules[module] = before[module]
