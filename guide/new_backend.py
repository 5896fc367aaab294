# SPDX-License-Identifier: BSD-3-Clause
"""assay new: writes a backend that builds, from the scaffold, under the author's name.

The scaffold is itself a backend called foo, with every part and feature. A line that ends in the comment "@with
FEATURE" is kept if that feature was requested, and "@without FEATURE" if it was not. Either comment alone on a line
begins a block that "@end" ends. Each word "foo" is replaced by the name, in its three cases.
"""

import datetime
import importlib.util
import keyword
import os
import re
import shutil
from pathlib import Path

from assay.command import SYSTEM, USAGE, Refused, serve

SCAFFOLD = Path(__file__).resolve().parent / "scaffold"
FEATURES = {
    "streams": "streams beside the default one, and events",
    "generator": "random numbers of the device",
    "amp": "autocast",
}
# Parts that every backend has. The steps of the guide add these and the features one after the other.
PARTS = ("copies", "fallback", "views", "guard", "statistics", "module", "pinned", "naming")
FILES_OF = {
    "csrc/copies.cc": "copies", "csrc/fallback.cc": "fallback", "csrc/kernels.cc": "fallback", "csrc/norms.cc": "fallback",
    "csrc/convolution.cc": "fallback", "csrc/recurrent.cc": "fallback", "csrc/pinned.cc": "pinned",
    "csrc/generator.cc": "generator", "csrc/autocast.cc": "amp",
}  # fmt: skip

# Names that core uses: its device types, and the modules of torch that a device module would hide.
CORE_DEVICES = (
    "cpu cuda mkldnn opengl opencl ideep hip fpga maia xla lazy vulkan mps xpu hpu ve meta mtia ipu privateuseone"
)
MARK = re.compile(r"[ \t]*(?:/\*|//|#|<!--)[ \t]*@(with|without|end)\b[ \t]*(\w*)[ \t]*(?:\*/|-->)?[ \t]*$")


def keep_lines(text, features):
    """The lines that belong to a backend with these features."""
    kept, open_block, dropped = [], None, False
    for line in text.splitlines(keepends=True):
        mark = MARK.search(line)
        word = mark and mark.group(1)
        if word == "end":
            open_block, dropped = None, open_block is False
            continue
        if dropped and not line.strip():  # removes the blank line after a removed block
            continue
        dropped = False
        wanted = not mark or (mark.group(2) in features) == (word == "with")
        alone = mark and not line[: mark.start()].strip()
        if alone:
            open_block = wanted
        elif wanted and open_block is not False:
            kept.append(line[: mark.start()].rstrip() + "\n" if mark else line)
    return "".join(kept)


def rename(text, name):
    """Replaces foo, Foo and FOO, also as part of a longer identifier."""
    text = re.sub(r"(?<![A-Za-z])foo(?![a-z])", name, text)
    text = re.sub(r"(?<![A-Za-z])Foo(?![a-z])", name.capitalize(), text)
    return re.sub(r"(?<![A-Za-z])FOO(?![A-Z])", name.upper(), text)


def make_file(source, name, features, holder):
    text = keep_lines(source.read_text(encoding="utf-8"), features)
    text = rename(text, name)
    return text.replace("@year@", str(datetime.date.today().year)).replace("@holder@", holder)


def files_of(name, features, holder):
    """Path and text of every file of a backend with these parts and features."""
    for source in sorted(SCAFFOLD.rglob("*")):
        relative = source.relative_to(SCAFFOLD).as_posix()
        if source.is_dir() or "__pycache__" in relative:
            continue
        if FILES_OF.get(relative, None) in (None, *features):
            yield rename(relative, name), make_file(source, name, features, holder)


def check_name(name):
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name):
        raise Refused(f"--name {name[:60]}: a backend's name has up to 60 small letters, digits and _, and begins with a letter", USAGE)
    if keyword.iskeyword(name) or name in CORE_DEVICES.split():
        raise Refused(f"--name {name}: PyTorch or Python already uses this name; choose another one", USAGE)
    torch = importlib.util.find_spec("torch")
    folder = Path(torch.origin).parent if torch and torch.origin else None
    if folder and ((folder / name).exists() or (folder / f"{name}.py").exists()):
        raise Refused(f"--name {name}: torch.{name} is a part of PyTorch, which the device module would hide", USAGE)


def read_features(text):
    features = {word for word in (text or "").split(",") if word}
    unknown = sorted(features - FEATURES.keys())
    if unknown:
        known = "; ".join(f"{feature}: {words}" for feature, words in FEATURES.items())
        raise Refused(f"--with {unknown[0]}: there is no such feature ({known})", USAGE)
    return features


def write(folder, name, features, holder):
    """Overwrites no file: the folder must be new or empty. If a write fails, removes the written files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} already exists and is not empty; give a new folder")
    fresh = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    try:
        for relative, text in files_of(name, features.union(PARTS), holder):
            path = folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except BaseException as error:  # an incomplete backend would look complete
        for path in fresh[-1:] or (list(folder.iterdir()) if folder.is_dir() else []):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise Refused(f"{folder}: cannot be written: {error.strerror}; the written files were removed", SYSTEM) from None
        raise


def next_steps(folder, name):
    return (
        f"wrote {folder}: a backend named {name}\n"
        f"  cd {folder}\n"
        "  pip install scikit-build-core && pip install --no-build-isolation .\n"
        f"  assay run --target ci/{name}.yaml && assay report runs/last\n"
        f"Your device goes into runtime/{name}_runtime.cc; README.md says what is where."
    )


def main(command):
    folder = Path(command.words[0])
    name = command.option("name") or Path(os.path.abspath(folder)).name.removeprefix("torch_")
    check_name(name)
    holder = command.option("holder") or f"the {name} authors"
    if not holder.isprintable():  # also refuses bytes that are not UTF-8
        raise Refused("--holder: a name has only printable characters in UTF-8", USAGE)
    write(folder, name, read_features(command.option("with")), holder)
    print(next_steps(folder, name))


if __name__ == "__main__":
    serve(main)
