# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.history COMMAND [OPTION VALUE]... -- WORD...: started by `assay history` and `assay dashboard`."""

import importlib
import signal
import sys

from .store import SYSTEM, Refused
from .verb import Usage, run

USAGE = 64


def complain(status, sentence):
    print(f"assay: {sentence}", file=sys.stderr)
    return status


def main(command, *arguments):
    for name in (signal.SIGINT, signal.SIGPIPE):  # end silently on these signals, without a traceback
        signal.signal(name, signal.SIG_DFL)
    sys.stdout.reconfigure(errors="backslashreplace")
    cut = arguments.index("--")
    options = dict(zip(arguments[:cut:2], arguments[1:cut:2], strict=True))
    try:
        verbs = importlib.import_module(f".{command}_command", __package__).VERBS  # history does not import the pages
        run(verbs, options, arguments[cut + 1:])
        sys.stdout.flush()
    except Usage as wrong:
        return complain(USAGE, f"{wrong}\nSee: assay {command} --help")
    except Refused as refusal:
        return complain(refusal.status, refusal)
    except OSError as error:
        return complain(SYSTEM, f"cannot write {error.filename or 'the output'}: {error.strerror}")
    except MemoryError:
        return complain(SYSTEM, "out of memory")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
