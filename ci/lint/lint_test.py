# SPDX-License-Identifier: BSD-3-Clause
"""Applies every rule of rules.py to the tree, and shows that rules can fail."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import documents
import layers
import rules


def is_shell(path):
    """True for a shell script. The first line decides, because most scripts have no suffix."""
    with path.open("rb") as file:
        first = file.readline(80)
    return path.suffix == ".sh" or re.match(rb"#!\S*/(env )?(ba|da)?sh\b", first) is not None


def imports_of(folder):
    """Runs import-linter on the package assay in that folder."""
    tool = Path(sys.executable).parent / "lint-imports"
    if not tool.exists():
        raise unittest.SkipTest("import-linter is not in this environment: ci/setup installs it")
    return subprocess.run([tool, "--no-cache", "--config", rules.ROOT / "pyproject.toml"], env={**os.environ, "PYTHONPATH": str(folder)},
                          capture_output=True, text=True)


class Tree(unittest.TestCase):
    def test_tree_keeps_every_rule(self):
        files = rules.tracked()
        for rule in rules.RULES:
            with self.subTest(rule.__name__):
                self.assertEqual([], list(rule(files)))

    def test_python_packages_import_only_what_is_below_them(self):
        self.assertEqual(0, imports_of(rules.ROOT / "harness/python").returncode, "run lint-imports: see harness/python/assay/README.md")

    def test_import_of_what_is_above_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(rules.ROOT / "harness/python/assay", Path(folder, "assay"))
            with open(Path(folder, "assay/values/tables.py"), "a", encoding="utf-8") as file:
                file.write("\n\nfrom assay.watcher import mode\n")
            said = imports_of(folder)
            self.assertEqual(1, said.returncode, said.stdout)
            self.assertIn("assay.values is not allowed to import assay.watcher", said.stdout)

    def test_c_sources_are_formatted(self):
        tool = Path(sys.executable).parent / "clang-format"
        if not tool.exists():
            self.skipTest("clang-format is not in this environment")
        sources = [str(p) for p in rules.c_files(rules.tracked()) if "/testdata/" not in str(p)]
        run = subprocess.run(
            [tool, "--dry-run", "-Werror", *sources], capture_output=True, text=True, check=False
        )
        self.assertEqual(0, run.returncode, "run ci/lint/format\n" + run.stderr[:2000])

    def test_scripts_pass_shellcheck(self):
        if not shutil.which("shellcheck"):
            self.skipTest("shellcheck is not installed")
        scripts = [str(path) for path in rules.tracked() if is_shell(path)]
        self.assertGreater(len(scripts), 8)
        run = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True, check=False)
        self.assertEqual("", run.stdout)


class RulesCanFail(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=rules.ROOT, prefix=".lint-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def broken(self, rule, text, name="sample.c"):
        path = self.folder / name
        path.write_text(text)
        return list(rule([path]))

    def test_a_circle_of_calls_is_seen_through_a_shared_header(self):
        head = "/* SPDX */\n#include \"all.h\"\n"
        sources = {
            "judge": f"{head}void judge(void)\n{{\n    stop();\n}}\n",
            "stop": f"{head}void stop(void)\n{{\n    tell();\n}}\n",
            "tell": f"{head}static void one(void)\n{{\n}}\n\nvoid tell(void)\n{{\n    judge();\n}}\n",
        }
        for name, text in sources.items():
            (self.folder / f"{name}.c").write_text(text)
        files = [self.folder / f"{name}.c" for name in sources]
        (said,) = rules.no_files_call_in_a_circle(files)
        self.assertIn("judge, stop, tell", said)
        (self.folder / "tell.c").write_text(sources["tell"].replace("judge();", "/* judge() */"))
        self.assertEqual(list(rules.no_files_call_in_a_circle(files)), [])

    def test_a_name_of_two_files_that_are_compiled_together_is_seen(self):
        text = "// SPDX\nnamespace\n{\n\nint fits(int one)\n{\n    return one;\n}\n\n} // namespace\n"
        for name, said in (("one.cc", text), ("other.cc", text), ("third.cc", text.replace("fits", "fits_too"))):
            (self.folder / name).write_text(said)
        files = [self.folder / name for name in ("one.cc", "other.cc", "third.cc")]
        before, rules.TOGETHER = rules.TOGETHER, (rules.place(self.folder),)
        self.addCleanup(setattr, rules, "TOGETHER", before)
        (said,) = rules.files_that_are_compiled_together_share_no_name(files)
        self.assertIn("one.cc has a fits of its own", said)

    def test_a_blank_line_counts_only_after_leading_declarations(self):
        def said(*body, head="static int f(void)"):
            text = "\n".join((head, "{", *body, "}", ""))
            return self.broken(rules.no_blank_line_follows_the_declarations, text)

        for declaration in ("int one = 2;", "struct foo *it;", "static const char *const words[] = {\"//\",\n    \"b\"};",
                            "std::lock_guard<std::mutex> lock(all);", "const auto &[key, value] = *pair; /* why */"):  # fmt: skip
            self.assertEqual(1, len(said("    /* why */", f"    {declaration}", "", "    g();")), declaration)
        for statement in ("g();", "one = 2;", "return one;", "out << one;", "if (one)\n        g();", "this->value = one;"):
            self.assertEqual([], said(f"    {statement}", "", "    g();"), statement)
            self.assertEqual([], said("    int one;", f"    {statement}", "", "    g();"), statement)
        self.assertEqual([], said("    int one;", "", "    int other;", head="struct foo"))

    def test_each_rule_sees_its_violation(self):
        samples = {
            rules.every_source_names_its_licence: "int x;\n",
            rules.outside_headers_stay_home: "#include <yaml.h>\n",
            rules.pointers_are_tested_bare: "int f(char *a) { return a == NULL ? 1 : 0; }\n",
            rules.no_banned_function: "void f(char *a) { strcpy(a, a); }\n",
            rules.nothing_waits_by_sleeping: "void f(void) { sleep(1); }\n",
            rules.expectations_stand_alone: 'void f(void) { expect_int(check, 1, 1, "and stays"); }\n',
            rules.comments_begin_with_a_noun_or_a_verb: "/* What it is. */\nint x; /* whatever */\n",
            rules.files_are_small_and_have_plain_names: " " * (1 << 21),
        }
        for rule, text in samples.items():
            with self.subTest(rule.__name__):
                self.assertEqual(1, len(self.broken(rule, text)))

    def test_markdown_that_names_nothing_is_seen(self):
        texts = {"a/README.md": "[b](../b.md#two-words) `c.h` `d_<name>.c`\n```\n[x](y) `y.h`\n```\n", "b.md": "## `Two` words\n"}
        known = {"a/README.md", "b.md", "a/c.h", "a/d_1.c"}
        seen = lambda known: [  # noqa: E731
            *documents.dead_links("a/README.md", texts["a/README.md"], texts, known),
            *documents.missing_files("a/README.md", texts["a/README.md"], known),
        ]
        self.assertEqual([], seen(known))
        self.assertEqual(3, len(seen({"a/README.md"})))
        texts["b.md"] = "## Other\n"
        self.assertEqual(["a/README.md:1: b.md has no heading #two-words"], seen(known))

    def test_markdown_that_is_too_long_is_seen(self):
        short, long = "word " * documents.WORDS_OF_TOP, "word " * (documents.WORDS - documents.WORDS_OF_TOP)
        self.assertEqual([], list(documents.too_long({"README.md": short, "other.md": long})))
        self.assertEqual(2, len(list(documents.too_long({"README.md": short + "more", "other.md": long}))))

    def test_include_of_what_is_above_is_seen(self):
        rows = layers.table("| `harness/low` | | |\n| `harness/high` | `harness/low` | |\n")
        sources = {"harness/low/low.h": "", "harness/high/high.h": '#include "low.h"\n'}
        self.assertEqual([], list(layers.violations(sources, rows)))
        sources["harness/low/low.c"] = '#include "high.h"\n#include <stdio.h>\n'
        self.assertEqual([("harness/low/low.c", "high.h", "harness/high")], list(layers.violations(sources, rows)))

    def test_table_that_looks_upwards_is_refused(self):
        rows = layers.table("| `harness/low` | `harness/high` | |\n| `harness/high` | | |\n")
        self.assertEqual(["harness/low must not include harness/high: its row comes later"], list(layers.circles(rows)))

    def test_worked_example_with_a_fault_is_seen(self):
        """This rule depends on the path, so its sample has its own folder."""
        sample = rules.ROOT / "fake_device" / "integration" / ".lint-sample.cc"
        self.addCleanup(sample.unlink)
        sample.write_text("int x = default_device();\nint y = armed(0);\n/* a fault */\n")
        self.assertEqual(2, len(list(rules.worked_example_is_clean([sample]))))

    def test_name_of_a_backend_in_the_harness_is_seen(self):
        """This rule also depends on the path. A comment may name a backend as an example."""
        sample = rules.ROOT / "harness" / "session" / ".lint-sample.c"
        self.addCleanup(sample.unlink)
        sample.write_text('/* "fakedev" */\nconst char *target = "fakedev";\n')
        self.assertEqual(1, len(list(rules.harness_knows_no_backend([sample]))))

    def test_release_of_torch_in_a_program_is_seen_and_in_words_it_is_not(self):
        rule = rules.no_program_names_a_release_of_torch
        for name, text in (("a.py", 'X = "2.13.0"\n'), ("a", "#!/bin/sh\npip install torch==2.12\n"), ("a.yml", "torch: [2.11.0]\n")):
            self.assertEqual(1, len(self.broken(rule, text, name)), name)
        for name, text in (("a.py", '"""Since 2.13."""\n'), ("a", "#!/bin/sh\n# until 2.12\n"), ("a.c", "/* 2.11 */\n"), ("a.md", "2.13.0\n")):
            self.assertEqual([], self.broken(rule, text, name), name)

    def test_change_of_the_path_is_seen_and_a_look_at_it_is_not(self):
        rule = rules.path_is_set_by_whoever_starts_python
        for text in ('sys.path.insert(0, "x")\n', 'sys.path[:0] = ["x"]\n', "del sys.path[0]\n", "sys.path = []\n"):
            self.assertEqual(1, len(self.broken(rule, text, "a.py")), text)
        self.assertEqual([], self.broken(rule, "own = [one for one in sys.path if sys.path[0] == one]\n", "a.py"))

    def test_banned_names_in_comments_are_no_finding(self):
        self.assertEqual([], self.broken(rules.no_banned_function, "/* not strcpy(a, b) */\n"))


if __name__ == "__main__":
    unittest.main()
