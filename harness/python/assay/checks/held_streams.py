# SPDX-License-Identifier: BSD-3-Clause
"""Holds a stream while a check examines its state. Uses the gate of the target's adapter, or else a gate that is built
from streams and events. A part of Case."""

import contextlib


class HeldStreams:
    went_on_early = False  # True if the last held stream was released before its block ended

    @contextlib.contextmanager
    def held_if_offered(self, stream):
        """Holds the stream during the block if the target has a gate. Yields True if the target has a gate.

        Enqueued work does not run before the block ends, with one exception: if a call waits for the work, the whole
        process sleeps, and the gate opens. So the state after a call depends on the backend and not on speed.
        """
        release = self.hold_stream(stream)
        self.note("the stream was held", release is not None)
        try:
            yield release is not None
        finally:
            self.went_on_early = bool(release and release())

    @contextlib.contextmanager
    def held(self, stream, events_will_do=False):
        """Like held_if_offered, for a check that needs a gate. If no adapter offers a gate, own_gate.py builds a gate,
        or the check ends as unobservable. If the device finishes all work within its calls, a gate of events alone is
        enough for two kinds of checks: checks that query events, and checks that detect work that ran too early."""
        from assay.checks import own_gate  # imported here because only few checks need it

        with self.held_if_offered(stream) as is_held:
            with contextlib.nullcontext() if is_held else own_gate.closed(self, stream, events_will_do):
                yield

    def expect_held_back(self, went_on, what):
        """Must be called after `held`. Expects that the stream's work did not run in the block. If the stream was
        released early, the result is unobservable."""
        if went_on and self.went_on_early:
            self.cannot_observe("assay.gate/1", "a call of the backend blocked, so the stream was released")
        self.expect(not went_on, what, "the held work ran immediately")
