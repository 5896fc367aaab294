# SPDX-License-Identifier: BSD-3-Clause
"""Every optimizer in its single-tensor, foreach and fused form; schedulers, moving averages, closures."""

import torch
from assay.programs.judge import ProgramCase, program
from torch import nn, optim

PRELOAD = ("torch._dynamo",)
OPTIMIZERS = {
    "SGD": lambda p, **o: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01, **o),
    "Adam": lambda p, **o: optim.Adam(p, lr=0.01, amsgrad=True, **o),
    "AdamW": lambda p, **o: optim.AdamW(p, lr=0.01, weight_decay=0.1, **o),
    "Adamax": lambda p, **o: optim.Adamax(p, lr=0.01, **o),
    "NAdam": lambda p, **o: optim.NAdam(p, lr=0.01, **o),
    "RAdam": lambda p, **o: optim.RAdam(p, lr=0.01, **o),
    "Adagrad": lambda p, **o: optim.Adagrad(p, lr=0.05, **o),
    "Adadelta": lambda p, **o: optim.Adadelta(p, **o),
    "RMSprop": lambda p, **o: optim.RMSprop(p, lr=0.01, centered=True, momentum=0.5, **o),
    "Rprop": lambda p, **o: optim.Rprop(p, lr=0.01, **o),
    "ASGD": lambda p, **o: optim.ASGD(p, lr=0.05, **o),
    "Adafactor": lambda p, **o: optim.Adafactor(p, lr=0.01, **o),
}
FUSED = ("SGD", "Adam", "AdamW", "Adagrad")
SCHEDULERS = {
    "OneCycleLR": lambda o: optim.lr_scheduler.OneCycleLR(o, 0.2, total_steps=6),
    "CosineAnnealingWarmRestarts": lambda o: optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2),
    "LinearLR, then ExponentialLR": lambda o: optim.lr_scheduler.SequentialLR(
        o, [optim.lr_scheduler.LinearLR(o, 0.1, total_iters=2), optim.lr_scheduler.ExponentialLR(o, 0.7)], [2]),
}


def network():
    return nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))


def trained_by(make, **options):
    def training(place):
        model, x, y = place.model(network), place.numbers(10, 5), place.numbers(10, 3)
        optimizer = make(model.parameters(), **options)
        place.train(model, optimizer, lambda number: (model(x) - y).square().mean(), steps=4)

    return training


@program("programs.lbfgs_matches_the_cpu")
def closure(place):
    model, x, y = place.model(network), place.numbers(10, 5), place.numbers(10, 3)
    optimizer = optim.LBFGS(model.parameters(), lr=0.5, max_iter=3, line_search_fn="strong_wolfe")

    def loss_again():
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        return loss

    for number in range(2):
        place.see(f"the loss of step {number + 1}", optimizer.step(loss_again))
    place.see_state(model)


def scheduled_by(make):
    def scheduled(place):
        model, x = place.model(network), place.numbers(10, 5)
        groups = [{"params": model[0].parameters(), "lr": 0.05}, {"params": model[2].parameters()}]
        optimizer = optim.SGD(groups, lr=0.1, momentum=0.5)
        scheduler = make(optimizer)
        for number in range(4):
            place.step(model, optimizer, model(x).square().mean())
            scheduler.step()
            rates = torch.tensor([group["lr"] for group in optimizer.param_groups], dtype=torch.float64)
            place.see(f"the rates after step {number + 1}", rates.to(place.dtype))
        place.see_state(model)

    return scheduled


@program("programs.averaged_models_match_the_cpu")
def moving_averages(place):
    """An exponential and a plain average of the weights. For the model with the plain average, the statistics of the
    batch norm are computed anew."""
    model = place.model(lambda: nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3)))
    optimizer, x = optim.SGD(model.parameters(), lr=0.1), place.numbers(10, 5)
    by_power = optim.swa_utils.AveragedModel(model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.9))
    plain = optim.swa_utils.AveragedModel(model)
    for _ in range(3):
        place.step(model, optimizer, model(x).square().mean())
        by_power.update_parameters(model)
        plain.update_parameters(model)
    optim.swa_utils.update_bn([x, x + 1], plain)
    place.see_state(by_power, "of the exponential average")
    place.see_state(plain, "of the plain average")


class OptimizerPrograms(ProgramCase):
    def judge_each(self, names, **options):
        for name in names:
            with self.subTest(optimizer=name):
                words = ", ".join(f"{key}={value}" for key, value in options.items())
                what = f"{name}, {words}: four steps on the device equal those of the CPU in double"
                self.judge(trained_by(OPTIMIZERS[name], **options), what=what)

    def test_single(self):
        """programs.single_tensor_optimizers_match_the_cpu"""
        self.judge_each(OPTIMIZERS, foreach=False)

    def test_foreach(self):
        """programs.foreach_optimizers_match_the_cpu"""
        self.judge_each(OPTIMIZERS, foreach=True)

    def test_fused(self):
        """programs.fused_optimizers_match_the_cpu"""
        self.judge_each(FUSED, fused=True)

    def test_schedulers(self):
        """programs.schedulers_change_the_learning_rate"""
        for name, make in SCHEDULERS.items():
            with self.subTest(scheduler=name):
                self.judge(scheduled_by(make), what=f"{name}: training on the device equals that of the CPU in double")
