# SPDX-License-Identifier: BSD-3-Clause
"""An include tree with one edit: links to everything, and a copy of the one header that differs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    name: str
    header: str
    find: str  # must stand in the header exactly once; "" with `replace` "" removes the header
    replace: str
    id: str  # the entity that drift must name; "" when nothing may be reported
    change: str
    rank: str
    moved_to: str = ""  # the header's text goes there


def apply_edit(include, folder, edit):
    """`folder` becomes an include folder like `include`."""
    link_around(include, folder, edit.header)
    if edit.moved_to:
        target = folder / edit.moved_to
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((include / edit.header).read_text())
    if not edit.find:
        return folder
    text = (include / edit.header).read_text()
    if text.count(edit.find) != 1:
        raise ValueError(f"{edit.name}: its place stands {text.count(edit.find)} times in {edit.header}")
    (folder / edit.header).write_text(text.replace(edit.find, edit.replace))
    return folder


def link_around(include, folder, header):
    """Folders above the header are real, their other children are links."""
    *above, name = header.split("/")
    folder.mkdir(parents=True)
    for part in [*above, name]:
        for child in include.iterdir():
            if child.name != part:
                (folder / child.name).symlink_to(child)
        if part != name:
            include, folder = include / part, folder / part
            folder.mkdir()
