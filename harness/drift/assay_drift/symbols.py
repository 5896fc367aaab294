# SPDX-License-Identifier: BSD-3-Clause
"""The symbols a shared library exports, read from its dynamic symbol table (64-bit little-endian ELF)."""

import mmap
import re
import struct

from .refusal import Refusal

DYNAMIC_SYMBOLS = 11  # section type SHT_DYNSYM
SYMBOL = struct.Struct("<IBBHQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")
# Nobody's interface: instances of the standard library's templates, names of types, thunks, other projects inside the library, tables by
# processor, and copies of every operator in other words, which its schema and `call` say once.
UNINTERESTING = re.compile(
    rb"_ZN?K?S[a-z]|_ZNK?St|_ZT[VI](?!N)|_ZT[VI]NK?S|_ZT[Shvc]|_ZGV|_ZZ|_ZN2at4_ops\d\w*10redispatchE|\w+(4AVX2|6AVX512|7DEFAULT)E$"
    rb"|(_ZT[VI]|_Z)NK?(9__gnu_cxx|6fbgemm|4dnnl|10tensorpipe|4gloo|9libkineto|10onnx_torch|6google"
    rb"|2at(3cpu|4meta|9functorch|17functionalization|\d+composite\w+?plicit\w*?)|5torch(2nn|4lazy|3jit10tensorexpr|8autograd9generated))\d"
)


def exported_symbols(path):
    """Mangled names that begin with _Z and are of use to others, sorted."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        if image[:6] != b"\x7fELF\x02\x01":
            raise Refusal(f"{path}: not a 64-bit little-endian ELF library")
        try:
            return sorted(set(names_in(image)))
        except (struct.error, IndexError, ValueError, OverflowError):
            raise Refusal(f"{path}: its table of symbols is damaged") from None


def names_in(image):
    (start,) = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    sections = [SECTION.unpack_from(image, start + size * i) for i in range(count)]
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind != DYNAMIC_SYMBOLS:
            continue
        strings = image[sections[link][4] : sections[link][4] + sections[link][5]]
        for at in range(offset, offset + length, SYMBOL.size):
            name, info, other, section, _, _ = SYMBOL.unpack_from(image, at)
            if section and info >> 4 and other & 3 == 0:  # defined, not local, visible
                text = strings[name : strings.index(b"\0", name)]
                if text.startswith(b"_Z") and not UNINTERESTING.match(text):
                    yield text.decode()
