# SPDX-License-Identifier: BSD-3-Clause
"""Files of a user: reads small untrusted files and writes outputs, as harness/base/system/file.c does in C.

No function here waits for a pipe, reads a device without a limit, or replaces a file that is not a regular file.
"""

import contextlib
import json
import os
import stat
import tempfile
from pathlib import Path

from assay.command import INPUT, SYSTEM, Refused

MOST = 256 << 20  # largest size in bytes of a file that is read at once


def open_regular(path):
    """Opens a regular file for reading bytes. Without O_NONBLOCK, opening a pipe without a writer would wait."""
    file = open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise Refused(f"{path}: is not a regular file")
    return file


def read_text(path, most=MOST):
    try:
        with open_regular(path) as file:
            data = file.read(most + 1)
    except OSError as error:
        status = INPUT if isinstance(error, FileNotFoundError) else SYSTEM
        raise Refused(f"{path}: cannot be read: {error.strerror}", status) from None
    if len(data) > most:
        raise Refused(f"{path}: is larger than the {most} bytes allowed here")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: is not UTF-8 at byte {error.start}") from None


def read_json(path, most=MOST):
    return parse_json(path, read_text(path, most))


def parse_json(path, text):
    """Only the error message uses `path`; the file is not opened."""
    try:
        return json.loads(text)
    except RecursionError:
        raise Refused(f"{path}: JSON is nested too deeply") from None
    except ValueError as error:
        raise Refused(f"{path}: is not JSON: {error}") from None


def write(path, chunks, sources=()):
    """Writes a file in one step: a reader of `path` sees either the old or the new content. A symbolic link stays a
    link, and a device or a pipe is written in place. If `path` is one of `sources` (the files that the command reads),
    the file is not replaced."""
    path = Path(path)
    for source in sources:
        with contextlib.suppress(OSError):
            if path.samefile(source):
                raise Refused(f"{path}: is read by this command and not replaced: give --output another name")
    try:
        if path.is_file() or not path.exists() and not path.is_symlink():
            _replace(path.resolve(), chunks)
        else:
            # Without O_NONBLOCK, opening a pipe without a reader would wait.
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
            os.set_blocking(descriptor, True)
            with open(descriptor, "wb") as file:
                file.writelines(chunks)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError) and not path.parent.is_dir()
        why = f"there is no folder {path.parent}" if missing else error.strerror
        raise Refused(f"{path}: cannot be written: {why}", SYSTEM) from None


def write_inside(path, text):
    """Writes a file inside the folder of a run. Such a folder may come from somebody else, so a symbolic link with this
    name is replaced and its target stays unchanged."""
    _replace(Path(path), [text.encode()])


def _replace(path, chunks):
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(chunks)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.is_file() and not path.is_symlink() else 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
