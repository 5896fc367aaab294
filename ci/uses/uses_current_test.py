# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the stored file of uses is up to date: all Python uses, and the C++ uses that a text search finds.

Reading all C++ takes minutes; `ci/uses/update.py --check` in ci/full does it.
"""

import json
import re
import unittest
from fnmatch import fnmatch
from pathlib import Path

import jsonschema
from assay.uses.command import read_python, skipped
from assay.uses.entries import Entries
from assay.uses.file import read_uses
from update import BACKENDS, STORED, meaning

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r"^#include <((?:ATen|c10|torch)/[^>]+)>", re.MULTILINE)
HEADERS = ("header:ATen/", "header:c10/", "header:torch/")
AGAIN = "run ci/uses/update.py"
FILE = ROOT / f"ci/uses/{STORED}.json"


def sources(*suffixes):
    for folder in BACKENDS[STORED]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and not skipped(path.relative_to(ROOT / folder).parts[:-1]):
                yield path


class Current(unittest.TestCase):
    def test_python_is_what_was_read(self):
        entries = Entries(str(ROOT))
        files = [path for path in sources(".py") if not fnmatch(path.name, "*_test.py")]
        self.assertEqual(read_python(files, entries), [])
        kept, made = ({id: said for id, said in meaning(document).items() if id.startswith("py:")}
                      for document in (read_uses(FILE), {"entries": entries.to_json()}))
        self.assertEqual(kept, made, AGAIN)

    def test_headers_are_those_included(self):
        included = {header for path in sources(".cc", ".h") for header in INCLUDE.findall(path.read_text(encoding="utf-8"))}
        kept = {entry["id"][7:] for entry in read_uses(FILE)["entries"] if entry["id"].startswith(HEADERS)}
        self.assertEqual(included, kept, AGAIN)

    def test_file_fits_the_schema(self):
        schema = json.loads((ROOT / "reports/schema/uses.schema.json").read_text(encoding="utf-8"))
        jsonschema.validate(read_uses(FILE), schema)


if __name__ == "__main__":
    unittest.main()
