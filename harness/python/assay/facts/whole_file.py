# SPDX-License-Identifier: BSD-3-Clause
"""Writes files in one step, so that a reader never sees an incomplete file."""

import os
import tempfile
from pathlib import Path

from assay.command import Refused


def write_whole(path, data):
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=Path(path).parent, suffix=".part")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
