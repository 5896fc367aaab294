# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay bisect on temporary repositories of 200 revisions: one axis, both axes, revisions that do not build,
flaky neighbours. The number of tested points must stay below the bound in the README. ASSAY_FULL=1 kills a bisection a
hundred times."""

import contextlib
import json
import os
import random
import shutil
import subprocess
import types
import unittest
import unittest.mock
import zipfile
from pathlib import Path

from assay.bisect import drift_step, odds, search as steps
from assay.bisect.verdicts import Bisection
from harness.command.fixtures.folder_case import FolderCase
from harness.command.fixtures.schemas import validate

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
REVISIONS = 200
KILLS = 100 if os.environ.get("ASSAY_FULL") else 6
# A revision is a number in a file. A file "broken" beside it means that the revision does not build.
BUILD = 'test ! -e broken && cp number.txt "$ASSAY_PREFIX/"'
NUMBER = 'n=$(cat "$ASSAY_PREFIX/number.txt")'


def make_repository(folder, broken=()):
    """Makes 200 revisions with one git command."""
    subprocess.run(["git", "init", "--quiet", "-b", "main", folder], check=True)
    lines = []
    for number in range(REVISIONS):
        stamp = 1700000000 + 86400 * number
        message, text = f"change {number}", f"{number}\n"
        lines += ["commit refs/heads/main", f"committer A <a@example.com> {stamp} +0000",
                  f"data {len(message)}", message, "M 100644 inline number.txt", f"data {len(text)}", text]
        if number in broken:
            lines += ["M 100644 inline broken", "data 1", "x"]
        elif number - 1 in broken:
            lines.append("D broken")
    subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input="\n".join(lines) + "\n", text=True, check=True)
    return subprocess.run(["git", "-C", folder, "rev-list", "--reverse", "main"], text=True, check=True,
                          capture_output=True).stdout.split()


def stretches(points):
    return sum(point - 1 not in points for point in points)


class Steps(unittest.TestCase):
    """Tests the search without builds, thousands of times."""

    def test_every_cause_is_found_within_the_bound(self):
        for seed in range(3000):
            chance = random.Random(seed)
            last = chance.randint(1, REVISIONS)
            first_bad = chance.randint(1, last)
            dead = set()
            for _ in range(chance.choice((0, 0, 1, 2, 4))):
                begin = chance.randint(1, last)
                dead |= set(range(begin, min(last, begin + chance.choice((1, 3, 20, 60)))))
            asked = []

            def ask(point, asked=asked, dead=dead, first_bad=first_bad):
                asked.append(point)
                return steps.NONE if point in dead else steps.BAD if point >= first_bad else steps.GOOD

            found = steps.search(last, ask)
            alive = [point for point in range(last + 1) if point not in dead]
            self.assertEqual(max(point for point in alive if point < first_bad), found.low, seed)
            self.assertEqual(min(point for point in alive if point >= first_bad), found.high, seed)
            self.assertEqual(len(asked), len(set(asked)), seed)
            self.assertLessEqual(len(asked) + 2, steps.bound(last - 1, stretches(dead), len(dead)), seed)
            if not dead:
                self.assertLessEqual(len(asked), (last - 1).bit_length(), seed)

    def test_a_stretch_far_from_the_change_is_not_asked_through(self):
        dead, asked = set(range(90, 150)), []

        def ask(point):
            asked.append(point)
            return steps.NONE if point in dead else steps.BAD if point >= 20 else steps.GOOD

        self.assertTrue(steps.search(REVISIONS, ask).is_found)
        self.assertLess(len(asked), 14)

    def test_coin_is_not_blamed_on_a_revision(self):
        """The test fails by chance at every revision. At most one result in a thousand may name a revision."""
        class Coin:
            def __init__(self, seed, rate):
                self.chance, self.rate, self.results = random.Random(seed), rate, {}

            def run(self, key):
                self.results.setdefault(key, []).append(self.chance.random() < self.rate)

            def failures(self, key, runs):
                while len(self.results.get(key, [])) < runs:
                    self.run(key)
                return sum(self.results[key]), len(self.results[key])

            def decide(self, key, measured):
                while (answer := measured.decide(self.results.get(key, []))) is None:
                    self.run(key)
                return answer

        axis = types.SimpleNamespace(what="backend", points=[str(point) for point in range(200)], backwards=False, story=lambda _: {})
        for rate in (0.2, 0.5, 0.8):
            named = [Bisection(Coin(seed, rate), [axis]).find()["culprits"] for seed in range(2000)]
            self.assertLessEqual(sum(map(bool, named)), 2, rate)

    def test_odds_are_9999_to_1(self):
        """Measures the error rate if a bad point fails in two of three runs and a good point in one of ten."""
        measured = odds.Odds(1, 10, 7, 10)
        wrong = 0
        for seed in range(4000):
            chance = random.Random(seed)
            is_bad, results = seed % 2 == 0, []
            while (answer := measured.decide(results)) is None:
                results.append(chance.random() < (measured.bad if is_bad else measured.good))
            wrong += answer != is_bad
        self.assertLess(wrong, 4)
        self.assertIs(odds.Odds(2, 5, 3, 5).can_tell, False)
        self.assertIsNone(odds.Odds(0, 5, 5, 5).can_tell)
        self.assertTrue(odds.Odds(0, 8, 8, 8).can_tell)


class DriftStep(FolderCase):
    """Tests for which two torches assay drift is called. A stand-in replaces assay drift."""

    def setUp(self):
        super().setUp()
        self.axes = [types.SimpleNamespace(what="backend"), types.SimpleNamespace(what="torch")]
        self.answers = types.SimpleNamespace(folder=self.folder, place_of=lambda key: self.folder / "built" / "-".join(key))
        self.program = self.folder / "assay"
        self.program.write_text('#!/bin/bash\necho "$@" > "${@: -1}"\nexit 1\n')
        self.program.chmod(0o755)

    def report(self, **more):
        culprit = {"axis": "torch", "found": True, "last_good": "2.14", "first_bad": "2.15", "way": "broken by",
                   "with": {"backend": "b1"}} | more
        return drift_step.report(culprit, self.axes, self.answers, str(self.program))

    def compared(self, **culprit):
        for version in ("2.14", "2.15"):
            torch = self.folder / f"built/b1-{version}/venv/lib/python3.11/site-packages/torch"
            torch.mkdir(parents=True)
            (torch / "version.py").touch()
        words = Path(self.report(**culprit)).read_text().split()
        self.assertEqual("drift", words[0])
        return [Path(word).relative_to(self.folder / "built").parts[0] for word in words[1:3]]

    def test_report_is_of_the_two_torches_that_were_built(self):
        self.assertEqual(["b1-2.14", "b1-2.15"], self.compared())

    def test_report_leads_from_the_older_torch_to_the_one_that_repaired_it(self):
        self.assertEqual(["b1-2.14", "b1-2.15"], self.compared(last_good="2.15", first_bad="2.14", way="repaired by"))

    def test_no_torch_and_no_step_of_torch_have_none(self):
        self.assertEqual("", self.report())
        self.assertEqual("", self.report(axis="backend"))
        self.assertEqual("", self.report(found=False))


class Program(FolderCase):
    def repository(self, broken=()):
        return make_repository(self.folder / "backend", broken)

    def torches(self, count=30):
        versions = [f"2.14.0.dev{number:03}" for number in range(count)]
        (self.folder / "torches.txt").write_text("# oldest first\n" + "\n".join(versions) + "\n")
        return versions

    def command(self, **options):
        options = {"build": BUILD, "state": self.folder / "state", "format": "json"} | options
        return [str(ASSAY), "bisect", *(f"--{name}={value}" for name, value in options.items() if value is not None)]

    def bisect(self, status=0, **options):
        done = subprocess.run(self.command(**options), capture_output=True, text=True, check=False)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        if status > 2:
            return done.stderr
        found = json.loads(done.stdout)
        validate(found, "bisect")
        return found

    def test_revision_of_a_backend_is_found_with_its_date_and_files(self):
        commits = self.repository()
        found = self.bisect(backend=self.folder / "backend", good=commits[0], bad="main", run=f"{NUMBER}; test $n -lt 137")
        self.assertEqual([commits[137]], [culprit["revision"] for culprit in found["culprits"]])
        self.assertEqual(("change 137", ["number.txt"]), (found["culprits"][0]["subject"], found["culprits"][0]["files"]))
        self.assertLessEqual(found["builds"], steps.bound(REVISIONS - 2, 0, 0))
        branches = subprocess.run(["git", "-C", self.folder / "backend", "worktree", "list"], capture_output=True, text=True,
                                  check=True).stdout
        self.assertEqual(1, len(branches.splitlines()))  # the repository is unchanged

    def test_stretches_that_do_not_build_are_gone_around_and_named(self):
        broken = {*range(60, 100), *range(120, 130)}
        commits = self.repository(broken)
        for first_bad, status in ((30, 0), (105, 0), (125, 2)):
            found = self.bisect(status, backend=self.folder / "backend", good=commits[0], bad=commits[-1],
                                run=f"{NUMBER}; test $n -lt {first_bad}", state=self.folder / f"state{first_bad}")
            culprit = found["culprits"][0]
            self.assertLessEqual(found["builds"], steps.bound(REVISIONS - 2, 2, len(broken)))
            if status:
                self.assertEqual((commits[119], commits[130], 10),
                                 (culprit["last_good"], culprit["first_bad"], len(culprit["unanswered"])))
            else:
                self.assertEqual(commits[first_bad], culprit["revision"])

    def test_version_of_torch_is_found_without_a_repository(self):
        """The specs differ only at their ends. Each must be built into its own folder."""
        specs = [f"torch @ https://example.com/whl/nightly/cpu/of/a/long/place/torch-2.14.0.dev{number:03}/x86_64/manylinux"
                 for number in range(20)]
        (self.folder / "torches.txt").write_text("# oldest first\n" + "\n".join(specs) + "\n")
        found = self.bisect(torch=self.folder / "torches.txt", good=specs[0], bad=specs[-1],
                            build='echo "$ASSAY_TORCH" > "$ASSAY_PREFIX/spec"',
                            run='test "$(sed "s/.*dev//;s:/.*::" "$ASSAY_PREFIX/spec")" -lt 17')
        self.assertEqual(specs[17], found["culprits"][0]["revision"])
        self.assertEqual(found["builds"], len(os.listdir(self.folder / "state" / "built")))

    def wheel(self, version):
        """A wheel of torch that contains only its version."""
        path = self.folder / f"torch-{version}-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr("torch/version.py", f"__version__ = '{version}'\n")
            wheel.writestr(f"torch-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
            wheel.writestr(f"torch-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"torch-{version}.dist-info/RECORD", "")
        return path

    def test_torch_is_installed_by_pip_where_no_build_is_given(self):
        """The axis has plain versions. One version has no wheel."""
        versions = ["2.1", "2.2", "2.3", "2.4"]
        for version in ("2.1", "2.2", "2.4"):
            self.wheel(version)
        (self.folder / "torches.txt").write_text("\n".join(versions) + "\n")
        with unittest.mock.patch.dict(os.environ, ASSAY_PIP=f"--no-index --find-links {self.folder}"):
            found = self.bisect(2, torch=self.folder / "torches.txt", good="2.1", bad="2.4", build=None,
                                run='PYTHONPATH=$(echo "$ASSAY_PREFIX"/venv/lib/*/site-packages) && grep -q "2.[12]" "$PYTHONPATH/torch/version.py"')
        self.assertEqual(("2.2", "2.4", ["2.3"]), tuple(found["culprits"][0][name] for name in ("last_good", "first_bad", "unanswered")))

    def test_new_torch_with_old_backend_needs_both_axes(self):
        commits, versions = self.repository(), self.torches()
        run = f'{NUMBER}; ! {{ test "${{ASSAY_TORCH##*dev}}" -ge 17 && test $n -lt 90; }}'
        found = self.bisect(backend=self.folder / "backend", torch=self.folder / "torches.txt", run=run,
                            good=f"{commits[-1]},{versions[0]}", bad=f"{commits[0]},{versions[-1]}")
        self.assertEqual("backend and torch", found["needs"])
        self.assertEqual([("repaired by", commits[90]), ("broken by", "2.14.0.dev017")],
                         [(culprit["way"], culprit["revision"]) for culprit in found["culprits"]])

    def test_torch_alone_is_told_from_both(self):
        commits, versions = self.repository(), self.torches()
        found = self.bisect(backend=self.folder / "backend", torch=self.folder / "torches.txt",
                            run='test "${ASSAY_TORCH##*dev}" -lt 5', good=f"{commits[0]},{versions[0]}",
                            bad=f"{commits[-1]},{versions[-1]}")
        self.assertEqual(("torch", ["2.14.0.dev005"]),
                         (found["needs"], [culprit["revision"] for culprit in found["culprits"]]))

    def test_flaky_failure_is_repeated_and_found(self):
        """Of five runs of a bad revision, four fail, by the number of the run. A good revision never fails."""
        commits = self.repository()
        run = f'{NUMBER}; c="$ASSAY_PREFIX/runs"; echo x >> "$c"; k=$(wc -l < "$c"); test $n -lt 77 || test $((k % 5)) -eq 1'
        found = self.bisect(backend=self.folder / "backend", good=commits[0], bad=commits[-1], run=run)
        self.assertEqual(commits[77], found["culprits"][0]["revision"])
        self.assertGreater(found["runs"], 2 * found["builds"])

    def test_what_does_not_fail_again_is_not_reproducible(self):
        commits = self.repository()
        found = self.bisect(2, backend=self.folder / "backend", good=commits[0], bad=commits[-1], run="true")
        self.assertIn("not reproducible: the good end failed 0 of 5 times, the bad end 0 of 5", found["why"])

    def test_killed_bisection_goes_on_and_builds_nothing_twice(self):
        commits = self.repository()
        build = f'echo "$ASSAY_BACKEND" >> {self.folder}/built; {BUILD}'
        options = {"backend": self.folder / "backend", "good": commits[0], "bad": commits[-1], "build": build,
                   "run": f"{NUMBER}; test $n -lt 55"}
        chance, kills = random.Random(os.environ.get("ASSAY_SEED", "7")), 0
        while kills < KILLS:
            (self.folder / "built").write_text("")
            shutil.rmtree(self.folder / "state", ignore_errors=True)
            before, is_over = kills, False
            while not is_over and kills < KILLS:
                is_over = self.is_over_before(chance.uniform(0.1, 1), options)
                kills += not is_over
            found = self.bisect(**options)
            self.assertEqual(commits[55], found["culprits"][0]["revision"])
            built = (self.folder / "built").read_text().split()
            self.assertLessEqual(len(set(built)), steps.bound(REVISIONS - 2, 0, 0))
            # The point that was being built when the bisection was killed is built again.
            self.assertLessEqual(len(built) - len(set(built)), kills - before)
        again = self.bisect(**options)
        self.assertEqual((0, 0, found["culprits"]), (again["builds"], again["runs"], again["culprits"]))

    def is_over_before(self, seconds, options):
        """Kills a bisection and its builds after some seconds. Returns True if it ended before that."""
        process = subprocess.Popen(self.command(**options), stdout=subprocess.DEVNULL, start_new_session=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return True
        os.killpg(process.pid, 9)
        process.wait()
        return False

    def test_build_that_a_killed_bisection_left_is_waited_for(self):
        """Two builds in one tree would mix their files. Therefore a second bisection reports an error and does not
        wait."""
        commits, go = self.repository(), self.folder / "go"
        os.mkfifo(go)
        build = f"test -e {self.folder}/once || {{ touch {self.folder}/once; read -r _ < {go}; }}; {BUILD}"
        options = {"backend": self.folder / "backend", "good": commits[0], "bad": commits[9], "build": build, "run": f"{NUMBER}; test $n -lt 5"}
        first = subprocess.Popen(self.command(**options), stdout=subprocess.DEVNULL)
        with open(go, "w"):  # open() returns when the build reads
            self.assertIn("another bisection uses this folder", self.bisect(65, **options))
            first.kill()
            first.wait()
            second = subprocess.Popen(self.command(**options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertIn("waiting for the build that a killed bisection", second.stderr.readline())
            self.assertIsNone(second.poll())
        self.assertIn(commits[5], second.communicate()[0])

    def test_state_that_is_a_pipe_is_refused_at_once(self):
        commits, state = self.repository(), self.folder / "pipes"
        for name in ("lock", "answers.jsonl", "log.txt"):
            state.mkdir(exist_ok=True)
            os.mkfifo(state / name)
            said = self.bisect(65, backend=self.folder / "backend", good=commits[0], bad=commits[9], run="true", state=state)
            self.assertIn(f"{state / name}: is not a regular file", said)
            shutil.rmtree(state)

    def test_wrong_uses_are_refused_in_words(self):
        commits, repository = self.repository(), self.folder / "backend"
        self.torches()
        for status, words, options in (
                (64, "give --good", {"bad": "main", "backend": repository}),
                (64, "the axes to bisect", {"good": "a", "bad": "b"}),
                (64, "the checks that failed", {"good": "a", "bad": "b", "backend": repository}),
                (65, "there is no revision nowhere", {"good": "nowhere", "bad": "main", "backend": repository, "run": "true"}),
                (65, "expected 2 names", {"good": commits[0], "bad": "main", "backend": repository, "run": "true",
                                      "torch": self.folder / "torches.txt"}),
                (65, "must occur once", {"good": "2.0", "bad": "2.1", "torch": self.folder / "torches.txt", "run": "true"})):
            self.assertIn(words, self.bisect(status, **options))
        self.bisect(backend=repository, good=commits[0], bad=commits[9], run=f"{NUMBER}; test $n -lt 5")
        self.assertIn("belongs to another bisection",
                      self.bisect(65, backend=repository, good=commits[1], bad=commits[9], run=f"{NUMBER}; test $n -lt 5"))


if __name__ == "__main__":
    unittest.main()
