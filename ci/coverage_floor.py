# SPDX-License-Identifier: BSD-3-Clause
"""Prints the line coverage of a folder in an lcov file. The exit status is 1 if it is below the minimum."""

import sys


def lines_of(path, folder):
    """Returns (covered, all) executable lines of the sources below `folder`."""
    covered = total = 0
    inside = False
    for line in open(path, encoding="utf-8"):
        key, _, value = line.strip().partition(":")
        if key == "SF":
            inside = value.startswith(folder.rstrip("/") + "/")
        elif inside and key == "LF":
            total += int(value)
        elif inside and key == "LH":
            covered += int(value)
    return covered, total


def main(path, folder, floor):
    covered, total = lines_of(path, folder)
    if total == 0:
        return 0
    share = 100 * covered / total
    print(f"{folder.rsplit('/', 1)[-1]:12} {share:5.1f} % of {total} lines, floor {floor} %")
    return 0 if share >= float(floor) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
