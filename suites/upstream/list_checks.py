# SPDX-License-Identifier: BSD-3-Clause
"""Lists the device-generic tests of a folder as checks. This program also writes the result of each file, beside the
list.

Arguments: the folder, and the selection of the run. The backend is loaded first, because the test files query the
backend while they are imported. Started by harness/session/listing.c.
"""

import contextlib
import json
import os
import sys
from collections import Counter
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

from assay.host import listing, load_steps
from suites.upstream import device_tests, vendor_lists

SECONDS = 60
COVERS = ["UPS-001"]


def load(steps):
    import torch
    from assay.operators import torch_testing

    torch_testing.prepare()  # a load step may import PyTorch's test machinery
    for kind, argument, extra in steps:
        load_steps.run(kind, argument, extra)
    return torch._C._get_privateuse1_backend_name()


def checks_of(file, path, device_name, told, names):
    """The checks of one file. `told` gets the number of checks, or the reason why there are no checks. `names` gets the
    names of the tests in the file."""
    why = device_tests.why_not_generic(path)
    if why:
        told[file] = why
        return
    try:
        tests = device_tests.tests_of(device_tests.import_file(path), file, device_name)
    except device_tests.NotDeviceGeneric as refusal:
        told[file] = str(refusal)
        return
    except device_tests.Refused as refusal:
        told[file] = str(refusal)
        identity = device_tests.import_id(file)
        yield check(identity, f"The file {path.name} of PyTorch's tests can be imported.")
        return
    told[file] = len(tests)
    names += [(test.id, test.generic) for test in tests]
    for test in tests:
        yield check(test.id, f"{test.case.__name__}.{test.method} of {path.name} passes.")


def check(identity, summary):
    return {"id": identity, "covers": COVERS, "summary": summary, "timeout": SECONDS, "second_look": "yes"}


def list_checks(arguments, steps):
    folder, selection = (*arguments, "")[:2]
    told, names, seen = {}, [], Counter()
    with contextlib.redirect_stdout(sys.stderr):
        try:
            files = device_tests.wanted_files(folder, selection)
            device_name = load(steps)
            left_out = device_tests.announce(device_name)
        except device_tests.Refused as refusal:
            raise listing.Refusal(f"--upstream: {refusal}") from refusal
        except OSError as error:
            raise listing.Refusal(f"--upstream: cannot read {str(error.filename)[:200]}: {error.strerror}") from error
        for file, path in files.items():
            for one in checks_of(file, path, device_name, told, names):
                seen[one["id"]] += 1
                if seen[one["id"]] == 1:
                    yield one
    if not seen:
        raise listing.Refusal(_nothing(folder, told))
    listed = vendor_lists.meant(left_out, names)
    beside = Path(sys.argv[2]).with_name("upstream_files.json")
    text = json.dumps({"schema": "assay/upstream-files/1", "files": told, "left_out": listed}, indent=1)
    beside.write_text(text + "\n")


def _nothing(folder, told):
    first = next(iter(told.items()), None)
    example = f": {first[0]}.py, for example, {first[1]}" if first else ""
    return f"--upstream: {folder} has no test for a PrivateUse1 backend{example}"


if __name__ == "__main__":
    listing.serve("upstream", "test_upstream.py", list_checks)
