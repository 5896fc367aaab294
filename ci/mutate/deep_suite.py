# SPDX-License-Identifier: BSD-3-Clause
"""Presents `assay ops --deep` as a suite for a proof: one check for each operator and dtype, in a folder for
`--suite`. A proof then records what each check reaches, and runs only the checks that reach a mutated kernel.
Operators that fall back to the CPU are left out, because they reach no kernel except copies. Run as a program, this
module writes the folder. Only the target's interpreter knows the kernels of the device."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
MODULE = "deep"
CONTRACT = """\
module: {name: deep, prefix: DEEP, title: Operators asked in depth}
requirements:
  - {id: DEEP-001, level: must, text: What the device gives is what the CPU gives., why: Users get wrong numbers., anchor: operators.h:all}
checks:
"""
CHECK = "  - {{id: {module}.{check}, covers: [DEEP-001], summary: {name} {dtype}, timeout: 480}}\n"
HEAD = '''\
# SPDX-License-Identifier: BSD-3-Clause
"""Written by ci/mutate/deep_suite.py: its checks are those of suites/opinfo."""
import unittest

from suites.opinfo import test_sweep

test_sweep.FAMILY.warm()


class Deep(unittest.TestCase):
'''
TEST = '''\
    def test_{check}(self):
        """{module}.{check}"""
        test_sweep.FAMILY.case("opinfo.{name}.{dtype}_deep").runTest()

'''


def write(folder, operators, dtypes):
    """`operators` maps names to the names of the dtypes that they accept."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [{"module": MODULE, "check": check_of(name, dtype), "name": name, "dtype": dtype}
             for name, taken in operators.items() for dtype in dtypes if dtype in taken]  # fmt: skip
    (folder / "contract.yaml").write_text(CONTRACT + "".join(CHECK.format(**one) for one in words))
    tests = HEAD + "".join(TEST.format(**one) for one in words)
    (folder / f"test_{MODULE}.py").write_text(tests)


def check_of(name, dtype):
    """Names of checks have no upper-case letters. mH must not become mh, which would be another operator."""
    return f"{name if name == name.lower() else f'capital_{name.lower()}'}_{dtype}"


def operators_with_kernels():
    """The operators of the installed torch that have a kernel of the loaded device or that core decomposes."""
    import torch
    from assay.operators import torch_testing

    keys = ("PrivateUse1", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
    names = torch._C._dispatch_get_all_op_names()
    served = {name.split("::")[1].split(".")[0] for name in names
              if any(torch._C._dispatch_has_kernel_for_dispatch_key(name, key) for key in keys)}  # fmt: skip
    for name, operator in torch_testing.operators().items():
        aten = {operator.aten_name, operator.aten_name.split(".")[-1], operator.name.split(".")[-1]}
        if aten & served:
            yield name, {str(dtype).removeprefix("torch.") for dtype in operator.supported_dtypes("cpu")}


def main(folder, dtypes):
    import torch_fakedev  # noqa: F401 - its kernels are looked up

    write(Path(folder), dict(operators_with_kernels()), dtypes.split(","))


if __name__ == "__main__":
    main(*sys.argv[1:])
