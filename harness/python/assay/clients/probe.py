# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.clients.probe DISTRIBUTION STEPS: prints facts that the runner needs before it starts, as one line
of JSON.

Runs in a separate, short-lived process. Prints the name of the device, whether a forked child can use it, and
versions.
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
    """True if an operator completes in a forked child of this process."""
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
