# SPDX-License-Identifier: BSD-3-Clause
"""assay new: every set of features gives a complete backend under the author's name, and no file is overwritten.

With ASSAY_FULL=1 each backend is also installed with pip into its own environment, and every check runs on it, once
through the backend's own workflow: its features are correct, and features that it lacks are refused."""

import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
from new_backend import FEATURES, keep_lines, rename

from ci.github.fixtures.local_runner import Runner

BUILD = Path(os.environ["ASSAY_BUILD"])
ASSAY = BUILD / "bin/assay"


def new(*words):
    return subprocess.run([ASSAY, "new", *map(str, words)], capture_output=True, text=True, timeout=60)


class InScratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)


def texts_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


class Written(InScratch):
    def test_names_that_no_file_can_have_are_wrong_usage(self):
        for words in (("--name", "x" * 300), ("--name", "bar", "--holder", b"\xff"), ("--name", "bar", "--holder", "a\nb")):
            made = subprocess.run([ASSAY, "new", self.scratch / "p", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual((made.returncode, "Traceback" in made.stderr), (64, False), made.stderr)
            self.assertFalse((self.scratch / "p").exists())

    def test_links_of_the_user_stay(self):
        (self.scratch / "a").symlink_to("b")
        (self.scratch / "b").symlink_to("a")
        made = new(self.scratch / "a", "--name", "bar")
        self.assertEqual((made.returncode, "Traceback" in made.stderr), (71, False), made.stderr)
        self.assertTrue((self.scratch / "a").is_symlink())

    def test_every_set_of_features_is_whole(self):
        for count in range(len(FEATURES) + 1):
            for features in itertools.combinations(sorted(FEATURES), count):
                with self.subTest(features=features):
                    folder = self.scratch / f"torch_bar{'_'.join(features)}"
                    given = ["--with", ",".join(features)] if features else []
                    made = new(folder, "--name", "bar", "--holder", "Bar Ltd", *given)
                    self.assertEqual((made.returncode, made.stderr), (0, ""))
                    self.is_whole(texts_of(folder), features)

    def is_whole(self, texts, features):
        """No mark and no name of the scaffold remains. CMake compiles exactly the files that exist."""
        for path, text in texts.items():
            self.assertNotRegex(text + path, r"@(with|without|end|year|holder)\b|(?i:foo)", path)
            self.assertNotIn("\n\n\n\n", text, path)
        named = set(re.findall(r"^  ((?:csrc|runtime)/\S+\.cc)$", texts["CMakeLists.txt"], re.MULTILINE))
        self.assertEqual(named, {path for path in texts if path.endswith(".cc")})
        self.assertEqual("csrc/autocast.cc" in named, "amp" in features)
        self.assertIn("Bar Ltd", texts["LICENSE"])
        compile(texts["torch_bar/device_module.py"], "device_module.py", "exec")
        self.assertEqual("class Stream" in texts["torch_bar/device_module.py"], "streams" in features)

    def test_the_name_is_the_folders_without_torch(self):
        self.assertEqual(new(self.scratch / "torch_abc").returncode, 0)
        self.assertIn("name: abc\n", (self.scratch / "torch_abc/ci/abc.yaml").read_text())

    def test_a_block_goes_with_the_blank_line_behind_it(self):
        text = "a\n/* @with streams */\nb\n/* @end */\n\nc(); /* @without streams */\nd # @with amp\n"
        self.assertEqual(keep_lines(text, {"streams"}), "a\nb\n\n")
        self.assertEqual(keep_lines(text, {"amp"}), "a\nc();\nd\n")

    def test_words_that_only_contain_the_name_stay(self):
        self.assertEqual(rename("foo_x libtorch_foo.so FOO_OK Foo food torch.foo", "ab"),
                         "ab_x libtorch_ab.so AB_OK Ab food torch.ab")


class Refused(InScratch):
    def refused(self, status, words, *given):
        made = new(*given)
        self.assertEqual(made.returncode, status, made.stderr)
        self.assertRegex(made.stderr, words)
        self.assertEqual(made.stdout, "")

    def test_a_folder_with_something_in_it(self):
        (self.scratch / "mine").write_text("kept")
        self.refused(65, "already exists and is not empty", self.scratch, "--name", "bar")
        self.assertEqual([path.name for path in self.scratch.iterdir()], ["mine"])

    def test_a_full_disk_leaves_nothing(self):
        (self.scratch / "empty").mkdir()
        for folder in ("a/b/torch_bar", "empty"):
            told = subprocess.run([ASSAY, "new", self.scratch / folder, "--name", "bar"], capture_output=True, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)))
            self.assertEqual(told.returncode, 71, told.stderr)
            self.assertRegex(told.stderr, "cannot be written: File too large; the written files were removed\n$")
        self.assertEqual([path.name for path in self.scratch.rglob("*")], ["empty"])

    def test_names_that_cannot_be(self):
        for name in ("Bar", "9bar", "b-r", "cuda", "class", "nn", "../x"):
            with self.subTest(name=name):
                self.refused(64, "--name", self.scratch / "new", "--name", name)
        self.assertFalse((self.scratch / "new").exists())

    def test_a_feature_that_there_is_not(self):
        self.refused(64, "there is no such feature .*streams:", self.scratch / "new", "--name", "bar", "--with", "ampp")

    def test_no_folder(self):
        self.refused(64, "give one folder")

    @unittest.skipIf(os.geteuid() == 0 and not Path("/proc/self").exists(), "needs a place that cannot be written")
    def test_a_place_that_cannot_be_written(self):
        self.refused(64, r"--name \\u001b\[2J: a backend's name", self.scratch / "x", "--name", "\x1b[2J")
        self.refused(71, "/proc/self/new: cannot be written", "/proc/self/new", "--name", "bar")


