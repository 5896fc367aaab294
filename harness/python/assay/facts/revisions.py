# SPDX-License-Identifier: BSD-3-Clause
"""Unpacks two revisions of a checkout to two folders, only the parts with facts. Does not change the work tree."""

import subprocess
import tarfile

from assay.command import USAGE, Refused

PARTS = ("c10", "aten/src", "torch", "torchgen", "tools/autograd/templates", "caffe2/serialize", "version.txt")


def unpack_revisions(checkout, span, scratch):
    """The folders of OLD and NEW, in this order."""
    revisions = span.split("..")
    if len(revisions) != 2 or not all(revisions) or any(name.startswith("-") for name in revisions):
        raise Refused(f"--git takes two revisions, OLD..NEW, not {span!r}", USAGE)
    return [unpack(checkout, name, scratch / f"revision{number}") for number, name in enumerate(revisions)]


def unpack(checkout, revision, folder):
    listed = subprocess.run(["git", "-C", checkout, "ls-tree", "--name-only", revision, *PARTS], capture_output=True, text=True)
    if listed.returncode:
        raise Refused(f"{checkout}: git does not know the revision {revision}")
    present = listed.stdout.split()
    archive = folder.with_suffix(".tar")
    folder.mkdir(parents=True)
    subprocess.run(["git", "-C", checkout, "archive", "-o", archive, revision, "--", *present], check=True)
    with tarfile.open(archive) as file:
        # Before Python 3.12, tarfile may lack the filter. The filter is not needed here, because git writes no path
        # that leaves the folder.
        file.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    archive.unlink()
    return folder
