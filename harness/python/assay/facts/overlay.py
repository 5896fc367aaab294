# SPDX-License-Identifier: BSD-3-Clause
"""Uses generated headers of an installed torch for a checkout, so that a pull request can be compared before PyTorch is
built. Other headers are not used, because a header that the pull request removes must stay removed.
"""

import re

OWN_FOLDERS = {"ATen", "c10", "torch", "caffe2"}
GENERATED = re.compile(
    r"""ATen/(ops/.*|Config\.h|.*Functions(_inl)?\.h|(Method)?Operators\.h|RegistrationDeclarations\.h|VmapGeneratedPlumbing\.h)
    |ATen/core/(TensorBody|aten_interned_strings|enum_tag)\.h
    |(c10|torch/headeronly)/macros/cmake_macros\.h|caffe2/core/macros\.h
    |torch/csrc/autograd/generated/.*|torch/csrc/api/include/torch/version\.h|torch/(headeronly/)?version\.h
    |torch/csrc/functionalization/generated/.*|torch/csrc/lazy/generated/.*""",
    re.X,
)


def is_generated(name):
    """True for headers that the build writes, and for headers of submodules, which are empty in a checkout."""
    return name.split("/")[0] not in OWN_FOLDERS or GENERATED.fullmatch(name) is not None


def generated_overlay(include, scratch):
    """Makes a folder with links to the generated headers below `include`."""
    overlay = scratch / "generated"
    if overlay.is_dir():
        return overlay
    overlay.mkdir(parents=True)
    for child in include.iterdir():
        if child.name not in OWN_FOLDERS:
            (overlay / child.name).symlink_to(child.resolve())
    (overlay / "ATen").mkdir()
    if (include / "ATen/ops").is_dir():
        (overlay / "ATen/ops").symlink_to((include / "ATen/ops").resolve())
    for top in OWN_FOLDERS:
        for header in (include / top).rglob("*.h"):
            name = header.relative_to(include).as_posix()
            if is_generated(name) and not name.startswith("ATen/ops/"):
                link = overlay / name
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(header.resolve())
    return overlay
