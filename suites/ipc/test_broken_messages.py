# SPDX-License-Identifier: BSD-3-Clause
"""Device tensors in messages that are cut short or whose sender is gone."""

import io
import unittest
from multiprocessing.reduction import ForkingPickler

import torch
from assay.checks import Case
from assay.checks.other_processes import Child, computed, send_bytes, take_each, taken

NUMBERS = [0.0, 1.0, 2.0, 3.0]
PARTS = {
    "half of its bytes": lambda whole: whole[: len(whole) // 2],
    "all of its bytes but one": lambda whole: whole[:-1],
    "none of its bytes": lambda whole: whole[:0],
}


class Cutter(ForkingPickler):
    """A pickler that replaces every bytes object, including handles, by a part of it."""

    def __init__(self, part):
        self.file, self.part, self.cut = io.BytesIO(), part, []
        super().__init__(self.file)

    def persistent_id(self, thing):
        if type(thing) is not bytes or not thing:
            return None
        self.cut.append(len(thing))
        return self.part(thing)


class BrokenMessages(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        self.there = self.on_device(torch.tensor(NUMBERS))
        try:
            ForkingPickler.dumps(self.there)
        except (RuntimeError, NotImplementedError, TypeError) as error:
            self.lacks("ipc", error)

    def message(self, part):
        cutter = Cutter(part)
        cutter.dump(self.there)
        if not cutter.cut:
            self.does_not_apply("a message with a tensor contains no bytes, so there is no handle to cut")
        return cutter.file.getvalue()

    def expect_refused_or_whole(self, seen, name):
        what = f"a tensor {name} is refused with a clear error or arrives intact"
        if "error" not in seen:
            self.expect_equal(seen["value"], [str(self.device), NUMBERS], what)
            return
        self.note(f"a tensor {name}", f"{seen['error']}: {seen['text']}".split("\n")[0])
        clear = seen["text"].strip() and "INTERNAL ASSERT" not in seen["text"]
        self.expect_true(clear, what, [seen["error"], seen["text"][:300]])

    def test_cut(self):
        """ipc.truncated_handles_are_rejected"""
        messages = [self.message(part) for part in PARTS.values()]
        with Child(self, "spawn", take_each, messages, str(self.device)) as child:
            seen, numbers = child.value("a process that receives a truncated handle stays alive")
        for name, one in zip(PARTS, seen, strict=True):
            self.expect_refused_or_whole(one, f"that arrives with {name}")
        self.expect_equal(numbers, NUMBERS, "the device still works after a truncated handle")
        self.expect_tensor(self.there, torch.tensor(NUMBERS), "the sent tensor is unchanged")

    def test_gone(self):
        """ipc.tensor_of_a_dead_sender_arrives_or_raises"""
        with Child(self, "spawn", send_bytes, str(self.device)) as child:
            message = child.says("a spawned child sends a tensor of the device")
            if isinstance(message, dict):
                self.block(message["text"], "a tensor that a child sends")
            child.process.kill()
            child.process.join(self.seconds_left / 4)
        what = "a tensor whose sender is gone"
        seen = self.on_thread(lambda: taken(message), f"a receiver of {what} does not hang")
        self.expect_refused_or_whole(seen, "whose sender is gone")
        self.expect_equal(computed(self.device), NUMBERS, f"the device still works after {what} was received")


if __name__ == "__main__":
    unittest.main()
