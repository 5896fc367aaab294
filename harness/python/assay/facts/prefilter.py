# SPDX-License-Identifier: BSD-3-Clause
"""Reads the names in the whole include tree with ctags, including headers that are not parsed and regions that the
compiler skips (#ifdef USE_CUDA). Records names and kinds, but no types. Records no line numbers, because they change
with every edit.
"""

import json
import shutil
import subprocess

from assay.command import Refused

KINDS = {
    "class": "class", "struct": "class", "union": "class", "enum": "enum", "enumerator": "enumerator", "function": "function",
    "prototype": "function", "typedef": "alias", "alias": "alias", "macro": "macro", "member": "field", "variable": "variable",
}  # fmt: skip
FOLDERS = ("c10", "ATen", "torch", "caffe2")


def prefilter_facts(side):
    """Facts with `seen: ctags`. The ids of these facts have no parameter lists."""
    if not shutil.which("ctags"):
        raise Refused("universal-ctags is not installed (Debian: package universal-ctags)")
    seen = set()
    for root in side.roots:
        folders = [str(root / name) for name in FOLDERS if (root / name).is_dir()]
        if folders:
            yield from root_facts(root, folders, seen)


def root_facts(root, folders, seen):
    words = ["ctags", "--output-format=json", "--languages=C++", "--langmap=C++:.h.hpp.hh", "--kinds-C++=cdegmnpstuvfx",
             "--fields=NFsK", "--fields-C++=+{properties}", "--exclude=ops", "--exclude=generated", "--exclude=*Functions.h", "--exclude=*Functions_inl.h",
             "--exclude=cpu", "--exclude=cuda", "--exclude=RegistrationDeclarations.h", "--exclude=third_party", "--exclude=lazy",
             "--exclude=mps", "--exclude=VmapGeneratedPlumbing.h", "--exclude=*flat_hash_map.h", "-R", "-f", "-", *folders]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=300)
    if done.returncode:
        raise Refused(f"ctags failed: {done.stderr.strip()[:200] or 'no words'}")
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        kind = KINDS.get(tag.get("kind"))
        name = tag["name"]
        if not kind or name.startswith("__anon") or "__anon" in tag.get("scope", ""):
            continue
        scope = "" if kind == "macro" else tag.get("scope", "")
        space = "macro:" if kind == "macro" else "cxx:"
        header = tag["path"].removeprefix(f"{root}/")
        identity = f"{space}{scope}::{name}" if scope else f"{space}{name}"
        if (identity, header) not in seen:
            seen.add((identity, header))
            pure = {"virtual": "pure"} if "pure" in tag.get("properties", "").split(",") else {}
            yield {"id": identity, "kind": kind, "header": header, "seen": "ctags", **pure}
