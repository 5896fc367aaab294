# SPDX-License-Identifier: BSD-3-Clause
"""A scaffold backend whose pieces can be removed when it is loaded, to see PyTorch's error messages.

    python take_away.py FOLDER      writes its sources, builds it, and prints the folder of the package

FOO_WITHOUT is a comma-separated list of pieces: guard, hooks, allocator, host_allocator, name, fallback. "guard.record"
or "hooks.init" means that PyTorch's base class implements the function. "aten::view" names a kernel.
"""

import re
import sys
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[1]
from guide.new_backend import FEATURES, PARTS, files_of
from guide.scratch_build import compile_in, write_changed

BASES = {
    "device.cc": ("guard", "c10::impl::DeviceGuardImplInterface"),
    "hooks.cc": ("hooks", "at::PrivateUse1HooksInterface"),
}
# Pure virtual functions: the base class has no implementation.
PURE = {"type", "exchangeDevice", "getDevice", "setDevice", "uncheckedSetDevice", "deviceCount", "getStream",
        "exchangeStream"}
METHOD = re.compile(r"^(    [\w:<>*& ]+?[ *&])(\w+)\(([^{};]*?)\) ((?:const )?(?:noexcept )?override)\n    \{\n", re.MULTILINE)
REGISTRATIONS = {
    "c10::impl::registerDeviceGuard(": "guard",
    "at::RegisterPrivateUse1HooksInterface(": "hooks",
    "c10::SetAllocator(": "allocator",
    "at::setHostAllocator(": "host_allocator",
    "c10::register_privateuse1_backend(": "name",
    "m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>": "fallback",
}
SWITCH = """
#include <cstdlib>
#include <string>

/* Whether FOO_WITHOUT names this piece. */
inline bool is_taken_away(const std::string &piece)
{
    const char *const given = std::getenv("FOO_WITHOUT");

    return given && ("," + std::string(given) + ",").find("," + piece + ",") != std::string::npos;
}
"""


def name_parameters(text):
    """Returns the parameters, each with a name, and the names."""
    declared, names = [], []
    for number, parameter in enumerate(part.strip() for part in text.split(",") if part.strip()):
        named = re.search(r"[ *&](\w+)$", parameter)
        if not named or named.group(1) in ("int", "bool"):
            parameter, name = f"{parameter} unnamed{number}", f"unnamed{number}"
        else:
            name = named.group(1)
        if re.fullmatch(r"const c10::(DataPtr|Stream|EventFlag|DeviceIndex)|c10::EventFlag", parameter):
            parameter, name = f"{parameter} unnamed{number}", f"unnamed{number}"
        declared.append(parameter)
        names.append(name)
    return ", ".join(declared), ", ".join(names)


def with_methods(text, prefix, base):
    """If a function of the class is taken away, calls of it go to the base class."""

    def switched(match):
        kind, name, parameters, tail = match.groups()
        if prefix == "guard" and name in PURE:
            return match.group(0)
        declared, names = name_parameters(parameters)
        return (f"{kind}{name}({declared}) {tail}\n    {{\n"
                f'        if (is_taken_away("{prefix}.{name}"))\n            return {base}::{name}({names});\n')

    return METHOD.sub(switched, text)


def with_switches(path, text):
    name = path.name
    if path.parent.name != "csrc":
        return text
    if name == "foo.h":
        return text.replace('#include "foo_runtime.h"\n', f'#include "foo_runtime.h"\n{SWITCH}')
    if name in BASES:
        text = with_methods(text, *BASES[name])
    text = re.sub(r'm\.impl\(("[\w.]+"|name),', r'if (!is_taken_away(std::string("aten::") + \1))\n    m.impl(\1,', text)
    for call, piece in REGISTRATIONS.items():
        text = text.replace(f"    {call}", f'    if (!is_taken_away("{piece}"))\n        {call}')
    return text


def make(folder):
    """Builds the output of `assay new` if necessary; returns the folder of the package torch_foo."""
    files = files_of("foo", {*PARTS, *FEATURES}, "nobody")
    write_changed(folder, ((path, with_switches(Path(path), text)) for path, text in files))
    return compile_in(folder)


if __name__ == "__main__":
    print(make(Path(sys.argv[1]).resolve()))
