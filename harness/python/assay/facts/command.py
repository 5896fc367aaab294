# SPDX-License-Identifier: BSD-3-Clause
"""The words that `assay` hands over: pairs of option and value, "--", then what is no option."""

from dataclasses import dataclass, field

from assay.facts.settings import SECTIONS, Settings
from assay.main import USAGE, Refused


@dataclass
class Command:
    name: str
    options: dict = field(default_factory=dict)
    words: list = field(default_factory=list)

    def option(self, name, default=None):
        return self.options.get(name, default)

    def listed(self, name):
        return tuple(part for part in (self.option(name) or "").split(",") if part)


def read_command(arguments):
    end = arguments.index("--")
    pairs = arguments[1:end]
    return Command(arguments[0], dict(zip(pairs[::2], pairs[1::2])), arguments[end + 1 :])


def settings_of(command):
    sections = command.listed("sections") or SECTIONS
    for name in sections:
        if name not in SECTIONS:
            raise Refused(f"--sections: there is no section {name!r}, only {', '.join(SECTIONS)}", USAGE)
    alone = command.option("alone") is not None
    return Settings(command.option("std") or "c++20", command.listed("define"), tuple(sections), command.listed("headers"), alone)
