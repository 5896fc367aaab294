# SPDX-License-Identifier: BSD-3-Clause
"""A verb of a command, for example `add` in `assay history add`."""

import os
from typing import NamedTuple

from assay.command import USAGE, Refused

DEFAULT = os.path.join("runs", "history.db")


class Verb(NamedTuple):
    act: object  # called with the path of the history, the options, and the words after the verb
    takes: str = ""  # describes the words that must follow the verb; "" if none may follow


def run(command, verbs):
    words = command.words
    verb = verbs.get(words[0]) if words else None
    if not verb:
        *names, last = verbs
        wrong = f"expected a verb: {', '.join(names)} or {last}"
    elif verb.takes and len(words) < 2:
        wrong = f"give {verb.takes}"
    elif not verb.takes and len(words) > 1:
        wrong = f"{words[0]} takes no arguments: give the history with --db FILE"
    else:
        return verb.act(command.option("db", DEFAULT), command.options, words[1:])
    raise Refused(f"{wrong}\nSee: assay {command.name} --help", USAGE)
