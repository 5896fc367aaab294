# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.history COMMAND [OPTION VALUE]... -- WORD...: started by `assay history` and `assay dashboard`."""

import importlib

from assay.command import serve

from .verb import run


def main(command):
    verbs = importlib.import_module(f".{command.name}_command", __package__).VERBS  # history does not import the pages
    run(command, verbs)


if __name__ == "__main__":
    serve(main)
