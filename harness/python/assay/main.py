# SPDX-License-Identifier: BSD-3-Clause
"""How a Python sub-command of `assay` begins and ends. Imports nothing but its neighbours `files` and `terminal`."""

import io
import signal
import sys
import traceback

from assay.terminal import clean

OK, FAILED, UNDECIDED, USAGE, INPUT, SYSTEM = 0, 1, 2, 64, 65, 71  # exit statuses, see assay(1)


class Refused(Exception):
    """Ends the command: one sentence for the user and an exit status."""

    def __init__(self, sentence, status=INPUT):
        super().__init__(sentence)
        self.status = status


class _Clean(io.TextIOBase):
    """A stream for a person: text of files and of other programs cannot act on the terminal."""

    def __init__(self, stream):
        stream.reconfigure(errors="backslashreplace")
        self.stream, self.buffer = stream, stream.buffer

    def write(self, text):
        self.stream.write(clean(text))
        return len(text)

    def flush(self):
        self.stream.flush()

    def fileno(self):
        return self.stream.fileno()

    def isatty(self):
        return self.stream.isatty()


def complain(status, sentence):
    print(f"assay: {sentence}", file=sys.stderr)
    return status


def clean_streams():
    sys.stdout, sys.stderr = _Clean(sys.stdout), _Clean(sys.stderr)


def run(main):
    """The process ends with the status that main(words) returns. After an exception that nobody expected it is 71: the
    1 of Python would say that a must failed."""
    clean_streams()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as other programs: no traceback
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except Refused as refused:
        status = complain(refused.status, refused)
    except OSError as error:
        status = complain(SYSTEM, f"{error.filename or 'cannot write the output'}: {error.strerror or error}")
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except MemoryError:
        status = complain(SYSTEM, "out of memory")
    except Exception as error:
        traceback.print_exc()
        status = complain(SYSTEM, f"a defect of assay: {type(error).__name__}; please report it with the lines above")
    sys.exit(status)
