# SPDX-License-Identifier: BSD-3-Clause
"""Programs with several processes or several runs: workers that load data, children that train, a resumed training."""

import io

import torch
from assay.checks.other_processes import Child
from assay.checks.pinned_memory import pinned
from assay.programs.children import trained
from assay.programs.judge import ProgramCase, program
from suites.dataloader.data_loading import Loading
from torch import nn
from torch.utils.data import Dataset

PRELOAD = ("torch._dynamo",)


class Points(Dataset):
    """Twelve points of a curve, which are computed on each access."""

    def __len__(self):
        return 12

    def __getitem__(self, number):
        x = torch.linspace(-1, 1, 4) * (number + 1) / 12
        return {"x": x, "y": torch.sin(3 * x[:1])}


def network():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.BatchNorm1d(8), nn.Linear(8, 1))


def saved(*parts):
    """The state of the parts as the bytes of a file."""
    file = io.BytesIO()
    torch.save([part.state_dict() for part in parts], file)
    return file.getvalue()


@program("programs.resumed_training_keeps_its_loss_curve")
def resumed_training(place):
    """Two steps on the device, one on the CPU, one on the device again. Each part resumes from the file of the
    previous one."""
    x, y = place.numbers(10, 4), place.numbers(10, 1)
    file = None
    for number, device in enumerate((place.device, place.device, torch.device("cpu"), place.device)):
        model = place.made(network).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05, eps=1e-4)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        parts = (model, optimizer, scheduler)
        if file is not None:
            for part, state in zip(parts, torch.load(io.BytesIO(file), map_location=device), strict=True):
                part.load_state_dict(state)
        place.step(model, optimizer, (model(x.to(device)) - y.to(device)).square().mean())
        scheduler.step()
        place.see(f"the rate after step {number + 1}", scheduler.get_last_lr())
        file = saved(*parts)
    place.see_state(model)


class ProcessPrograms(ProgramCase, Loading):
    def test_loaded(self):
        """programs.training_with_pinned_batches_matches_the_cpu"""
        pinned(self, torch.ones(1))

        def loaded_by_workers(place):
            model, source = place.model(network), torch.Generator().manual_seed(4)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            options = {} if place.device.type == "cpu" else {"workers": 2, "pin_memory": True}
            for _ in range(2):
                for batch in self.loader(Points(), batch_size=4, shuffle=True, generator=source, **options):
                    if options:
                        self.expect_true(batch["x"].is_pinned(), "a loader with workers returns pinned memory", "pageable memory")
                    x, y = (place.cast(batch[key]).to(place.device, non_blocking=True) for key in "xy")
                    place.step(model, optimizer, (model(x) - y).square().mean())
            place.see_state(model)

        self.judge(loaded_by_workers)

    def test_spawned(self):
        """programs.spawned_children_train"""
        self.expect_trained("spawn", "training in a spawned child equals training on the CPU in its parent")

    def test_forked(self):
        """programs.forked_children_train"""
        self.expect_trained("fork", "a child that is forked before the first use trains with the same result as its parent on the CPU")

    def expect_trained(self, method, what):
        """The CPU part runs last, because after a backward in this process no child can be forked."""
        self.need_any_kind()
        curves = []
        for device in self.devices[:2]:
            with Child(self, method, trained, str(device)) as child:
                curves.append(torch.tensor(child.value(what)))
        wanted = torch.tensor(trained(None, "cpu", torch.float64))
        for curve in curves:
            self.expect_tensor(curve, wanted, what, 1e-5, 1e-6)
