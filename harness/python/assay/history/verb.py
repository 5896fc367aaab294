# SPDX-License-Identifier: BSD-3-Clause
"""A verb of a command, such as `add` of `assay history`."""

import os
from typing import NamedTuple

from assay.main import USAGE, Refused

DEFAULT = os.path.join("runs", "history.db")


class Usage(Refused):
    """The command line is wrong: one sentence."""

    def __init__(self, sentence, command):
        super().__init__(f"{sentence}\nSee: assay {command} --help", USAGE)


class Verb(NamedTuple):
    act: object  # called with the path of the history, the options, and the words behind the verb
    takes: str = ""  # the words that must follow; "": none may


def act(command, verbs, options, words):
    verb = verbs.get(words[0]) if words else None
    if not verb:
        *names, last = verbs
        raise Usage(f"say what to do: {', '.join(names)} or {last}", command)
    if verb.takes and len(words) < 2:
        raise Usage(f"give {verb.takes}", command)
    if not verb.takes and len(words) > 1:
        raise Usage(f"{words[0]} takes no words: give the history with --db FILE", command)
    verb.act(options.get("db", DEFAULT), options, words[1:])
