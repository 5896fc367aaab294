# SPDX-License-Identifier: BSD-3-Clause
"""Reads the symbols that a shared library exports."""

import re

from assay.facts.elf import ElfFile

# Symbols that no backend uses: instances of templates of the standard library, type names, thunks, bundled
# third-party code, tables per processor, and further forms of operators (schemas describe them already).
UNINTERESTING = re.compile(
    r"_ZN?K?S[a-z]|_ZNK?St|_ZT[VI](?!N)|_ZT[VI]NK?S|_ZT[Shvc]|_ZGV|_ZZ|_ZN2at4_ops\d\w*10redispatchE|\w+(4AVX2|6AVX512|7DEFAULT)E$"
    r"|(_ZT[VI]|_Z)NK?(9__gnu_cxx|6fbgemm|4dnnl|10tensorpipe|4gloo|9libkineto|10onnx_torch|6google"
    r"|2at(3cpu|4meta|9functorch|17functionalization|\d+composite\w+?plicit\w*?)|5torch(2nn|4lazy|3jit10tensorexpr|8autograd9generated))\d",
    re.ASCII,
)


def exported_symbols(path):
    """Exported mangled names (_Z...) that other libraries may use, sorted."""
    exported = {name for name, defined, is_open, _ in ElfFile(path).symbols if defined and is_open}
    return sorted(name for name in exported if name.startswith("_Z") and not UNINTERESTING.match(name))
