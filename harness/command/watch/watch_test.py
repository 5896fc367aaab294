# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay watch on operators as programs call them: on a correct device, and with a wrong kernel, whose line,
module and reproducer must be reported."""

import subprocess
import sys
import unittest
from pathlib import Path

from watch_fixture import BUILD, TRAIN, WatchCase


class Watch(WatchCase):
    def test_right_device_is_called_right_forward_and_backward(self):
        status, document = self.watch(TRAIN)
        self.assertEqual((status, document["exit"], document["first"]), (0, 0, None))
        for name in ("aten.addmm.default", "aten.tanh_backward.default"):
            row = self.row(document, name)
            self.assertEqual((row["wrong"], row["compared"] > 0), (0, True), row)
        self.assertIn("calls like these were compared before", [one["reason"] for one in document["uncompared"]])

    def test_all_compares_every_call(self):
        _status, document = self.watch(TRAIN, "--all")
        for row in document["operators"]:
            if row["name"] == "aten.addmm.default":
                self.assertEqual(row["compared"], row["calls"])
        self.assertNotIn("calls like these were compared before", [one["reason"] for one in document["uncompared"]])

    def test_wrong_kernel_is_named_with_line_module_and_reproducer(self):
        status, document = self.watch(TRAIN, fault="kernel.matmul_ignores_beta")
        first = document["first"]
        self.assertEqual((status, first["op"], first["module"], first["backward"]),
                         (1, "aten.addmm.default", "Sequential.0", False))
        self.assertEqual(first["line"], f"{self.folder / 'train.py'}:{self.line_of('the line of all')}")
        self.assertRegex(first["inputs"], r"^float32 \[\d+\], float32 \[\d+, \d+\], float32 \[\d+, \d+\]")
        wrong = [row["name"] for row in document["operators"] if row["wrong"]]
        self.assertEqual(wrong, ["aten.addmm.default"])
        self.expect_reproduced(Path(self.found, first["reproducer"]).with_suffix(".py"), "kernel.matmul_ignores_beta")

    def expect_reproduced(self, program, fault):
        """The reproducer calls only this operator. It must show the error, and no error on a correct device."""
        environment = {**self.environment, "PYTHONPATH": str(BUILD / "python")}
        for wanted, name in ((1, fault), (0, "")):
            environment["FAKEDEV_FAULT"] = name
            said = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True)
            self.assertEqual(said.returncode, wanted, said.stdout + said.stderr)

    def test_backward_has_the_line_of_its_forward(self):
        code = """
        x = torch.ones(5, 2).to("fakedev")[:, 0].clone().requires_grad_()
        y = x[torch.tensor([1, 1, 1]).to("fakedev")]  # three times the same row
        y.backward(torch.ones(3).to("fakedev"))
        """
        status, document = self.watch(code, fault="kernel.scatter_accumulate_overwrites")
        first = document["first"]
        self.assertEqual((status, first["backward"]), (1, True), first)
        self.assertEqual(first["line"], f"{self.folder / 'train.py'}:{self.line_of('three times')}")

    def test_operators_are_seen_in_inference_mode_as_in_others(self):
        """In inference mode, core does not decompose composite operators before a dispatch mode sees them."""
        code = """
        layer = torch.nn.Linear(4, 3)
        with torch.inference_mode():
            print(layer.to("fakedev")(torch.ones(2, 4).to("fakedev")).cpu())
        """
        status, document = self.watch(code, fault="kernel.matmul_ignores_beta")
        self.assertEqual((status, document["first"]["op"]), (1, "aten.addmm.default"))
        self.assertEqual([row["name"] for row in document["operators"] if row["name"].split(".")[1] in ("to", "linear")], [])
        self.assertEqual([row["name"] for row in document["operators"] if row["wrong"]], ["aten.addmm.default"])

    def test_inference_mode_takes_the_kernels_that_it_would(self):
        """Without a watch, inference mode does not use the Python decompositions that a few operators also have."""
        _status, document = self.watch("""
        with torch.inference_mode():
            torch.nn.functional.interpolate(torch.ones(1, 1, 4, 4).to("fakedev"), scale_factor=2, mode="bilinear").cpu()
        """)
        names = [row["name"] for row in document["operators"]]
        self.assertIn("aten.upsample_bilinear2d.default", names)
        self.assertNotIn("aten._unsafe_index.Tensor", names)

    def test_what_is_captured_is_left_alone(self):
        """A copy or a synchronization would break the capture, and nothing has been computed yet."""
        code = """
        x, graph = torch.ones(3).to("fakedev"), torch.accelerator.Graph()
        with graph:
            y = x * 2 + torch.rand(3, device="fakedev")
        graph.replay()
        torch.accelerator.synchronize()
        assert (y.cpu() >= 2).all()
        """
        for more in ((), ("--all",)):
            self.found = self.folder / f"found{len(more)}"
            status, document = self.watch(code, *more)
            self.assertEqual((status, document["exit"], document["first"]), (0, 0, None), self.said.stderr)
            reasons = {one["reason"]: one["calls"] for one in document["uncompared"]}
            self.assertGreaterEqual(reasons["it is captured and runs only when the graph is replayed"], 3)
            self.assertEqual([one for one in reasons if one.startswith("assay")], [])

    def test_tensors_without_strides_are_left_out(self):
        code = """
        torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged).to("fakedev").sum().item()
        for made in (torch.nested.nested_tensor([torch.ones(2, 3)]), torch.ones(3, 3).to_sparse_csr(), torch.ones(3, 3).to_sparse()):
            try:
                made.to("fakedev").to_dense()
            except RuntimeError as error:
                print(error)
        """
        code += """
        lazy = torch.nn.LazyLinear(2)(torch.ones(1, 3))  # on the CPU, as the next
        nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)])
        with torch.inference_mode():
            assert torch.nn.functional.linear(nested, torch.ones(5, 3)).size(0) == 2
        """
        _status, document = self.watch(code)
        self.assertEqual(document["exit"], 0, self.said.stderr)
        reasons = [one["reason"] for one in document["uncompared"]]
        self.assertEqual([one for one in reasons if one.startswith("assay") or "lazy" in one], [])
        self.assertIn("an unsupported layout or tensor class", reasons)

    def test_derivatives_forwards_are_compared_as_others(self):
        """Forward derivatives use tensors of zeros that have no memory."""
        code = """
        x, w = torch.ones(4, 4).to("fakedev"), torch.ones(4).to("fakedev")
        print(torch.func.hessian(lambda x, w: torch.tanh(x @ w).square().sum())(x, w).shape)
        """
        status, document = self.watch(code)
        self.assertEqual((status, document["ended"], document["first"]), (0, "", None), self.said)
        row = self.row(document, "aten._efficientzerotensor.default")
        self.assertEqual((row["wrong"], row["compared"] > 0), (0, True), row)

    def test_random_operators_are_counted_as_not_compared(self):
        _status, document = self.watch('torch.rand(3, device="fakedev").cpu()')
        self.assertIn({"reason": "it draws random numbers", "calls": 1}, document["uncompared"])

    def test_memory_of_a_view_must_be_that_of_its_base(self):
        status, document = self.watch("""
        x = torch.zeros(4).to("fakedev")
        x.expand(2, 4)
        x[1:3].add_(1)
        x.t()
        """, "--all")
        self.assertEqual((status, document["first"]), (0, None), document["first"])

    def test_copies_waits_and_fallbacks_are_counted_by_line(self):
        _status, document = self.watch(TRAIN + """
