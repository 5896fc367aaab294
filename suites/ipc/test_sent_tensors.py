# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that a program sends to another process: device tensors, and CPU tensors."""

import contextlib
import pickle
import queue
import unittest
from multiprocessing.reduction import ForkingPickler

import torch
import torch.multiprocessing
from assay.checks import Case
from assay.checks.other_processes import Child, add_one, closed, exchange, fill
from suites.serialization.checkpoint import Saving

NUMBERS = [0.0, 1.0, 2.0, 3.0]
KINDS = (RuntimeError, NotImplementedError, TypeError, pickle.PicklingError)


class SentTensors(Case):
    def there(self):
        return self.on_device(self.sample())

    def expect_sent(self, seen, what):
        self.expect_device(seen, self.device, what)
        self.expect_tensor(seen, self.sample(), f"{what}, with its values")

    def test_absence(self):
        """ipc.unsupported_send_raises_and_keeps_the_tensor"""
        there = self.there()
        things = {"a tensor": there, "a parameter": torch.nn.Parameter(there, there.is_floating_point())}
        if torch._C._has_storage(there):
            things["a storage"] = there.untyped_storage()
        with contextlib.suppress(RuntimeError, NotImplementedError):
            things["an event"] = torch.Event(self.device)
        sent = [name for name, thing in things.items() if not self.is_refused(name, thing)]
        self.expect_tensor(there, self.sample(), "a tensor that could not be sent is unchanged")
        self.expect_device(there, self.device, "a tensor that could not be sent is still on its device")
        if sent:
            self.has_all_the_same("ipc", f"{' and '.join(sent)} of the device can be put into a queue")

    def is_refused(self, name, thing):
        """Returns whether a queue refuses the object. If the queue accepts the object, it must arrive intact."""
        line = torch.multiprocessing.get_context("spawn").SimpleQueue()
        what = f"{name} of the device that cannot be sent is refused with a clear message"
        try:
            line.put(thing)
        except Exception as error:
            self.note(f"{name} is refused with", f"{type(error).__name__}: {error}".split("\n")[0])
            clear = isinstance(error, KINDS) and str(error).strip() and "INTERNAL ASSERT" not in str(error)
            self.expect_true(clear, what, [type(error).__name__, str(error)[:300]])
            self.expect_equal(line.empty(), True, f"a refused {name} leaves nothing in the queue")
            return True
        seen = line.get()
        self.expect_device(seen, self.device, f"{name} of the device that is sent arrives on the device")
        return False

    def test_shared(self):
        """ipc.sent_tensor_shares_memory"""
        there = self.there()
        try:
            ForkingPickler.dumps(there)
        except KINDS as error:
            self.lacks("ipc", error)
        line = torch.multiprocessing.get_context("spawn").SimpleQueue()
        what = "a spawned child receives a device tensor"
        with Child(self, "spawn", fill, line) as child:
            line.put(there)
            device, values = child.value(what)
        self.expect_equal(device, str(self.device), f"{what} on the device")
        self.expect_equal(values, NUMBERS, f"{what} with its values")
        if self.on_cpu(there).tolist() == NUMBERS:
            self.lacks("ipc", "the received tensor is a copy: the parent does not see what the child writes")
        self.expect_tensor(there, self.sample_of(7), "the parent sees what the child writes")

    def test_sizes(self):
        """ipc.tensors_of_every_size_arrive"""
        last = self.devices[-1]
        given = {
            "four numbers": self.sample(),
            "one byte": torch.tensor([7], dtype=torch.uint8),
            "a part of a storage": self.sample_of(5)[1:3],
            "zero dimensions": self.sample()[1],
            "no elements": self.sample()[:0].clone(),
            "no elements in two dimensions": self.sample()[:0].clone().reshape(2, 0),
        }
        there = {name: tensor.to(last) for name, tensor in given.items()}
        try:
            ForkingPickler.dumps(there["four numbers"])
        except KINDS as error:
            self.lacks("ipc", error)
        context, what = torch.multiprocessing.get_context("spawn"), "a child that receives device tensors"
        inbox, outbox = context.SimpleQueue(), context.SimpleQueue()
        with Child(self, "spawn", exchange, inbox, outbox, len(there)) as child:
            with torch.device(last):  # the default device of the program must make no difference here
                for tensor in there.values():
                    inbox.put(tensor)
            came = child.says(what)
            if not isinstance(came, list):
                self.expect(False, what, f"raised {came['error']}: {came['text']}"[:600])
                return
            for (name, tensor), (device, shape, values) in zip(given.items(), came, strict=True):
                self.expect_equal(device, str(last), f"a tensor ({name}) arrives on its device")
                self.expect_equal(shape, list(tensor.shape), f"a tensor ({name}) arrives with its shape")
                self.expect_equal(values, tensor.tolist(), f"a tensor ({name}) arrives with its values")
            own = outbox.get()
            self.expect_device(own, last, "a tensor that the child sends back is on the device")
            self.expect_tensor(own, given["four numbers"], "a tensor that the child sends back has its values")
            child.connection.send(None)

    def test_queue(self):
        """ipc.queue_delivers_objects_after_a_rejected_tensor"""
        there, line = self.there(), torch.multiprocessing.Queue()
        line.put(there)
        line.put("the next")
        what = "an object that is put into a queue after a device tensor arrives"
        try:
            seen = [line.get(timeout=self.seconds_left / 2)]
            if isinstance(seen[0], torch.Tensor):
                seen.append(line.get(timeout=self.seconds_left / 2))
        except queue.Empty:
            self.expect(False, what, "nothing arrived")
            return
        self.expect_equal(seen[-1], "the next", what)
        for tensor in seen[:-1]:
            self.expect_sent(tensor, "a device tensor that is not refused arrives on the device")

    def test_in_place(self):
        """ipc.share_memory_is_a_no_op"""
        self.need_storage()
        there = self.there()
        address = there.data_ptr()
        self.ask_special_cases()  # these calls do not reach the backend
        self.expect_true(there.share_memory_() is there, "share_memory_() of a tensor returns the tensor", "another")
        self.expect_equal(there.is_shared(), True, "is_shared() of a tensor of the device")
        storage = there.untyped_storage()
        self.expect_true(storage.share_memory_() is storage, "share_memory_() of a storage returns the storage", "another")
        self.expect_equal(storage.is_shared(), True, "is_shared() of a storage of the device")
        model = torch.nn.ParameterList([torch.nn.Parameter(there, there.is_floating_point())])
        self.expect_true(model.share_memory() is model, "share_memory() of a module returns the module", "another")
        self.expect_device(model[0], self.device, "a parameter of the module stays on the device")
        self.expect_equal(model[0].data_ptr(), address, "a tensor that is shared in place stays on its device")
        self.expect_tensor(there, self.sample(), "a tensor that is shared in place keeps its values")

    def test_new_shared(self):
        """ipc.shared_storages_are_created_on_the_device"""
        self.need_storage()
        for device in {self.devices[0], self.devices[-1]}:
            storage = torch.UntypedStorage._new_shared(12, device=device)
            self.expect_device(storage, device, "UntypedStorage._new_shared() is on its device")
            self.expect_equal(storage.nbytes(), 12, "UntypedStorage._new_shared(12) has 12 bytes")
            self.expect_true(storage.data_ptr(), "UntypedStorage._new_shared(12) has memory", "its address is 0")

    def test_host(self):
        """ipc.cpu_tensors_are_still_shared"""
        self.there()
        for method in ("fork", "spawn"):
            context, tensor = torch.multiprocessing.get_context(method), self.sample()
            seconds, what = self.seconds_left / 3, f"a CPU tensor can be sent to a child and back, start method {method}"
            with closed(context.Queue()) as inbox, closed(context.Queue()) as outbox, \
                    Child(self, method, add_one, inbox, outbox, seconds) as child:
                inbox.put(tensor)
                try:
                    seen = outbox.get(timeout=seconds)
                except queue.Empty:
                    child.value(what)
                    return
                self.expect_tensor(seen, self.sample() + 1, what)
                self.expect_tensor(
                    tensor, self.sample() + 1,
                    f"the parent sees what the child writes, start method {method}",
                )


class PickledTensors(Saving):
    def test_pickle(self):
        """ipc.pickled_tensor_returns_to_its_device"""
        for number in {0, len(self.devices) - 1}:
            there = self.counting(number=number)
            back = pickle.loads(pickle.dumps(there))
            self.expect_device(back, there.device, "an unpickled tensor is on its device, with the index")
            self.expect_tensor(back, there, "an unpickled tensor has its values")


if __name__ == "__main__":
    unittest.main()
