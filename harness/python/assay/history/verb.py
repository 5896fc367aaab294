# SPDX-License-Identifier: BSD-3-Clause
"""A verb of a command, for example `add` in `assay history add`."""

import os
from typing import NamedTuple

DEFAULT = os.path.join("runs", "history.db")


class Usage(Exception):
    """The command line is wrong; the message is one sentence."""


class Verb(NamedTuple):
    act: object  # called with the path of the history, the options, and the words after the verb
    takes: str = ""  # describes the words that must follow the verb; "" if none may follow


def run(verbs, options, words):
    verb = verbs.get(words[0]) if words else None
    if not verb:
        *names, last = verbs
        raise Usage(f"expected a verb: {', '.join(names)} or {last}")
    if verb.takes and len(words) < 2:
        raise Usage(f"give {verb.takes}")
    if not verb.takes and len(words) > 1:
        raise Usage(f"{words[0]} takes no arguments: give the history with --db FILE")
    verb.act(options.get("db", DEFAULT), options, words[1:])
