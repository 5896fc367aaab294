# SPDX-License-Identifier: BSD-3-Clause
"""How headers are parsed. Both sides of a comparison use the same settings."""

from dataclasses import dataclass

SECTIONS = ("cxx", "tree", "symbols", "ops", "python")


@dataclass(frozen=True)
class Settings:
    standard: str = "c++20"
    macros: tuple = ()  # NAME or NAME=VALUE
    sections: tuple = SECTIONS
    headers: tuple = ()  # if given, replaces the list of integration headers
    alone: bool = False  # compile each of them on its own as well
