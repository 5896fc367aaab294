# SPDX-License-Identifier: BSD-3-Clause
"""Prints the progress of both sides to stderr once a minute, because the tests of a library may take an hour. Called
by __main__.py."""

import contextlib
import sys
import threading
import time

SECONDS = 60


@contextlib.contextmanager
def told(sides, seconds=SECONDS):
    over = threading.Event()
    teller = threading.Thread(target=tell, args=(sides, over, seconds), daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def tell(sides, over, seconds):
    began = time.monotonic()
    while not over.wait(seconds):
        words = ", ".join(f"{done} of {read} tests on {side.device}" for side in sides for done, read in [side.counted()])
        print(f"assay: {round(time.monotonic() - began)} s, {words}", file=sys.stderr, flush=True)
