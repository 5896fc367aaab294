# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every kind of wait reports work that fails after its call has returned.

The work is an index out of range. A device may refuse the call immediately. Then no work fails later, and the check
does not apply.
"""

import contextlib
import time
import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator
# Each function passes an index that is out of range. A small backend has at least one of these operators.
FAILURES = (
    lambda x, index: torch.index_select(x, 0, index),
    lambda x, index: torch.gather(x, 0, index),
    lambda x, index: x[index],
    lambda x, index: torch.nn.functional.embedding(index, x.view(-1, 1)).view(-1),
)


def ended(query, seconds):
    """Returns whether `query` returns true within the time. Does not catch exceptions of `query`."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if query():
            return True
    return False


# Exception classes that programs do not interpret as a failure of the device.
ELSEWHERE = (torch.OutOfMemoryError, NotImplementedError, torch.linalg.LinAlgError)
FIRST, SECOND = 90017, 70013  # indices that differ from every other number in a message


class StreamErrors(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        self.put_device_back()

    def ways(self, device):
        """Maps names to waits for the failed result, on the current stream of the device."""
        stream = accelerator.current_stream(device)

        def queried(query):
            what = "a query of failed work raises or becomes True"
            self.require(self.expect_true(ended(query, self.seconds_left / 8), what, "it stays False"))
            stream.synchronize()

        def other_stream(_):
            other = torch.Stream(device)
            other.wait_event(stream.record_event())
            other.synchronize()
            stream.synchronize()

        return {
            "the stream": lambda _: stream.synchronize(),
            "the device": lambda _: accelerator.synchronize(device.index),
            "an event after it": lambda _: stream.record_event().synchronize(),
            "a copy of the result": lambda result: result.cpu(),
            "a number of the result": lambda result: result[0].item(),
            "a comparison of the result": lambda result: bool((result == 1).all()),
            "the stream, after queries": lambda _: queried(stream.query),
            "the stream, after queries of an event": lambda _: queried(stream.record_event().query),
            "both streams, where another one waits": other_stream,
        }

    def fails_later(self, device, failing, *indices):
        """Returns the result of the last piece of failing work, or None if a call itself raises or does not exist."""
        x, beyond, result = torch.ones(4).to(device), [torch.tensor([i]).to(device) for i in indices or (9,)], None
        accelerator.synchronize(device.index)
        try:
            for index in beyond:
                result = failing(x, index)
        except Exception:
            return None
        return result

    def works(self, device):
        """Returns whether the device works, which also means that earlier errors have been reported and cleared."""
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
        """Returns one of FAILURES that fails late and whose failure a wait reports."""
        failing = next(filter(self.is_told_by_any_wait, FAILURES), None)
        if not failing:
            self.does_not_apply("an index out of range is refused immediately, or no wait reports its failure")
        return failing

    def each_failure(self, *indices):
        """Yields each device on which work has failed, with the exception that reported the failure to a wait."""
        failing, asked = self.failing(), 0
        for device in self.devices[:2]:
            accelerator.set_device_index(device.index)
            # three attempts also clear an error that is reported several times
            if not any(self.works(device) for _ in range(3)):
                self.note("after an error", "the device is unusable")
                break
            error = self.failure(device, failing, *indices)
            if error is not None:
                asked += 1
                yield device, error
        if not asked:
            self.does_not_apply("a wait for the device does not report failed work, or one error makes the device unusable")

    def failure(self, device, failing, *indices):
        result = self.fails_later(device, failing, *indices)
        return None if result is None else self.told(lambda _: accelerator.synchronize(device.index), result)

    def test_class(self):
        """streams.failed_work_raises_accelerator_or_runtime_error"""
        for device, error in self.each_failure():
            seen = f"{type(error).__name__}: {error}".splitlines()[0]
            self.note("a failure is reported by", type(error).__name__)
            what = f"failed work on {device} is reported by an exception class for device failures"
            self.expect_true(isinstance(error, RuntimeError | IndexError) and not isinstance(error, ELSEWHERE), what, seen)
            if isinstance(error, torch.AcceleratorError):
                code = getattr(error, "error_code", None)
                self.expect_true(isinstance(code, int), "an AcceleratorError has the driver's error code", code)
            elif not self.works(device):
                self.expect(False, f"a failure that makes {device} unusable is reported by an AcceleratorError", seen)

    def test_once(self):
        """streams.failure_is_raised_only_once"""
        for device, error in self.each_failure():
            later = [self.told(lambda _, device=device: self.work(device), None) for _ in range(3)]
            if all(later):
                self.note("after an error", "the device is unusable")
                break
            stream = accelerator.current_stream(device)
            later += [self.told(wait, None) for wait in (
                lambda _, stream=stream: stream.synchronize(),
                lambda _, device=device: accelerator.synchronize(device.index),
            )]  # fmt: skip
            again = [f"{type(one).__name__}: {one}".split("\n")[0] for one in later if one]
            self.expect_equal(again, [], f"a failure of work on {device} ({type(error).__name__}) is reported only once")

    def test_first(self):
        """streams.first_of_several_failures_is_raised_first"""
        failing = self.failing()
        alone = [str(self.failure(self.device, failing, index)) for index in (FIRST, SECOND)]
        if not all(str(index) in words for index, words in zip((FIRST, SECOND), alone, strict=True)):
            self.does_not_apply("the message does not contain the index, or one error makes the device unusable")
        for device, error in self.each_failure(FIRST, SECOND):
            self.expect_true(str(FIRST) in str(error), f"the first of two failures on {device} is reported first", str(error))

    def test_told(self):
        """streams.next_wait_raises_the_error_of_failed_work"""
        failing, asked = self.failing(), 0
        for device in self.devices[:2]:
            accelerator.set_device_index(device.index)
            for name, wait in self.ways(device).items():
                if not self.works(device):
                    self.note("after an error", "the device is unusable")
                    break
                asked += 1
                self.expect_told(f"a wait for {name} on {device}", wait, device, failing)
        if not asked:
            self.does_not_apply("one error makes the device unusable")

    def is_told_by_any_wait(self, failing):
        """Returns whether any kind of wait reports the failure. Other waits may hide the failure, which is the defect
        under test."""
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
            return  # the call itself reported the failure
        error = self.told(wait, result)
        if self.expect_true(error is not None, f"{who} reports that the work failed", "nothing was raised"):
            self.expect_true(
                isinstance(error, RuntimeError | IndexError),
                f"{who} raises a RuntimeError or IndexError",
                type(error).__name__,
            )
            self.expect_true(
                "INTERNAL ASSERT" not in str(error),
                f"{who} raises a clear error",
                str(error).splitlines()[:1],
            )
        with contextlib.suppress(Exception):
            accelerator.synchronize(device.index)


if __name__ == "__main__":
    unittest.main()
