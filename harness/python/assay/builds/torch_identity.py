# SPDX-License-Identifier: BSD-3-Clause
"""Identity of one torch, or of one program, for cache keys. A version number is not enough: a user can rebuild a
checkout, edit a header or replace a compiler under the same version. Called by torch_builds.py; does not import torch.
"""

import hashlib
import os
import shutil
import struct
from pathlib import Path

LIBRARIES = ("libc10.so", "libtorch_cpu.so", "libtorch_python.so")
NOTE, GNU_BUILD_ID = 4, 3
NOTES_MOST = 1 << 16


def of(folder, cache):
    """Digest of torch's headers and of the build ids of the libraries to which a backend is linked."""
    digest = hashlib.sha256(of_headers(Path(folder, "include"), cache).encode())
    for name in LIBRARIES:
        digest.update(f"\0{of_library(Path(folder, 'lib', name))}".encode())
    return digest.hexdigest()[:16]


def of_headers(folder, cache):
    """Digest of the content of all headers. The digest is cached by their sizes and modification times."""
    files = sorted(Path(root, name) for root, _, names in os.walk(folder) for name in names)
    seen = hashlib.sha256(str(folder).encode())
    for path in files:
        facts = path.stat()
        seen.update(f"\0{path}\0{facts.st_size}\0{facts.st_mtime_ns}".encode())
    kept = cache and cache / f"headers-{seen.hexdigest()[:16]}"
    if kept and kept.is_file():
        return kept.read_text(encoding="ascii")
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"\0{path.relative_to(folder)}\0".encode() + path.read_bytes())
    if kept:
        keep(kept, digest.hexdigest())
    return digest.hexdigest()


def keep(path, text):
    """Writes a file completely or not at all."""
    made = path.with_name(f".{path.name}.{os.getpid()}")
    made.write_text(text, encoding="ascii")
    os.replace(made, path)


def of_library(path):
    """The build id of a library. If the library has no build id, returns its size and modification time; if the file
    does not exist, returns ""."""
    if not path.is_file():
        return ""
    with open(path, "rb") as file:
        found = build_id(file)
    facts = path.stat()
    return found or f"{facts.st_size} {facts.st_mtime_ns}"


def of_program(name):
    """Version text of a program, or "" if it does not exist. A wrapper such as ccache prints the version of the
    compiler that it calls."""
    path = shutil.which(name)
    if not path:
        return ""
    facts = os.stat(path)
    return hashlib.sha256(f"{os.path.realpath(path)}\0{facts.st_size}\0{facts.st_mtime_ns}".encode()).hexdigest()[:8]


def build_id(file):
    """The GNU build id of a 64-bit ELF file in hexadecimal, or "" if it has none."""
    head = file.read(64)
    if head[:5] != b"\x7fELF\x02" or len(head) < 64:
        return ""
    order = "<" if head[5] == 1 else ">"
    (table,), (size, count) = struct.unpack_from(f"{order}Q", head, 32), struct.unpack_from(f"{order}HH", head, 54)
    for index in range(count):
        file.seek(table + index * size)
        entry = file.read(56)
        if len(entry) == 56 and struct.unpack_from(f"{order}I", entry)[0] == NOTE:
            offset, length = struct.unpack_from(f"{order}Q", entry, 8)[0], struct.unpack_from(f"{order}Q", entry, 32)[0]
            file.seek(offset)
            if found := id_in_notes(file.read(min(length, NOTES_MOST)), order):
                return found
    return ""


def id_in_notes(notes, order):
    at = 0
    while at + 12 <= len(notes):
        name, size, kind = struct.unpack_from(f"{order}III", notes, at)
        begin = at + 12 + (name + 3 & ~3)
        if kind == GNU_BUILD_ID and notes[at + 12 : at + 16] == b"GNU\0":
            return notes[begin : begin + size].hex()
        at = begin + (size + 3 & ~3)
    return ""
