# SPDX-License-Identifier: BSD-3-Clause
"""Default commands that build and test a point: pip installs torch, and the build steps of the profile build the
backend."""

import os
import shlex

from assay.command import USAGE, Refused

# A text that begins with a digit is a version of torch; any other text is passed to pip as a spec. ASSAY_PIP adds
# arguments for pip, such as an index.
BY_PIP = ('case $ASSAY_TORCH in [0-9]*) spec=torch==$ASSAY_TORCH ;; *) spec=$ASSAY_TORCH ;; esac && '
          'python=${ASSAY_PYTHON:-python3} && "$python" -m venv --without-pip "$ASSAY_PREFIX/venv" && '
          '"$python" -m pip --python "$ASSAY_PREFIX/venv/bin/python" install --quiet ${ASSAY_PIP:-} "$spec"')
# `assay run` builds the backend as its profile says; if the build fails, there is no verdict and the point is skipped.
BY_PROFILE = "true"


def expect_build(options, axes):
    """Raises Refused if the command for building PyTorch is missing, because it has no default."""
    if "build" not in options and any(axis.what == "torch" and axis.folder for axis in axes):
        raise Refused("give --build: the command that builds a revision of PyTorch", USAGE)


def build_of(options, axes):
    if "build" in options:
        return options["build"]
    return BY_PIP if any(axis.what == "torch" for axis in axes) else BY_PROFILE


def run_of(options, axes):
    """The command that runs the failed checks on the target, with the torch that BY_PIP installed."""
    if "run" in options:
        return options["run"]
    with_torch = 'ASSAY_PYTHON="$ASSAY_PREFIX/venv/bin/python" ' if build_of(options, axes) == BY_PIP else ""
    program = shlex.quote(os.environ["ASSAY_PROGRAM"])
    return (f'out=$(mktemp -d) && trap \'rm -rf "$out"\' EXIT && {with_torch}{program} run --target {shlex.quote(options["target"])} '
            f'--select {shlex.quote(options["select"])} --out "$out/run"')