@unittest.skipUnless(os.environ.get("ASSAY_FULL"), "compiles for minutes")
class Installed(InScratch):
    def test_a_backend_with_nothing(self):
        """Runs the backend's own workflow with the whole action: assay is installed from a clone of this tree."""
        folder = self.made([])
        subprocess.run(["git", "clone", "--quiet", HERE.parent, self.scratch / "assay"], check=True)
        github = {"server_url": "https://example.org", "repository": "a/b", "run_id": 7}
        variables = {"HOME": str(self.scratch), "RUNNER_TEMP": str(self.scratch), "GITHUB_STEP_SUMMARY": str(self.scratch / "summary")}
        outputs = {}

        def uses(step, given):
            if "/ci/github@" in step["uses"]:
                action = Runner(folder, {"github": github}, variables, uses)
                outputs.update(action.run_action(self.scratch / "assay/ci/github/action.yml", given))
            return {}

        Runner(folder, {"github": github}, variables, uses).run_job(folder / ".github/workflows/assay.yml", "assay")
        self.assertEqual(outputs["conclusion"], "success")
        self.keeps_the_contract(Path(outputs["run"]), least_passed=480)

    def test_a_backend_with_everything(self):
        folder = self.made(["--with", ",".join(FEATURES)])
        python = self.install(folder)
        run = subprocess.run([ASSAY, "run", "--target", folder / "ci/bar.yaml", "--out", self.scratch / "run", "--quiet"],
                             capture_output=True, text=True, env=os.environ | {"ASSAY_PYTHON": python})
        self.assertIn(run.returncode, (0, 2), run.stdout + run.stderr)
        self.keeps_the_contract(self.scratch / "run", least_passed=820)

    def made(self, features):
        folder = self.scratch / "torch_bar"
        self.assertEqual(new(folder, "--name", "bar", *features).returncode, 0)
        return folder

    def keeps_the_contract(self, run, least_passed):
        verdicts = self.verdicts(run)
        wrong = {check: verdict for check, verdict in verdicts.items() if verdict in ("fail", "crash", "timeout")}
        self.assertEqual(wrong, {})
        self.assertGreaterEqual(list(verdicts.values()).count("pass"), least_passed)

    def install(self, folder):
        """Installs the backend into an environment that uses this one's torch."""
        subprocess.run([sys.executable, "-m", "venv", self.scratch / "venv"], check=True)
        python = self.scratch / "venv/bin/python"
        ours = next(path for path in sys.path if path.endswith("site-packages"))
        (next((self.scratch / "venv/lib").glob("python*/site-packages")) / "ours.pth").write_text(ours + "\n")
        subprocess.run([python, "-m", "pip", "install", "-q", "scikit-build-core>=0.10"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "."],
                       cwd=folder, check=True)
        return str(python)

    def verdicts(self, run):
        found = {}
        for line in (run / "journal.jsonl").read_text().splitlines():
            record = json.loads(line)
            if record["event"] == "end" and record["final"]:
                found[record["id"]] = record["verdict"]
        return found


if __name__ == "__main__":
    unittest.main()