for _ in range(4):
    optimizer.step()
    x.sum().item()  # each asks the device
torch.linalg.svd(x)
x.nonzero()  # waits
""")
        statistics = document["statistics"]
        self.assertEqual(statistics["steps"], 9)
        rows = {(row["what"], int(row["line"].rpartition(":")[2])): row for row in statistics["traffic"]}
        asked = rows["to the host", self.line_of("each asks")]
        self.assertEqual((asked["times"], asked["bytes"]), (4, 16))
        self.assertIn(("wait", self.line_of("# waits")), rows)
        self.assertIn("aten._linalg_svd.default", [row["name"] for row in statistics["fallbacks"]])
        native = {row["name"]: row["ran"] for row in document["operators"]}
        self.assertEqual((native["aten.addmm.default"], native["aten.expand.default"]), ("native", "composite"))

    def test_memory_that_grows_is_told_and_memory_that_does_not_is_not(self):
        for growing, wanted in (("kept.append(torch.zeros(1024).to('fakedev'))", True), ("pass", False)):
            _status, document = self.watch(TRAIN + f"""
kept = []
for _ in range(40):
    optimizer.step()
    {growing}
""")
            growth = document["statistics"]["growth"]
            self.assertEqual(growth >= 4096, wanted, growth)
            self.setUp()


if __name__ == "__main__":
    unittest.main()
