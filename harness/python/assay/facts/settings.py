# SPDX-License-Identifier: BSD-3-Clause
"""Settings for parsing headers. Both sides of a comparison use the same settings."""

from dataclasses import dataclass

from assay.command import USAGE, Refused

SECTIONS = ("cxx", "tree", "symbols", "ops", "python")


@dataclass(frozen=True)
class Settings:
    standard: str = "c++20"
    macros: tuple = ()  # NAME or NAME=VALUE
    sections: tuple = SECTIONS
    headers: tuple = ()  # if given, replaces the list of integration headers
    alone: bool = False  # also compile each header separately


def settings_of(command):
    sections = command.listed("sections") or SECTIONS
    for name in sections:
        if name not in SECTIONS:
            raise Refused(f"--sections: there is no section {name!r}, only {', '.join(SECTIONS)}", USAGE)
    alone = command.option("alone") is not None
    return Settings(command.option("std") or "c++20", command.listed("define"), tuple(sections), command.listed("headers"), alone)
