# SPDX-License-Identifier: BSD-3-Clause
"""Other processes and loaders: spawned and forked children, queues, workers, threads at exit."""

import collections
import gc
import multiprocessing
import unittest
import weakref

import torch
import torch_fakedev._sharing
from torch.utils.data import DataLoader, TensorDataset

from in_child import output, run

DEADLINE = 120
Pair = collections.namedtuple("Pair", "first second")


def use_device(queue, index):
    """The work of a child: its own device, from nothing."""
    started = torch.fakedev.is_initialized()
    x = torch.arange(3.0, device=f"fakedev:{index}") + 1
    queue.put((started, x.tolist(), torch.accelerator.memory_allocated(index) > 0))


def send(queue):
    queue.put(torch.arange(5.0))
    queue.get(timeout=DEADLINE)  # the sender keeps the memory until the other has it


class Batch:
    """A batch of a user's own that knows how to be pinned."""

    def __init__(self, tensor):
        self.tensor = tensor

    def pin_memory(self):
        return Batch(self.tensor.pin_memory())


class Children(unittest.TestCase):
    def test_device_in_a_child_of_each_kind(self):
        for kind in ("spawn", "forkserver"):
            with self.subTest(kind):
                context = multiprocessing.get_context(kind)
                queue = context.Queue()
                child = context.Process(target=use_device, args=(queue, 1))
                child.start()
                self.assertEqual((False, [1.0, 2.0, 3.0], True), queue.get(timeout=DEADLINE))
                child.join(DEADLINE)
                self.assertEqual(0, child.exitcode)

    def test_host_tensors_still_travel(self):
        context = torch.multiprocessing.get_context("spawn")
        queue = context.Queue()
        child = context.Process(target=send, args=(queue,))
        child.start()
        self.assertEqual([0, 1, 2, 3, 4], queue.get(timeout=DEADLINE).tolist())
        queue.put("seen")
        child.join(DEADLINE)
        self.assertEqual(0, child.exitcode)

    def test_questions_before_a_fork_leave_the_child_usable(self):
        self.assertEqual("2.0\n0", output("""
            import os, torch
            torch.accelerator.current_accelerator(), torch.accelerator.is_available()
            torch.accelerator.device_count()
            pid = os.fork()
            if pid == 0:
                print((torch.ones(1, device="fakedev:1") + 1).item(), flush=True)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """))

    def test_threads_that_computed_leave_a_clean_exit(self):
        # No backward: torch 2.13's engine threads may drop the Python context of the last graph while
        # the interpreter ends, and then die in std::terminate, whatever the device.
        for _ in range(2):
            done = run("""
                import threading, torch
                def compute(index):
                    layer = torch.nn.Linear(3, 3, device=f"fakedev:{index}")
                    layer(torch.ones(2, 3, device=f"fakedev:{index}")).sum().item()
                threads = [threading.Thread(target=compute, args=(i % 2,)) for i in range(4)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
            """)
            self.assertEqual((0, ""), (done.returncode, done.stderr))


def write(inbox, outbox):
    """Writes into what it gets, and lets go of it only when it is told to."""
    x, same = inbox.get(timeout=DEADLINE)
    x.fill_(7)
    same[1] = 9
    torch.fakedev.synchronize()
    outbox.put((str(x.device), same.tolist()))
    inbox.get(timeout=DEADLINE)


class Sending(unittest.TestCase):
    def test_device_tensors_are_shared(self):
        x = torch.arange(4.0, device="fakedev:1")
        context = torch.multiprocessing.get_context("spawn")
        inbox, outbox = context.Queue(), context.Queue()
        child = context.Process(target=write, args=(inbox, outbox))
        child.start()
        inbox.put((x, x[1:]))
        self.assertEqual(("fakedev:1", [7, 9, 7]), outbox.get(timeout=DEADLINE))
        self.assertEqual([7, 7, 9, 7], x.tolist())
        inbox.put("let go")
        child.join(DEADLINE)
        self.assertEqual(0, child.exitcode)

    def test_what_comes_back_is_what_was_sent(self):
        x, empty = torch.arange(4.0, device="fakedev:1"), torch.empty(0, device="fakedev:1")
        queue = torch.multiprocessing.SimpleQueue()
        queue.put((x, empty))
        same, none = queue.get()
        same.fill_(3)
        self.assertEqual([3, 3, 3, 3], x.tolist())
        self.assertEqual((0, x.device), (none.numel(), none.device))

    def test_what_was_sent_is_kept_until_it_was_let_go(self):
        queue, kept = torch.multiprocessing.SimpleQueue(), torch_fakedev._sharing._lent
        kept.clear()
        for _ in range(2):  # the second finds that the first has come home
            queue.put(torch.arange(4.0, device="fakedev"))
            self.assertEqual(1, len(kept))
            self.assertEqual([0, 1, 2, 3], queue.get().tolist())


