# SPDX-License-Identifier: BSD-3-Clause
"""How headers are parsed: the same for both sides of a comparison."""

from dataclasses import dataclass

SECTIONS = ("cxx", "tree", "symbols", "ops", "python")


@dataclass(frozen=True)
class Settings:
    standard: str = "c++20"
    macros: tuple = ()  # NAME or NAME=VALUE
    sections: tuple = SECTIONS
    headers: tuple = ()  # parsed instead of the list of integration headers
    alone: bool = False  # each of them is compiled alone, too
