# SPDX-License-Identifier: BSD-3-Clause
"""A training program that torchrun starts, and the values that it should compute.

test_launcher.py starts it. Arguments: the load steps of the target as JSON, the type of the device, a seed, and a folder
for the results.
"""

import json
import os
import sys
import traceback
import types

import torch
import torch.distributed as dist
from assay.host import load_steps
from suites.distributed import rank_training
from suites.distributed.rank import plain


def train(device_type, seed):
    """The program of a user, which gives no store, rank or size. DDP needs the name of the backend (see README.md)."""
    dist.init_process_group(dist.Backend.default_device_backend_map[device_type])
    number, size = dist.get_rank(), dist.get_world_size()
    device = torch.device("cpu")
    if device_type != "cpu":
        device = torch.device(device_type, int(os.environ["LOCAL_RANK"]))
        torch.accelerator.set_device_index(device.index)
    seen = rank_training.ddp(place(number, size, seed, device))
    dist.destroy_process_group()
    return {"ranks": size, **plain(seen)}


def place(number, size, seed, device):
    return rank_training.Place(types.SimpleNamespace(rank=number, size=size, seed=seed), device)


def alone(seed, device):
    """The losses and parameters of the same model after training without a process group."""
    return plain(rank_training.alone(place(0, 1, seed, device)))


def expected(size, seed):
    """The parameters that one process trains on the CPU with the batches of all ranks."""
    alone = place(0, size, seed, torch.device("cpu"))
    model = alone.model(rank_training.network)
    optimizer = alone.optimizer(model)
    for step in range(rank_training.STEPS):
        optimizer.zero_grad()
        for rank in range(size):
            x, y = alone.batch(step, of_rank=rank)
            ((model(x) - y).square().mean() / size).backward()
        optimizer.step()
    return [plain(one) for one in model.parameters()]


def main(steps, device_type, seed, folder):
    """Writes what train() returned or raised to a file that has the number of the rank as its name."""
    torch.set_num_threads(1)
    try:
        for step in json.loads(steps):
            load_steps.run(*step)
        seen = train(device_type, int(seed))
    except Exception:
        seen = {"raised": traceback.format_exc()}
    with open(os.path.join(folder, os.environ["RANK"]), "w", encoding="utf-8") as file:
        json.dump(seen, file)
    return 1 if "raised" in seen else 0


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # other checks are about exit handlers and destructors