class Loaders(unittest.TestCase):
    def test_pinning_reaches_into_containers(self):
        batch = {"list": [torch.ones(2)], "tuple": (torch.ones(2),), "own": Batch(torch.ones(2)),
                 "pair": Pair(torch.ones(2), 3)}
        (pinned,) = DataLoader([batch], batch_size=None, pin_memory=True)
        self.assertTrue(all(tensor.is_pinned() for tensor in (
            pinned["list"][0], pinned["tuple"][0], pinned["own"].tensor, pinned["pair"].first)))
        self.assertEqual((Pair, 3), (type(pinned["pair"]), pinned["pair"].second))

    def test_forked_workers_leave_the_device_alone(self):
        torch.ones(1, device="fakedev").item()
        loader = DataLoader(TensorDataset(torch.arange(8.0)), 2, num_workers=2, timeout=DEADLINE)
        self.assertEqual(28.0, sum(batch.sum().item() for batch, in loader))

    def test_without_accelerator_pinning_warns_and_loads(self):
        self.assertEqual("True [0, 1]", output("""
            import torch, warnings
            from torch.utils.data import DataLoader
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                (batch,) = DataLoader([0, 1], batch_size=2, pin_memory=True)
            print(any("no accelerator is found" in str(w.message) for w in said), batch.tolist())
        """, FAKEDEV_DEVICES="0"))

    def test_seeds_are_those_of_a_process_without_the_device(self):
        code = """
            import torch
            from torch.utils.data import DataLoader
            torch.manual_seed(5)
            loader = DataLoader(range(4), num_workers=1, shuffle=True, timeout=60,
                                worker_init_fn=lambda _: print(torch.initial_seed(), flush=True))
            print([int(batch) for batch in loader])
        """
        self.assertEqual(output(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0"), output(code))

    def test_base_seed_is_drawn_on_the_default_device(self):
        torch.set_default_device("fakedev")
        try:
            loader = DataLoader(TensorDataset(torch.arange(4.0)), 2)
            self.assertEqual(["fakedev"] * 2, [batch.device.type for batch, in loader])
        finally:
            torch.set_default_device(None)


class Start(unittest.TestCase):
    def test_exception_of_the_start_propagates_and_the_next_use_tries_again(self):
        self.assertEqual("a call queued True 2.0", output("""
            import torch
            attempts = []
            def queued():
                attempts.append(1)
                raise ValueError("not yet")
            torch.fakedev._lazy_call(queued)
            try:
                torch.ones(1, device="fakedev")
            except RuntimeError as error:
                text = str(error)
            x = torch.ones(1, device="fakedev") + 1
            print("a call queued" if "a call queued" in text else text, attempts == [1], x.item())
        """))


class Objects(unittest.TestCase):
    def test_attributes_live_as_long_as_the_tensor(self):
        x = torch.ones(2, device="fakedev:1", requires_grad=True)
        inner = x * 2
        inner.note = "kept"
        reference = weakref.ref(inner)
        saved = inner.exp()
        node = saved.grad_fn
        del inner, saved
        gc.collect()
        kept = node.next_functions[0][0]
        self.assertIsNotNone(kept)
        del node, kept
        gc.collect()
        self.assertIsNone(reference())

    def test_attributes_survive_while_only_the_gradient_holds_the_tensor(self):
        x = torch.ones(2, device="fakedev:1", requires_grad=True)
        (x * 2).sum().backward()
        x.grad.note = "kept"
        gc.collect()
        self.assertEqual("kept", x.grad.note)


if __name__ == "__main__":
    unittest.main()
