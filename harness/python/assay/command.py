# SPDX-License-Identifier: BSD-3-Clause
"""Runs a sub-command in Python. Reads the arguments from `assay` and converts exceptions to exit statuses.

harness/command/python/python_command.c starts `python -m MODULE NAME [OPTION VALUE]... -- WORD...` for a page in its
table.
"""

import errno
import io
import os
import signal
import sys
import traceback
from dataclasses import dataclass, field

from assay.terminal import clean

USAGE, INPUT, SYSTEM = 64, 65, 71


class Refused(Exception):
    """Ends the command with one sentence for the user and an exit status (assay --help lists the statuses)."""

    def __init__(self, sentence, status=INPUT):
        super().__init__(sentence)
        self.status = status


@dataclass
class Command:
    name: str
    options: dict = field(default_factory=dict)  # the given options; the value of a flag is ""
    words: list = field(default_factory=list)

    def option(self, name, default=None):
        return self.options.get(name, default)

    def listed(self, name):
        return tuple(part for part in (self.option(name) or "").split(",") if part)


def read(arguments):
    end = arguments.index("--")
    pairs = arguments[1:end]
    return Command(arguments[0], dict(zip(pairs[::2], pairs[1::2], strict=True)), arguments[end + 1 :])


def complain(status, sentence):
    print(f"assay: {sentence}", file=sys.stderr)
    return status


def status_of(do, command):
    """The exit status of the command. An error never gives 1, because 1 is a regular result of a command."""
    try:
        status = do(command) or 0
        sys.stdout.flush()
        return status
    except Refused as refusal:
        return complain(refusal.status, refusal)
    except OSError as error:
        of_output = error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EPIPE)
        failed = f"cannot use {error.filename}" if error.filename else "cannot write the output" if of_output else "cannot go on"
        return complain(SYSTEM, f"{failed}: {error.strerror}")
    except RuntimeError as error:  # pathlib before Python 3.13 raises it for a loop
        if "Symlink loop" not in str(error):
            return _defect(error)
        return complain(SYSTEM, "cannot use a path: too many levels of symbolic links")
    except MemoryError:
        return complain(SYSTEM, "out of memory")
    # `do` has already cleaned up. The process ends by the same signal, so that a shell script stops as well.
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except Exception as error:
        return _defect(error)


def _defect(error):
    traceback.print_exception(error)
    return complain(SYSTEM, f"a defect of assay: {type(error).__name__}; please report it with the lines above")


class _Clean(io.TextIOBase):
    """An output stream for a person. Escapes untrusted text, so that the text cannot control the terminal."""

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


def serve(do, take=read):
    """Calls `do(take(arguments))` and ends the process with the exit status that it returns; None means 0."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `assay ... | head` ends quietly
    sys.stdout, sys.stderr = _Clean(sys.stdout), _Clean(sys.stderr)
    sys.exit(status_of(do, take(sys.argv[1:])))
