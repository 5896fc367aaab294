# SPDX-License-Identifier: BSD-3-Clause
"""A verb of a command, such as `add` of `assay history`."""

import os
from typing import NamedTuple

from assay.command import USAGE, Refused

DEFAULT = os.path.join("runs", "history.db")


class Verb(NamedTuple):
    act: object  # called with the path of the history, the options, and the words behind the verb
    takes: str = ""  # the words that must follow; "": none may


def run(command, verbs):
    words = command.words
    verb = verbs.get(words[0]) if words else None
    if not verb:
        *names, last = verbs
        wrong = f"say what to do: {', '.join(names)} or {last}"
    elif verb.takes and len(words) < 2:
        wrong = f"give {verb.takes}"
    elif not verb.takes and len(words) > 1:
        wrong = f"{words[0]} takes no words: give the history with --db FILE"
    else:
        return verb.act(command.option("db", DEFAULT), command.options, words[1:])
    raise Refused(f"{wrong}\nSee: assay {command.name} --help", USAGE)
