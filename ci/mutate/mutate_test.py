# SPDX-License-Identifier: BSD-3-Clause
"""Tests mutations of small examples: their list, that each compiles and has the right effect, and how they are drawn
and counted."""

import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

import c_points
import c_schemata
import campaign
import deep_suite
import draw
import mutation
import python_points
import python_schemata
import score
import themes
import variant

ROOT = Path(__file__).resolve().parents[2]
DEVICE = Path(__file__).parent / "device"
TOY_C = b"""\
#include <pthread.h>
static pthread_mutex_t mutex;
#define FD_ROW(name, T, U, value) static T name(T x) { return (value); }
FD_ROW(negate, int, int, -x)

int work(int count, int limit)
{
    int sum = 0;
    (void)pthread_mutex_lock(&mutex);
    for (int i = 0; i < count; i++)
        sum += i;
    (void)pthread_mutex_unlock(&mutex);
    if (sum > limit && fd_fault("toy"))
        return -1;
    if (sum > limit)
        return -1;
    return negate(sum);
}
"""
PROGRAM = b"""\
#include <stdio.h>
#include <stdlib.h>
int fd_fault(const char *name) { return name == 0; }
#include "toy.c"
int main(int count, char **words)
{
    (void)count;
    if (assay_mutant_arm(atoi(words[1])) != 0)
        return 2;
    printf("%d %d", work(4, 10), work(9, 10));
    for (int i = 1; i < 100; i++)
        if (assay_mutant_was_reached(i)) printf(" %d", i);
    return pthread_mutex_trylock(&mutex) != 0;
}
"""
TOY_PYTHON = '''\
"""A toy."""
import threading
lock = threading.Lock()


def work(count, limit=10, *, down=True):
    with lock:
        total = sum(range(count))
    if total > limit:
        raise ValueError(f"{total + 1} is too much")
    return -total if down else total
'''
CALLS = """\
#include <mutex>
std::mutex mutex;
void work(at::Tensor &self, const at::Tensor &other)
{
    const std::lock_guard<std::mutex> lock(mutex);
    TORCH_CHECK(self.defined() || other.defined(), "no tensor of ", 2);
    m.impl("add", add);
    start(self, other);
}
"""


def numbered(mutations):
    for number, one in enumerate(mutations, 1):
        one.number = number
    return mutations


def changes(mutations):
    return {(one.function, one.rule, one.original, one.mutated) for one in mutations}


# A class to which a bool converts implicitly, as to c10's optional lists.
NO_BOOL = b"""
struct maybe {
    maybe(bool) {}
    explicit operator bool() const { return true; }
    bool none() const { return false; }
};
int chosen(const maybe &one)
{
    if (one && one.none())
        return 1;
    return 0;
}
"""


