# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.clients.probe DISTRIBUTION STEPS: what the runner must know before it begins, as one line of JSON.

In a process that is thrown away: the name of the device, whether a child of a fork can use it, and versions.
"""

import importlib.metadata
import json
import os
import select
import signal
import sys

SECONDS = 120


def version_of(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def forks_well(device):
    """Whether an operator comes to its end in a child of this process."""
    import torch

    child = os.fork()
    if child == 0:
        try:
            good = (torch.ones(2, device=device) + 1).cpu().tolist() == [2, 2]
        except BaseException:
            good = False
        os._exit(0 if good else 1)
    handle = os.pidfd_open(child)
    if not select.select([handle], [], [], SECONDS)[0]:
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1] == 0


def main(distribution, steps):
    versions = {name: version_of(name) for name in ("pytest", "torch")} | {"client": version_of(distribution)}
    import torch
    from assay.host import load_steps

    for step in json.loads(steps):
        load_steps.run(*step)
    device = torch._C._get_privateuse1_backend_name()
    print(json.dumps({"device": device, "forks": forks_well(device), "versions": versions}))


if __name__ == "__main__":
    main(*sys.argv[1:])
