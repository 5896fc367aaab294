# SPDX-License-Identifier: BSD-3-Clause
"""Optimizers, clipping, and moved modules: a training loop gives nearly the CPU's result."""

import torch
from assay.checks import Case
from assay.values.closeness import expect_near
from suites.storage.data_assignment import expect_moved_or_refused

PRELOAD = ("torch._dynamo",)  # optimizers import this module on first use
OPTIMIZERS = {
    "SGD": lambda p, **o: torch.optim.SGD(p, lr=0.1, momentum=0.9, **o),
    "Adam": lambda p, **o: torch.optim.Adam(p, lr=0.01, **o),
    "AdamW": lambda p, **o: torch.optim.AdamW(p, lr=0.01, weight_decay=0.1, **o),
    "Adagrad": lambda p, **o: torch.optim.Adagrad(p, lr=0.05, **o),
    "RMSprop": lambda p, **o: torch.optim.RMSprop(p, lr=0.01, **o),
}
FUSED = ("SGD", "Adam", "AdamW", "Adagrad")
CAPTURABLE = ("Adam", "AdamW", "RMSprop")


def batch():
    return torch.linspace(-1, 1, 40).reshape(10, 4)


def network():
    torch.manual_seed(5)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))


def tied_layers():
    """Two layers that share one weight."""
    layers = torch.nn.ModuleList([torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)])
    layers[1].weight = layers[0].weight
    return layers


def train(model, make, steps, device, **options):
    optimizer = make(model.parameters(), **options)
    x = batch().to(device)
    for _ in range(steps):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    return [parameter.detach() for parameter in model.parameters()]


