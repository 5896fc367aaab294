# SPDX-License-Identifier: BSD-3-Clause
"""Two revisions of one checkout as two folders: only the parts that facts are read from, without touching the work tree."""

import subprocess
import tarfile

from assay.main import USAGE, Refused

PARTS = ("c10", "aten/src", "torch", "torchgen", "tools/autograd/templates", "caffe2/serialize", "version.txt")


def unpack_revisions(checkout, span, scratch):
    """The folders of OLD..NEW, in this order."""
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
        # Older Pythons have no filter; git writes no path that leaves the folder.
        file.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    archive.unlink()
    return folder