class OfC(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mutations = numbered(c_points.points("fake_device/driver/toy.c", TOY_C))

    def test_each_rule_finds_its_places_and_none_in_an_instrument(self):
        found = changes(self.mutations)
        for one in (
            ("work", "relational", "i < count", "i <= count"), ("work", "bound", "count", "(count) - 1"),
            ("work", "constant", "0", "1"), ("work", "arithmetic", "sum += i", "sum -= i"),
            ("work", "error path", "return -1;", ""), ("work", "condition", "sum > limit", "!(sum > limit)"),
            ("work", "lock", "(void)pthread_mutex_lock(&mutex);", ""), ("FD_ROW(negate)", "arithmetic", "-x", "x"),
        ):  # fmt: skip
            self.assertIn(one, found)
        self.assertFalse([one for one in self.mutations if "fd_fault" in one.original])
        self.assertEqual(len([one for one in self.mutations if one.rule == "lock"]), 1, "both calls are one")

    def test_calls_of_cc_are_told_apart_and_words_of_a_message_are_left(self):
        found = changes(c_points.points("fake_device/integration/toy.cc", CALLS.encode()))
        rules = {(rule, original.split("(")[0]) for _, rule, original, _ in found}
        for one in (("error path", "TORCH_CHECK"), ("registration", "m.impl"), ("call", "start"), ("argument", "start"),
                    ("lock", "const std::lock_guard<std::mutex> lock")):  # fmt: skip
            self.assertIn(one, rules)
        self.assertNotIn("2", {original for _, _, original, _ in found})

    def test_a_dropped_side_that_is_no_bool_changes_nothing_while_it_is_off(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            points = numbered(c_points.points("fake_device/integration/toy.cc", NO_BOOL))
            self.assertIn(("chosen", "condition", "one && one.none()", "one"), changes(points))
            (folder / "toy.cc").write_bytes(c_schemata.write(NO_BOOL, points) + b"int main() { return chosen(false); }\n")
            subprocess.run(["cc", "-w", "-D_GNU_SOURCE", "-DFAKEDEV_STATIC", f"-I{DEVICE}", f"-I{ROOT}/fake_device/driver/include",
                            "-c", "-o", folder / "switch.o", DEVICE / "assay_mutant.c"], check=True)  # fmt: skip
            subprocess.run(["c++", "-w", "-DFAKEDEV_STATIC", f"-I{DEVICE}", f"-I{ROOT}/fake_device/driver/include", "-o", folder / "toy",
                            folder / "toy.cc", folder / "switch.o"], check=True)  # fmt: skip
            self.assertEqual(subprocess.run([folder / "toy"]).returncode, 0)

    def test_each_is_compiled_in_and_one_at_a_time_is_on(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "toy.c").write_bytes(c_schemata.write(TOY_C, self.mutations))
            (folder / "main.c").write_bytes(PROGRAM)
            subprocess.run(
                ["cc", "-w", "-D_GNU_SOURCE", "-DFAKEDEV_STATIC", f"-I{DEVICE}", f"-I{ROOT}/fake_device/driver/include",
                 "-o", folder / "toy", folder / "main.c", DEVICE / "assay_mutant.c"], check=True,
            )  # fmt: skip

            def run(number):
                done = subprocess.run([folder / "toy", str(number)], capture_output=True, text=True, timeout=60)
                first, second, *reached = map(int, done.stdout.split() or (0, 0))
                return (first, second, done.returncode), set(reached)

            plain, reached = run(0)
            self.assertEqual(plain, (-6, -1, 0))
            wanted = {
                ("i < count", "i <= count"): (-10, -1, 0), ("count", "(count) - 1"): (-3, -1, 0),
                ("-x", "x"): (6, -1, 0), ("sum += i", "sum -= i"): (6, 36, 0), ("return -1;", ""): (-6, -36, 0),
                ("(void)pthread_mutex_lock(&mutex);", ""): (-6, -1, 0),
            }  # fmt: skip
            for one in self.mutations:
                if (one.original, one.mutated) in wanted:
                    self.assertEqual(run(one.number)[0], wanted[one.original, one.mutated], one.key)
                    self.assertIn(one.number, reached)

            of = {one.original: one.number for one in self.mutations if one.mutated in ("x", "sum -= i")}
            (folder / "groups.txt").write_text(f"7000 1\n7001 {of['-x']} {of['sum += i']}\n")
            with unittest.mock.patch.dict(os.environ, ASSAY_MUTANT_GROUPS=str(folder / "groups.txt")):
                self.assertEqual(run(7001)[0], (-6, -36, 0))
                self.assertEqual(run(7002)[0][2], 2)

    def test_a_line_of_the_written_file_names_its_mutation(self):
        text = c_schemata.write(TOY_C, self.mutations)
        lines = c_schemata.numbers_by_line(text)
        for one in self.mutations:
            self.assertIn(one.number, sum(lines.values(), []))
        self.assertTrue(all(len(numbers) == 1 for numbers in lines.values()))


class OfPython(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mutations = numbered(python_points.points("fake_device/torch_fakedev/toy.py", TOY_PYTHON))

    def work(self, number):
        """The result of the example while the mutant is active, and the mutants that it reached."""
        asked = set()
        module = types.ModuleType("toy._assay_mutant")
        module.is_on = lambda other: asked.add(other) or other == number
        with unittest.mock.patch.dict(sys.modules, {"toy": types.ModuleType("toy"), "toy._assay_mutant": module}):
            names = {"__package__": "toy", "__name__": "toy"}
            exec(compile(python_schemata.write(TOY_PYTHON, self.mutations), "toy", "exec"), names)
            try:
                return (names["work"](4), names["work"](5, down=False), names["work"](7)), asked
            except ValueError:
                return ("raised", names["work"](4), names["work"](3, down=False)), asked

    def test_each_is_written_in_and_one_at_a_time_is_on(self):
        plain, asked = self.work(0)
        self.assertEqual(plain, ("raised", -6, 3))
        wanted = {
            ("error path", ""): (-6, 10, -21), ("relational", "total >= limit"): ("raised", -6, 3),
            ("condition", "not total > limit"): None, ("lock", "__import__('contextlib').nullcontext()"): plain,
            ("condition", "not down"): ("raised", 6, -3), ("constant", "11"): plain,
        }  # fmt: skip
        seen = {(one.rule, one.mutated): one.number for one in self.mutations}
        for change, expected in wanted.items():
            self.assertIn(change, seen)
            if expected:
                self.assertEqual(self.work(seen[change])[0], expected, change)
        self.assertFalse([one for one in self.mutations if one.original.endswith("+ 1")], "the words of a message")
        self.assertIn(seen["error path", ""], asked)


class Draw(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mutations = list(draw.points(ROOT))

    def keys(self, seed, count=40):
        return [one.key for one in draw.sample(self.mutations, seed, count)]

    def test_a_seed_is_a_draw_and_each_key_and_place_is_there_once(self):
        self.assertEqual(self.keys("a"), self.keys("a"))
        self.assertNotEqual(self.keys("a"), self.keys("b"))
        self.assertEqual(len({one.key for one in self.mutations}), len(self.mutations))
        drawn = draw.drawn(self.mutations, "a")
        self.assertEqual(len({one.place for one in drawn}), len(drawn))

    def test_a_larger_sample_holds_the_smaller_one(self):
        self.assertLessEqual(set(self.keys("a", 20)), set(self.keys("a", 60)))

    def test_parts_have_their_shares_and_every_file_a_theme(self):
        sample = draw.sample(self.mutations, "a", 100)
        parts = [themes.row_of(one.file)[0] for one in sample]
        self.assertEqual({part: parts.count(part) for part in themes.PARTS},
                         {"integration": 55, "kernels": 25, "driver": 15, "apart": 5})
        with self.assertRaises(LookupError):
            themes.row_of("fake_device/driver/of_tomorrow.c")

    def test_the_seed_is_the_last_commit_to_what_is_measured(self):
        last = subprocess.run(["git", "rev-list", "-1", "HEAD", "suites", "harness"], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(draw.seed_of(ROOT), last.stdout.strip())


class Order(unittest.TestCase):
    def test_what_is_there_of_a_campaign_that_was_cut_off_is_a_sample_of_all_parts(self):
        arguments = types.SimpleNamespace(count=100, only=None, out="nowhere", seed="a", keys=None)
        made = campaign.Campaign(arguments)
        chosen = made.chosen(draw.sample(list(draw.points(ROOT)), "a", 100, 1.5))
        self.assertEqual(len(chosen), 100)
        parts = [themes.row_of(one.file)[0] for one in chosen[:40]]
        self.assertEqual({part: parts.count(part) for part in themes.PARTS},
                         {"integration": 22, "kernels": 10, "driver": 6, "apart": 2})
        made.only = ["kernels"]
        self.assertEqual(len(made.chosen(draw.sample(list(draw.points(ROOT)), "a", 100))), 25)


    def test_a_new_folder_holds_all_that_a_list_names_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            named = draw.sample(list(draw.points(ROOT)), "a", 100)[::20]
            Path(folder, "list").write_text("".join(f"{one.key}\tc\tbecause\n" for one in named))
            arguments = types.SimpleNamespace(count=600, only=None, out=f"{folder}/out", seed=None, keys=f"{folder}/list")
            made = campaign.Campaign(arguments)
            with unittest.mock.patch.object(variant.Variant, "make", lambda _, sample, tell: sample):
                self.assertEqual({one.key for one in made.chosen(made.mutations())}, {one.key for one in named})
            made.arguments.keys = None
            with self.assertRaisesRegex(SystemExit, "contains another draw: a list"):
                made.mutations()


class Build(unittest.TestCase):
    def test_what_the_compiler_refuses_is_found_by_the_lines_of_its_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            made = variant.Variant(folder, folder)
            file = "fake_device/integration/toy.cc"
            mutations = [one for one in c_points.points(file, CALLS.encode()) if one.rule != "lock"]
            for one in numbered(mutations):
                one.file = file
            text = c_schemata.write(CALLS.encode(), mutations)
            variant.put(made.tree / file, text)
            lines = {numbers[0]: line for line, numbers in c_schemata.numbers_by_line(text).items()}
            said = (f"[1/2] x\nFAILED: x.o \nc++ -c x\n{made.tree / file}:{lines[2]}:3: error: no\n"
                    f"../{file}:{lines[3]}:3: note: as here\n[2/2] y\nFAILED: y.o\n/usr/y.h:3:1: error: no\n")  # fmt: skip
            self.assertEqual(made.refused(said, mutations), {2})
            self.assertEqual(made.refused(said.replace("error: no\n", "note: no\n"), mutations), {2, 3})
            nowhere = f"FAILED: x.o\n{made.tree / file}:1:1: error: no\n"
            self.assertEqual(made.refused(nowhere, mutations), {one.number for one in mutations})


class Deep(unittest.TestCase):
    def test_the_suite_has_a_check_for_each_operator_and_dtype_that_it_takes(self):
        with tempfile.TemporaryDirectory() as name:
            deep_suite.write(Path(name), {"add": {"float32", "int64"}, "nn_functional_gelu": {"float32"}}, ["float32", "int64", "bool"])
            written = (Path(name) / "contract.yaml").read_text()
            listed = [line.split("id: ")[1].split(",")[0] for line in written.splitlines() if "covers" in line]
            self.assertEqual(listed, ["deep.add_float32", "deep.add_int64", "deep.nn_functional_gelu_float32"])
            compile((Path(name) / "test_deep.py").read_text(), "test_deep.py", "exec")


class Score(unittest.TestCase):
    def rows(self, *verdicts):
        return [{"verdict": verdict, "key": f"fake_device/driver/arithmetic/arith.c\tf\tcall\tx{number} -> \t0", "number": number,
                 "file": "fake_device/driver/arithmetic/arith.c", "line": 3, "rule": "call"}
                for number, verdict in enumerate(verdicts)]  # fmt: skip

    def test_equivalents_leave_the_adjusted_count_and_the_undecided_both(self):
        rows = self.rows("killed", "killed", "survived", "survived", "unreached", "undecided")
        known = {rows[2]["key"]: ["same"], rows[0]["key"]: ["not so"]}, {rows[3]["key"]}
        count = score.counts_by(rows, lambda _: "", known)[""]
        self.assertEqual((count.raw, count.adjusted, count.equivalent), (40.0, 50.0, 1))
        self.assertEqual((count.legal, round(count.of_wrong)), (1, 67))
        said = "\n".join(score.tables(rows, ({}, {})))
        self.assertIn("kernels of the driver", said)
        self.assertIn("driver/arithmetic/arith.c", said)

    def test_survivors_are_listed_with_what_is_known_of_them(self):
        rows = self.rows("killed", "survived", "survived", "unreached")
        lines = list(score.survivors_of(rows, {rows[1]["key"]: ["same"]}, {rows[2]["key"]: ["c", "ask the edge"]}))
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith("(c) values:") and lines[0].endswith("ask the edge"), lines)
        self.assertTrue(lines[1].startswith("(?)"), lines)

    def test_the_lists_of_this_tree_have_reasons_and_a_class_and_name_what_is_there(self):
        known = {one.key for one in draw.points(ROOT)}
        for listed in score.read_known():
            self.assertEqual([key for key in listed if key not in known], [])

    def test_a_line_without_a_reason_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("equivalent.tsv", "survivors.tsv"):
                (Path(folder) / name).write_text("")
            for name, wanted in (("a", "class"), ("e", "on no ground")):
                (Path(folder) / "survivors.tsv").write_text(f"f\tg\tcall\tx ->\t0\t{name}\twhy\n")
                with self.assertRaisesRegex(ValueError, wanted):
                    score.read_known(Path(folder))
            (Path(folder) / "equivalent.tsv").write_text("f\tg\tcall\tx ->\t0\n")
            with self.assertRaisesRegex(ValueError, "no reason"):
                score.read_known(Path(folder))


if __name__ == "__main__":
    unittest.main()
