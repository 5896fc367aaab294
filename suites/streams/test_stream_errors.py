# SPDX-License-Identifier: BSD-3-Clause
"""Work that fails after the call that began it has returned: who waits for it is told, whatever the wait is.

The work is an index beyond the end. A device may refuse that at once: then nothing fails here later, and nothing is said.
"""

import contextlib
import time
import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator
# An index beyond the end, by operators of which a small backend has one or the other.
FAILURES = (
    lambda x, index: torch.index_select(x, 0, index),
    lambda x, index: torch.gather(x, 0, index),
    lambda x, index: x[index],
    lambda x, index: torch.nn.functional.embedding(index, x.view(-1, 1)).view(-1),
)


def ended(query, seconds):
    """Asks until it says so, or raises; whether it ever did."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if query():
            return True
    return False


# Classes that programs take for another failure than one of the device.
ELSEWHERE = (torch.OutOfMemoryError, NotImplementedError, torch.linalg.LinAlgError)
FIRST, SECOND = 90017, 70013  # indices that no other number of a message holds


class StreamErrors(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        self.put_device_back()

    def ways(self, device):
        """name -> what waits for the failed result, on the current stream of the device."""
        stream = accelerator.current_stream(device)

        def queried(query):
            what = "a query of failed work comes to an end"
            self.require(self.expect_true(ended(query, self.seconds_left / 8), what, "it says False for ever"))
            stream.synchronize()

        def other_stream(_):
            other = torch.Stream(device)
            other.wait_event(stream.record_event())
            other.synchronize()
            stream.synchronize()

        return {
            "the stream": lambda _: stream.synchronize(),
            "the device": lambda _: accelerator.synchronize(device.index),
            "an event behind it": lambda _: stream.record_event().synchronize(),
            "a copy of the result": lambda result: result.cpu(),
            "a number of the result": lambda result: result[0].item(),
            "a comparison of the result": lambda result: bool((result == 1).all()),
            "the stream, after queries": lambda _: queried(stream.query),
            "the stream, after queries of an event": lambda _: queried(stream.record_event().query),
            "both streams, where another one waits": other_stream,
        }

    def fails_later(self, device, failing, *indices):
        """The result of work that fails, the last of several; None if a call itself is refused, or is lacking."""
        x, beyond, result = torch.ones(4).to(device), [torch.tensor([i]).to(device) for i in indices or (9,)], None
        accelerator.synchronize(device.index)
        try:
            for index in beyond:
                result = failing(x, index)
        except Exception:
            return None
        return result

    def works(self, device):
        """Also whether errors of the past are told and gone."""
        try:
            return self.work(device) == [2, 2, 2]
        except Exception:
            return False

    def work(self, device):
        return torch.ones(3).to(device).add(1).tolist()

    def told(self, wait, result):
        try:
            wait(result)
        except Exception as error:
            return error
        return None

    def failing(self):
        """Of FAILURES one that comes late and is told."""
        failing = next(filter(self.is_told_by_any_wait, FAILURES), None)
        if not failing:
            self.does_not_apply("an index beyond the end is refused at once, or no wait at all is told that it fails")
        return failing

    def each_failure(self, *indices):
        """Each device on which work has failed, and the exception by which who waited was told."""
        failing, asked = self.failing(), 0
        for device in self.devices[:2]:
            accelerator.set_device_index(device.index)
            if not any(self.works(device) for _ in range(3)):  # one that is told twice is told by now
                self.note("after an error", "nothing works on the device any more")
                break
            error = self.failure(device, failing, *indices)
            if error is not None:
                asked += 1
                yield device, error
        if not asked:
            self.does_not_apply("a wait for the device is told nothing of work that failed, or one error ends the device")

    def failure(self, device, failing, *indices):
        result = self.fails_later(device, failing, *indices)
        return None if result is None else self.told(lambda _: accelerator.synchronize(device.index), result)

    def test_class(self):
        """streams.failed_work_is_reported_with_the_right_class"""
        for device, error in self.each_failure():
            seen = f"{type(error).__name__}: {error}".splitlines()[0]
            self.note("a failure is told by", type(error).__name__)
            what = f"failed work on {device} is told by the class of a failure of the device"
            self.expect_true(isinstance(error, RuntimeError | IndexError) and not isinstance(error, ELSEWHERE), what, seen)
            if isinstance(error, torch.AcceleratorError):
                code = getattr(error, "error_code", None)
                self.expect_true(isinstance(code, int), "an AcceleratorError has the driver's number", code)
            elif not self.works(device):
                self.expect(False, f"what ends {device} is told by an AcceleratorError", seen)

    def test_once(self):
        """streams.failed_work_is_reported_once"""
        for device, error in self.each_failure():
            later = [self.told(lambda _, device=device: self.work(device), None) for _ in range(3)]
            if all(later):
                self.note("after an error", "nothing works on the device any more")
                break
            stream = accelerator.current_stream(device)
            later += [self.told(wait, None) for wait in (
                lambda _, stream=stream: stream.synchronize(),
                lambda _, device=device: accelerator.synchronize(device.index),
            )]  # fmt: skip
            again = [f"{type(one).__name__}: {one}".split("\n")[0] for one in later if one]
            self.expect_equal(again, [], f"who was told that work on {device} failed ({type(error).__name__}) is told nothing more")

    def test_first(self):
        """streams.first_failure_is_reported_first"""
        failing = self.failing()
        alone = [str(self.failure(self.device, failing, index)) for index in (FIRST, SECOND)]
        if not all(str(index) in words for index, words in zip((FIRST, SECOND), alone, strict=True)):
            self.does_not_apply("what is told does not name the index, or one error ends the device")
        for device, error in self.each_failure(FIRST, SECOND):
            self.expect_true(str(FIRST) in str(error), f"of two failures on {device} the first is told first", str(error))

    def test_told(self):
        """streams.failed_work_is_reported"""
        failing, asked = self.failing(), 0
        for device in self.devices[:2]:
            accelerator.set_device_index(device.index)
            for name, wait in self.ways(device).items():
                if not self.works(device):
                    self.note("after an error", "nothing works on the device any more")
                    break
                asked += 1
                self.expect_told(f"who waits for {name} on {device}", wait, device, failing)
        if not asked:
            self.does_not_apply("one error ends the device")

    def is_told_by_any_wait(self, failing):
        """One that hides the failure is what is looked for: it is no reason to look nowhere."""
        for wait in self.ways(self.device).values():
            result = self.fails_later(self.device, failing)
            if result is not None and self.told(wait, result) is not None:
                return True
            with contextlib.suppress(Exception):
                accelerator.synchronize(self.device.index)
        return False

    def expect_told(self, who, wait, device, failing):
        result = self.fails_later(device, failing)
        if result is None:
            return  # told by the call itself
        error = self.told(wait, result)
        if self.expect_true(
            error is not None,
            f"{who} is told that the work failed",
            "nothing was raised",
        ):
            self.expect_true(
                isinstance(error, RuntimeError | IndexError),
                f"{who} is told by a RuntimeError",
                type(error).__name__,
            )
            self.expect_true(
                "INTERNAL ASSERT" not in str(error),
                f"{who} is told in words",
                str(error).splitlines()[:1],
            )
        with contextlib.suppress(Exception):
            accelerator.synchronize(device.index)


if __name__ == "__main__":
    unittest.main()
