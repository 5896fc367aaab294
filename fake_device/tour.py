# SPDX-License-Identifier: BSD-3-Clause
"""A tour of the fake device: trains a small network with mixed precision, and compares the loss with the CPU's."""

import tempfile

import torch


def train(device, steps=60):
    """Returns the loss after some steps. The program is the same for every device."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).to(device)
    data, wanted = torch.rand(64, 8).to(device), torch.rand(64, 1).to(device)
    optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler(device, init_scale=64)
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = torch.nn.functional.mse_loss(model(data), wanted)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    with tempfile.NamedTemporaryFile() as file:  # a saved checkpoint can be loaded again
        torch.save(model.state_dict(), file.name)
        model.load_state_dict(torch.load(file.name))
    return model, loss.item()


def main():
    device = torch.accelerator.current_accelerator().type
    print(f"{torch.accelerator.device_count()} devices of type {device!r}, torch {torch.__version__}")
    model, on_device = train(device)
    _, on_cpu = train("cpu")
    print(f"loss after 60 steps: {on_device:.4f} on {next(model.parameters()).device}, {on_cpu:.4f} on the CPU")
    assert abs(on_device - on_cpu) < 2e-3, "the device and the CPU disagree"


if __name__ == "__main__":
    main()
