# SPDX-License-Identifier: BSD-3-Clause
"""An include folder in which some headers differ: links to everything else."""

from collections import defaultdict


def linked_tree(include, folder, changes):
    """`changes` is {header: text, or None for a header that is gone}. Returns `folder`."""
    below = defaultdict(dict)
    for header, text in changes.items():
        top, _, rest = header.partition("/")
        below[top][rest] = text
    folder.mkdir(parents=True, exist_ok=True)
    for child in include.iterdir():
        if child.name not in below:
            (folder / child.name).symlink_to(child)
    for top, inside in below.items():
        if "" not in inside:
            linked_tree(include / top, folder / top, inside)
        elif inside[""] is not None:
            (folder / top).write_text(inside[""], encoding="utf-8")
    return folder
