# SPDX-License-Identifier: BSD-3-Clause
"""What is nobody's interface by its name. Written down before any report was judged; see README.md, "Noise".

Entries of such names are kept, because backends use some of them: they count when a uses file names
them, and are left out of a report otherwise.
"""

import re

SCOPES = {"detail", "details", "internal", "_internal", "impl_detail", "anonymous"}
# Namespaces and files of that name which are interfaces all the same: anchors of the contract lie there.
CONTRACT = re.compile(r"ATen/detail/.*HooksInterface\.h|c10/core/impl/.*(Guard|Event|Stream).*\.h")
PARTS = re.compile(r"::|\.|/")


def is_internal(identity, header=""):
    """A leading underscore, or a scope called detail or internal."""
    if CONTRACT.fullmatch(header):
        return False
    space, _, name = identity.partition(":")
    if space in ("op", "symbol", "file"):
        return space != "op" or name.partition("::")[2].startswith("_")
    if space == "macro":
        return name.startswith("_")
    parts = PARTS.split(re.sub(r"[(<].*", "", name))
    return any(part in SCOPES or (part.startswith("_") and not part.startswith("__")) for part in parts)