class Training(Case):
    def on_both(self, make, steps, **options):
        """Parameters after training on the device, and after the same training on the CPU."""
        ours = train(network().to(self.device), make, steps, self.device, **options)
        return ours, train(network(), make, steps, "cpu")

    def expect_all_near(self, seen, expected, what, times=20):
        for number, (one, other) in enumerate(zip(seen, expected, strict=True)):
            expect_near(self, one, self.on_cpu(other), f"{what}, parameter {number}", times)

    def test_follows_cpu(self):
        """autograd.training_matches_the_cpu"""
        for name in ("SGD", "Adam"):
            with self.subTest(optimizer=name):
                seen, wanted = self.on_both(OPTIMIZERS[name], 20)
                self.expect_all_near(seen, wanted, f"20 steps of {name} stay near the CPU", 100)

    def test_foreach(self):
        """autograd.foreach_optimizers_match_single_tensor"""
        for name, make in OPTIMIZERS.items():
            with self.subTest(optimizer=name):
                seen = train(network().to(self.device), make, 3, self.device)
                single = train(network().to(self.device), make, 3, self.device, foreach=False)
                self.expect_all_near(seen, single, f"{name} by default equals foreach=False")

    def test_fused(self):
        """autograd.fused_optimizers_match_plain"""
        for name in FUSED:
            with self.subTest(optimizer=name):
                make = OPTIMIZERS[name]
                seen = train(network().to(self.device), make, 3, self.device, fused=True)
                single = train(network().to(self.device), make, 3, self.device, foreach=False)
                self.expect_all_near(seen, single, f"{name} with fused=True equals fused=False")

    def test_capturable(self):
        """autograd.capturable_optimizers_match_plain"""
        for name in CAPTURABLE:
            with self.subTest(optimizer=name):
                make = OPTIMIZERS[name]
                seen = train(network().to(self.device), make, 3, self.device, capturable=True)
                plain = train(network().to(self.device), make, 3, self.device)
                self.expect_all_near(seen, plain, f"{name} with capturable=True equals False")

    def test_clipping(self):
        """autograd.gradient_clipping_matches_the_cpu"""
        for norm in (2.0, 1.0, torch.inf):
            for foreach in (None, True):
                with self.subTest(norm=norm, foreach=foreach):
                    self.expect_clipped_like_cpu(norm, foreach)

    def expect_clipped_like_cpu(self, norm, foreach):
        """The CPU uses the single-tensor path, so that both results cannot be wrong in the same way."""
        norms, gradients = [], []
        for device in (self.device, torch.device("cpu")):
            model = network().to(device)
            (model(batch().to(device)) * 50).square().mean().backward()
            way = foreach if device == self.device else False
            norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, norm, foreach=way))
            gradients.append([parameter.grad for parameter in model.parameters()])
        what = f"with norm {norm} and foreach={foreach}"
        expect_near(self, norms[0], norms[1], f"the norm {what} equals the CPU's", times=4)
        self.expect_all_near(*gradients, f"clipped gradients {what} equal the CPU's")

    def test_module_moves(self):
        """autograd.moved_module_keeps_values_types_and_requires_grad"""
        model = torch.nn.BatchNorm1d(4)
        model.register_buffer("numbers", torch.arange(3))
        model.bias.requires_grad_(False)
        wanted = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        model.to(self.device)
        for name, tensor in model.state_dict().items():
            self.expect_tensor(tensor, wanted[name], f"{name} keeps its values")
            self.expect_device(tensor, self.device, f"{name} is moved")
        for name, parameter in model.named_parameters():
            # Parameter is a subclass of Tensor, and a move must keep the subclass
            is_one = isinstance(parameter, torch.nn.Parameter)
            self.expect_true(is_one, f"{name} stays a Parameter", f"{name} is a {type(parameter)}")
        flags = [model.weight.requires_grad, model.bias.requires_grad]
        self.expect_equal(flags, [True, False], "requires_grad is kept")
        model.cpu()
        for name, tensor in model.state_dict().items():
            self.expect_tensor(tensor, wanted[name], f"{name} has its values after the move back")
            self.expect_device(tensor, torch.device("cpu"), f"{name} is on the CPU again")

    def test_moved_parameters(self):
        """autograd.moved_parameters_keep_their_identity"""
        model = tied_layers()
        kept, gradient = model[0].weight, torch.ones(4, 4)
        kept.grad = gradient.clone()
        for place in (self.device, torch.device("cpu")):
            model.to(place)
            seen = f"module.weight is another object; the original object is on {kept.device}"
            what = f"Module.to({place.type}) moves the Parameter and does not replace it"
            self.expect_true(model[0].weight is kept, what, seen)
            is_tied = model[1].weight is model[0].weight
            self.expect_true(is_tied, "a Parameter that two layers share is still shared", "the layers have different Parameters")
            self.expect_device(kept.grad, place, "the gradient moves with its parameter")
            self.expect_tensor(kept.grad, gradient, "the gradient keeps its values")

    def test_swapped_module(self):
        """autograd.module_moved_by_swapping_keeps_its_parameters"""
        torch.nn.Linear(4, 2).to(self.device)
        self.ask_special_cases()
        before = torch.__future__.get_swap_module_params_on_conversion()
        torch.__future__.set_swap_module_params_on_conversion(True)
        try:
            model = torch.nn.Linear(4, 2)
            kept, values = list(model.parameters()), model.weight.detach().clone()
            model.to(self.device)
        finally:
            torch.__future__.set_swap_module_params_on_conversion(before)
        same = [a is b for a, b in zip(kept, model.parameters(), strict=True)]
        self.expect_equal(same, [True, True], "swapping keeps the Parameter objects")
        self.expect_device(kept[0], self.device, "swapped Parameters are on the device")
        self.expect_tensor(kept[0], values, "swapped Parameters keep their values")

    def test_vector_of_two_devices(self):
        """autograd.parameters_on_two_devices_are_rejected"""
        parameters = [torch.nn.Parameter(torch.ones(2).to(device)) for device in self.devices[:2]]
        error = self.expect_raises(
            TypeError,
            "parameters_to_vector refuses two devices",
            torch.nn.utils.parameters_to_vector,
            parameters,
        )
        if error is not None:
            text = "Found two parameters on different devices"
            self.expect_true(text in str(error), f"saying {text!r}", str(error)[:160])

    def test_data_of_another_device(self):
        """autograd.data_assignment_from_the_device_moves_or_raises"""
        leaf = torch.zeros(3, requires_grad=True)
        expect_moved_or_refused(self, leaf, self.on_device(torch.ones(3)))
        self.expect_equal(leaf.requires_grad, True, "x.data = y keeps requires_grad of x")
        leaf.backward(torch.ones(3).to(leaf.device))
        self.expect_tensor(leaf.grad, torch.ones(3), "x still gets its gradient")
        self.expect_device(leaf.grad, leaf.device, "the gradient of x is where x is")
