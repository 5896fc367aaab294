# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.history COMMAND [OPTION VALUE]... -- WORD...: `assay history` and `assay dashboard` start this."""

import importlib

from assay.main import OK, run

from .verb import act


def main(words):
    command, *arguments = words
    cut = arguments.index("--")
    options = dict(zip(arguments[:cut:2], arguments[1:cut:2], strict=True))
    verbs = importlib.import_module(f".{command}_command", __package__).VERBS  # history needs none of the pages
    act(command, verbs, options, arguments[cut + 1:])
    return OK


if __name__ == "__main__":
    run(main)
