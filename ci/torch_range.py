# SPDX-License-Identifier: BSD-3-Clause
"""Reads ci/torch-range, the only file that lists the supported releases of torch, oldest first.

    torch_range.py outputs [MORE...]      "torch=[...]", for the matrix of a workflow
    torch_range.py before VERSION         the newest release that is older than VERSION
"""

import json
import re
import sys
from pathlib import Path

FILE = Path(__file__).with_name("torch-range")


def releases(file=FILE):
    return file.read_text(encoding="utf-8").split()


def numbers(version):
    """The numbers of a version: "2.13.0", "2.13.0+cpu" and nightly builds of 2.13.0 give (2, 13, 0)."""
    return tuple(int(part) for part in re.match(r"\d+(?:\.\d+)*", version)[0].split("."))


def before(version):
    """The newest older release, or "" if there is none."""
    return next((found for found in reversed(releases()) if numbers(found) < numbers(version)), "")


def main(words):
    if words[:1] == ["outputs"]:
        print("torch=" + json.dumps([*releases(), *words[1:]]))
    elif words[:1] == ["before"] and len(words) == 2 and before(words[1]):
        print(before(words[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
