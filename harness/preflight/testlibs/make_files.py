# SPDX-License-Identifier: BSD-3-Clause
"""make_files.py LIBRARY OBJECT FOLDER: files that are no library for this machine.

A text, a library cut short, an object file, and a library whose header names another machine.
"""

import sys
from pathlib import Path

library, object_file, folder = (Path(word) for word in sys.argv[1:])
sound = library.read_bytes()
(folder / "text.so").write_text("INPUT(libfoo.so)\n", encoding="utf-8")
(folder / "cut.so").write_bytes(sound[:40])
(folder / "object.o").write_bytes(object_file.read_bytes())
machine = 18  # offset of e_machine; 243 is RISC-V
(folder / "other_machine.so").write_bytes(sound[:machine] + b"\xf3\x00" + sound[machine + 2 :])
