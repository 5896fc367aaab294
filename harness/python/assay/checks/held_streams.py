# SPDX-License-Identifier: BSD-3-Clause
"""Streams that wait while a check looks: by the gate of the target's adapter, else by one of our own. A part of Case."""

import contextlib


class HeldStreams:
    went_on_early = False  # the last stream was let go in its block

    @contextlib.contextmanager
    def held_if_offered(self, stream):
        """In the block the stream waits, if the target has a gate; yields whether it does.

        Work that is enqueued does not run before the block ends, or before the whole process sleeps,
        because a call rightly waits for it. So what a call leaves behind when it returns is decided by
        the backend and not by speed.
        """
        release = self.hold_stream(stream)
        self.note("the stream was held", release is not None)
        try:
            yield release is not None
        finally:
            self.went_on_early = bool(release and release())

    @contextlib.contextmanager
    def held(self, stream, events_will_do=False):
        """The same for a check that says nothing without a gate: where no adapter offers one, it is made (own_gate.py),
        or the check ends as unobservable. Where no work goes on after its calls, a gate of events alone will do for a check that
        asks events, or sees work that was not to be done yet."""
        from assay.checks import own_gate  # only few checks need it

        with self.held_if_offered(stream) as is_held:
            with contextlib.nullcontext() if is_held else own_gate.closed(self, stream, events_will_do):
                yield

    def expect_held_back(self, went_on, what):
        """After `held`: the stream's work was not done in the block. One that was let go says nothing."""
        if went_on and self.went_on_early:
            self.cannot_observe("assay.gate/1", "a call of the backend blocked, so the stream was released")
        self.expect(not went_on, what, "it was done at once")
