# SPDX-License-Identifier: BSD-3-Clause
"""Tests the sweep on the fake device without a fault: it must find no wrong result, and refusals only of the operators
in clean_device.tsv.

By default this tests the operators of that list. With ASSAY_FULL=1, this file tests all operators in four dtypes, which
takes minutes.
"""

import csv
import fnmatch
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ["ASSAY_BUILD"])
DTYPES = "float32,complex64,int64,bool"


def listed():
    with open(HERE / "clean_device.tsv", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def asked(*words):
    """The rows of ops.json, one for each aspect."""
    with tempfile.TemporaryDirectory(prefix="assay-ops-") as room:
        path = Path(room, "ops.json")
        said = subprocess.run([BUILD / "bin/assay", "ops", "--target", "fakedev", "--dtypes", DTYPES, "--timeout-scale", "3",
                               "--out", Path(room, "run"), "--format", "json", "--output", path, *words],
                              capture_output=True, text=True)
        if not path.is_file():
            raise AssertionError(said.stdout + said.stderr)
        return json.loads(path.read_text())


def told(row):
    return f"{row['name']} {row['dtype']} {row['aspect']}: {row['seen']}"


def is_listed(row, lines):
    return any(row["name"] == line["operator"] and row["seen"].startswith(line["lacks"] + ":") and
               any(fnmatch.fnmatch(row["dtype"], dtype) for dtype in line["dtypes"].split(",")) for line in lines)


class Clean(unittest.TestCase):
    maxDiff = None

    def hold(self, page):
        lines = listed()
        counts = {name: page["totals"][name] for name in ("wrong", "ended", "undecided")}
        troubles = [told(row) for row in page["operators"] if row["where"] in ("wrong", "ended", "undecided")
                    and row["verdict"] != "right"]
        self.assertEqual(counts, dict(wrong=0, ended=0, undecided=0), troubles)
        refused = [row for row in page["operators"] if row["verdict"] == "refused"]
        self.assertEqual([told(row) for row in refused if not is_listed(row, lines)], [])
        self.assertEqual([line["operator"] for line in lines if not any(is_listed(row, [line]) for row in refused)], [])

    @unittest.skipIf("ASSAY_FULL" in os.environ, "all are asked")
    def test_what_is_listed_is_refused_and_nothing_of_it_is_wrong(self):
        self.hold(asked("--select", ",".join(line["operator"] for line in listed())))

    @unittest.skipUnless("ASSAY_FULL" in os.environ, "takes minutes")
    def test_of_all_operators_nothing_is_wrong_and_only_what_is_listed_is_refused(self):
        page = asked()
        self.hold(page)
        print(json.dumps(page["totals"]))


if __name__ == "__main__":
    unittest.main()
