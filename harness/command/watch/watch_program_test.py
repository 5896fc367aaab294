# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay watch on programs that exit, start other programs, print and change modes: each program must behave as
without a watch."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import unittest

from watch_fixture import BEGIN, BUILD, WatchCase

LOADED = """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.full((3,), float(i), device="fakedev").exp().cpu()

def main():
    torch.multiprocessing.set_start_method({method!r}, force=True)
    for batch in torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=2, timeout=300):
        batch.sum()

if __name__ == "__main__":
    main()
"""


class Program(WatchCase):
    def test_threads_and_forked_children_are_watched(self):
        code = """
        def work():
            torch.ones(3, 3).to("fakedev").exp().cpu()

        child = os.fork()
        if child == 0:
            work()
            os._exit(0)
        os.waitpid(child, 0)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """
        status, document = self.watch(code)
        self.assertEqual(status, 0)
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 2)

    def test_end_without_clean_up_is_told_and_what_was_seen_is_there(self):
        status, document = self.watch('torch.ones(3).to("fakedev").exp().cpu()\nos._exit(7)')
        self.assertEqual((status, document["exit"]), (2, 7))
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 1)

    def test_workers_of_a_loader_are_watched_forked_and_spawned(self):
        for method in ("fork", "spawn"):
            # The device with faults has a sitecustomize that hides assay's.
            status, document = self.watch(LOADED.format(method=method), device="fakedev")
            self.assertEqual((status, document["exit"]), (0, 0), self.said.stderr)
            self.assertEqual(self.row(document, "aten.exp.default")["calls"], 4)
            self.setUp()

    def test_program_that_is_killed_leaves_what_was_seen(self):
        status, document = self.watch("""
        torch.ones(3).to("fakedev").exp().cpu()
        os.kill(os.getpid(), 9)
        """)
        self.assertEqual((status, document["exit"], document["signal"], document["cut_off"]), (2, 137, "SIGKILL", True))
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 1)

    def test_program_that_dies_of_a_signal_has_crashed(self):
        status, document = self.watch("os.abort()")
        self.assertEqual((status, document["signal"], document["cut_off"]), (1, "SIGABRT", False))

    def started(self, code):
        """Starts assay and returns after the program has printed a line."""
        program = self.folder / "train.py"
        program.write_text(BEGIN.format(device="fakedev_faulty") + textwrap.dedent(code), encoding="utf-8")
        assay = subprocess.Popen(
            [BUILD / "bin/assay", "watch", "--target", "fakedev_faulty", "--out", self.found, "--", sys.executable, program],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        self.addCleanup(assay.stdout.close)
        self.assertEqual(assay.stdout.readline(), "there\n")
        return assay

    HANG = """
    import signal
    torch.ones(3).to("fakedev").exp().cpu()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(5))
    print("there", flush=True)
    signal.pause()
    """

    def test_hang_ends_by_the_signal_that_assay_is_sent(self):
        assay = self.started(self.HANG)
        assay.send_signal(signal.SIGTERM)
        self.assertEqual(assay.wait(), 2)
        document = json.loads((self.found / "watch.json").read_text(encoding="utf-8"))
        self.assertEqual(document["exit"], 5)

    def test_what_was_seen_is_read_when_assay_itself_was_killed(self):
        assay = self.started(self.HANG)
        os.killpg(assay.pid, signal.SIGKILL)
        assay.wait()
        status, _said = self.assay("watch", "--target", "fakedev_faulty", "--read", self.found)
        document = json.loads((self.found / "watch.json").read_text(encoding="utf-8"))
        self.assertEqual((status, document["cut_off"]), (2, True))
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 1)

    def test_output_is_the_program_s_own(self):
        _status, _document = self.watch("""
        for _ in range(1 << 12):
            print("x" * 1023)
        """)
        program, _newline, ours = self.said.stdout.rstrip("\n").rpartition("\n")
        self.assertEqual(len(program) + 1, 4 << 20)
        self.assertEqual(json.loads(ours)["schema"], "assay/watch/1")

    def test_mode_of_the_program_s_own_sees_what_it_would(self):
        status, document = self.watch("""
        from torch.utils._python_dispatch import TorchDispatchMode

        class Doubled(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, arguments=(), named=None):
                result = function(*arguments, **(named or {}))
                return result * 2 if function is torch.ops.aten.exp.default else result

        with Doubled():
            x = torch.zeros(3).to("fakedev").exp()
        assert x.cpu().tolist() == [2, 2, 2]
        """)
        self.assertEqual((status, document["exit"]), (0, 0), self.said.stderr)
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 1)

    def test_a_module_is_compiled_as_it_would_be(self):
        """The compiler reads the hooks of modules. The hooks of the watch must do nothing then and cause no warning."""
        status, document = self.watch("""
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()).to("fakedev")
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        with torch.inference_mode():
            compiled(torch.ones(2, 4).to("fakedev"))
        compiled(torch.ones(2, 4).to("fakedev")).sum().backward()
        """)
        self.assertEqual((status, document["exit"], document["first"]), (0, 0, None), self.said.stderr)
        self.assertNotIn("global hooks", self.said.stderr)

    def test_program_that_compiles_and_profiles_is_judged_and_generated_kernels_are_not(self):
        status, document = self.watch("""
        from torch.profiler import ProfilerActivity, profile

        @torch.compile
        def composed(x):
            return x.exp() * 2 + x

        with torch.no_grad(), profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as trace:
            x = torch.ones(4, 4).to("fakedev")
            y = composed(x).sin()
        assert torch.allclose(y.cpu(), (x.cpu().exp() * 2 + x.cpu()).sin())
        assert any("aten::sin" in one.key for one in trace.key_averages())
        """)
        self.assertEqual((status, document["exit"], document["first"]), (0, 0, None), self.said.stderr)
        self.assertEqual(self.row(document, "aten.sin.default")["compared"], 1)
        self.assertIn({"reason": "a kernel that a compiler generated; each counts once", "calls": 1}, document["uncompared"])

    def test_ranks_of_torchrun_are_watched(self):
        code = """
        import torch.distributed as dist
        rank = int(os.environ["RANK"])
        torch.accelerator.set_device_index(rank)
        dist.init_process_group("fakedist")
        x = torch.full((3,), float(rank), device="fakedev").exp()
        dist.all_reduce(x)
        assert torch.allclose(x.cpu(), torch.tensor([0.0, 1.0]).exp().sum())
        dist.destroy_process_group()
        """
        # The device with faults has a sitecustomize that hides assay's.
        status, document = self.watch(code, device="fakedev", command=("-m", "torch.distributed.run", "--nproc-per-node", "2", self.folder / "train.py"))
        self.assertEqual((status, document["exit"], document["first"]), (0, 0, None), self.said.stderr)
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 2)
        self.assertIn("other processes take part in it", [one["reason"] for one in document["uncompared"]])

    def test_module_and_pytest_are_programs_too(self):
        (self.folder / "judge.py").write_text("value = 7\n", encoding="utf-8")
        code = """
        import unittest
        import judge  # the program's own, not ours

        class Exp(unittest.TestCase):
            def test_exp(self):
                assert judge.value == 7
                assert torch.zeros(3).to("fakedev").exp().cpu().tolist() == [1, 1, 1]
        """
        status, document = self.watch(code, command=("-m", "unittest", "train"))
        self.assertEqual((status, document["exit"]), (0, 0), self.said.stderr)
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 1)

    def test_target_is_loaded_unless_asked_not_to_in_a_folder_of_any_name(self):
        program = self.folder / "plain.py"
        program.write_text('import torch\ntorch.zeros(3, device="fakedev").exp().cpu()\n', encoding="utf-8")
        self.found = self.folder / "a:b"
        status, document = self.watch("", command=(sys.executable, program))
        self.assertEqual((status, document["exit"]), (0, 0), self.said.stderr)
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 1)
        self.found = self.folder / "c"
        status, document = self.watch("", "--no-load", command=(sys.executable, program))
        self.assertEqual((status, document["exit"], document["operators"]), (2, 1, []), self.said.stderr)

    def test_classes_of_tensors_are_opened_and_what_is_not_compared_is_said(self):
        status, document = self.watch("""
        from torch.utils._pytree import tree_map

        class Wrapped(torch.Tensor):
            @staticmethod
            def __new__(cls, inner):
                return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)

            def __init__(self, inner):
                self.inner = inner

            @classmethod
            def __torch_dispatch__(cls, function, types, arguments=(), named=None):
                opened = tree_map(lambda one: one.inner if isinstance(one, cls) else one, arguments)
                return cls(function(*opened, **(named or {})))

        class Plain(torch.Tensor):
            pass

        x = torch.ones(3, 3).to("fakedev")
        Wrapped(x) * 2
        x.as_subclass(Plain) * 2
        try:
            torch.eye(3).to_sparse_csr().to("fakedev")
        except RuntimeError:
            pass
        """)
        row = self.row(document, "aten.mul.Tensor")
        self.assertEqual((row["calls"], row["compared"], row["wrong"]), (2, 2, 0))
        self.assertEqual((status, document["unjudged"] > 0, document["first"]), (0, True, None), document["uncompared"])

    def test_program_that_cannot_be_started_is_named_and_leaves_no_folder(self):
        said = subprocess.run([BUILD / "bin/assay", "watch", "--target", "fakedev_faulty", "--out", self.found, "--", "/nowhere/program"],
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual((said.returncode, self.found.exists()), (65, False), said.stderr)
        self.assertIn("cannot start /nowhere/program", said.stderr)


if __name__ == "__main__":
    unittest.main()
