# SPDX-License-Identifier: BSD-3-Clause
"""Tensors of the device that another process was sent, and that do not arrive: cut short, or of a sender that is gone."""

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
    """Sends of everything that travels as bytes, handles among them, a part."""

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
            self.does_not_apply("nothing of a tensor travels as bytes: there is no handle to cut")
        return cutter.file.getvalue()

    def expect_refused_or_whole(self, seen, name):
        what = f"a tensor {name} is refused in words, or arrives whole"
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
            seen, numbers = child.value("a process that gets a tensor whose handle is cut short lives")
        for name, one in zip(PARTS, seen, strict=True):
            self.expect_refused_or_whole(one, f"that arrives with {name}")
        self.expect_equal(numbers, NUMBERS, "the device works on where a handle was cut short")
        self.expect_tensor(self.there, torch.tensor(NUMBERS), "what was sent is as it was")

    def test_gone(self):
        """ipc.tensor_of_a_dead_sender_arrives_or_raises"""
        with Child(self, "spawn", send_bytes, str(self.device)) as child:
            message = child.says("a spawned child sends a tensor of the device")
            if isinstance(message, dict):
                self.block(message["text"], "a tensor that a child sends")
            child.process.kill()
            child.process.join(self.seconds_left / 4)
        what = "a tensor whose sender is gone"
        seen = self.on_thread(lambda: taken(message), f"who takes {what} does not wait for ever")
        self.expect_refused_or_whole(seen, "whose sender is gone")
        self.expect_equal(computed(self.device), NUMBERS, f"the device works on where {what} was taken")


if __name__ == "__main__":
    unittest.main()
