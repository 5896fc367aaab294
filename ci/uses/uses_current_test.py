# SPDX-License-Identifier: BSD-3-Clause
"""The stored files of uses say what the backends of this tree use: Python whole, of C++ what a search sees.

All of C++ takes minutes to read: `ci/uses/update.py --check` does it, in ci/full.
"""

import json
import re
import unittest
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
from assay.uses.command import read_python, skipped
from assay.uses.entries import Entries
from assay.uses.file import read_uses
from update import BACKENDS, meaning

INCLUDE = re.compile(r"^#include <((?:ATen|c10|torch)/[^>]+)>", re.MULTILINE)
HEADERS = ("header:ATen/", "header:c10/", "header:torch/")
SUFFIXES = {".cc", ".h"}


def sources(name, suffixes):
    for folder in BACKENDS[name]:
        for path in sorted((ROOT / folder).rglob("*")) or [ROOT / folder]:
            if path.suffix in suffixes and not skipped(path.relative_to(ROOT / folder).parts[:-1]):
                yield path


class Current(unittest.TestCase):
    def each(self):
        return [(name, read_uses(ROOT / f"ci/uses/{name}.json")) for name in BACKENDS]

    def test_python_is_what_was_read(self):
        for name, stored in self.each():
            entries = Entries(str(ROOT))
            files = [path for path in sources(name, {".py"}) if not fnmatch(path.name, "*_defects.py")
                     and not fnmatch(path.name, "*_test.py")]
            self.assertEqual(read_python(files, entries), [])
            made = meaning({"entries": entries.to_json()})
            kept = {id: said for id, said in meaning(stored).items() if id.startswith("py:")}
            made = {id: said for id, said in made.items() if id.startswith("py:")}
            self.assertEqual(kept, made, f"run ci/uses/update.py {name}")

    def test_headers_are_those_included(self):
        for name, stored in self.each():
            included = {header for path in sources(name, SUFFIXES)
                        for header in INCLUDE.findall(path.read_text(encoding="utf-8"))}
            kept = {entry["id"][7:] for entry in stored["entries"] if entry["id"].startswith(HEADERS)}
            self.assertEqual(included, kept, f"run ci/uses/update.py {name}")

    def test_files_fit_the_schema(self):
        import jsonschema

        schema = json.loads((ROOT / "reports/schema/uses.schema.json").read_text(encoding="utf-8"))
        for _, stored in self.each():
            jsonschema.validate(stored, schema)

    def test_files_are_small(self):
        for name, _ in self.each():
            self.assertLess((ROOT / f"ci/uses/{name}.json").stat().st_size, 250_000, name)


if __name__ == "__main__":
    unittest.main()
