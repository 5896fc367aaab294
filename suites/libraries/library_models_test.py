# SPDX-License-Identifier: BSD-3-Clause
"""Tests `assay programs --library` on a library of testdata: a model that trains, wrong results, and reasons to skip a
family."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402
from assay.programs import run as program_run
from suites.libraries import rounded_functions, tiny_model, transformers_configs

FAULT = "kernel.matmul_ignores_beta"


class Runs(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="assay-libraries-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        profile = (ROOT / "ci/targets/fakedev_faulty.yaml").read_text()
        profile = profile.replace("env: {", f"env: {{PYTHONPATH: '{HERE / 'testdata'}', ")
        self.profile = self.folder / "fakedev_faulty.yaml"
        self.profile.write_text(profile.replace("adapter: ", f"adapter: {BUILD}/lib/"))

    def programs(self, *words):
        """Runs the command and returns its exit status."""
        command = [BUILD / "bin/assay", "programs", "--target", self.profile, "--out", self.folder / "run", "--plain", *words]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=self.folder, check=False)
        self.said = done.stdout + done.stderr
        return done.returncode

    def ends(self):
        rows = map(json.loads, (self.folder / "run/journal.jsonl").read_text().splitlines())
        return {row["id"].rpartition(".")[2]: row for row in rows
                if row["event"] == "end" and row["final"] and row["id"].startswith("libraries.")}

    def test_families_are_asked_or_named_with_the_reason(self):
        self.assertEqual(self.programs("--library", "timm"), 0, self.said)
        ends = self.ends()
        self.assertEqual({name: row["verdict"] for name, row in ends.items()}, {
            "test_plain": "pass", "test_added": "pass", "test_draws_in_training": "pass",
            "test_draws": "skip", "test_refused": "skip", "test_large": "skip"})
        for name, reason in (("test_draws", "the model draws random numbers"), ("test_large", "the model cannot be made small: 4,00"),
                             ("test_refused", "on the CPU, RuntimeError: mat1 and mat2 shapes")):
            self.assertIn(reason, json.dumps(ends[name]))

    def test_wrong_operator_fails_the_models_that_use_it(self):
        self.assertEqual(self.programs("--library", "timm", "--select", "test-plain,test_added", "--arm", FAULT), 1, self.said)
        self.assertEqual({name: row["verdict"] for name, row in self.ends().items()},
                         {"test_plain": "pass", "test_added": "fail"})
        evidence = "".join(path.read_text() for path in (self.folder / "run/jobs").glob("libraries.timm.test_added*/events.jsonl"))
        self.assertIn("addmm.default is the first wrong operator", evidence)

    def test_library_that_is_not_there_is_refused_in_words(self):
        for name, words in (("diffusers", "the interpreter of the target has no diffusers"), ("numpy", 'no models of \\"numpy')):
            self.assertEqual(self.programs("--library", name), 65, self.said)
            self.assertIn(words.replace("\\", ""), self.said)


class Parts(unittest.TestCase):
    def test_configuration_is_made_small_by_the_names_of_its_fields(self):
        class Config:
            def __init__(self, hidden_size=4096, num_attention_heads=32, vocab_size=32000, pad_token_id=31999, depths=(3, 4, 6),
                         hidden_sizes=(64, 128, 256), attention_dropout=0.1, use_cache=True, head_dim=None, rope_theta=1e4,
                         crop_size=256, frames_per_clip=64, drop_path_rate=0):
                self.given = {name: value for name, value in locals().items() if name not in ("self", "given")}

        given = transformers_configs.small(Config).given
        self.assertEqual((given["hidden_size"], given["num_attention_heads"], given["vocab_size"]), (32, 4, 99))
        self.assertLess(given["pad_token_id"], 99)
        self.assertEqual((given["depths"], given["hidden_sizes"]), ((1, 1, 1), (16, 32, 64)))
        self.assertEqual((given["attention_dropout"], given["use_cache"], given["head_dim"], given["rope_theta"]),
                         (0.0, False, None, 1e4))
        self.assertEqual((given["crop_size"], given["frames_per_clip"]), (32, 4))
        self.assertIs(type(given["drop_path_rate"]), int, "a family may insist on an integer")

    def test_loss_is_the_models_own_or_made_of_what_comes_out(self):
        weight = torch.ones(2, requires_grad=True)
        own, out = weight.sum(), weight * 2
        self.assertEqual(tiny_model.loss_of({"loss": own, "out": out}).item(), 2)
        self.assertEqual(tiny_model.loss_of([{"out": out}, torch.ones(3)]).item(), 4)
        with self.assertRaises(tiny_model.Unfit):
            tiny_model.loss_of((torch.ones(2),))

    def test_model_that_keeps_too_much_for_backward_cannot_be_made_small(self):
        class Wide(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.ones(()))

            def forward(self, rows):
                return (torch.zeros(rows, 1 << 20) + 1) * self.scale

        make = lambda rows: tiny_model.checked(Wide, [{"rows": rows}])  # noqa: E731
        self.assertEqual(make(1).mode, "train")
        with self.assertRaisesRegex(tiny_model.Unfit, "cannot be made small: it keeps 4.. MiB for backward"):
            make(60)

    def test_chance_is_taken_out(self):
        model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.MultiheadAttention(4, 2, dropout=0.3))
        tiny_model.take_chance_out(model)
        self.assertEqual((model[0].p, model[1].dropout), (0.0, 0.0))


class Rounded(unittest.TestCase):
    """A CPU run with rounded functions shows how rounding errors propagate."""

    def angle(self, moved):
        place = program_run.Run("cpu", torch.float32, moved=moved)
        x = torch.full((50,), 6.5)
        with rounded_functions.rounded(place):
            return torch.sin(torch.exp(x)), x * 2

    def test_a_run_that_is_not_moved_is_as_it_was(self):
        self.assertTrue(torch.equal(self.angle(None)[0], torch.full((50,), 6.5).exp().sin()))

    def test_functions_are_moved_by_a_rounding_and_products_are_not(self):
        (exact, product), (seen, other) = self.angle(None), self.angle(3)
        off = (exact - seen).abs().max()
        self.assertTrue(1e-6 < off < 2e-4, off)  # one rounding of 665 is 6e-5
        self.assertTrue(torch.equal(product, other))


if __name__ == "__main__":
    unittest.main()
