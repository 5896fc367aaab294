# SPDX-License-Identifier: BSD-3-Clause
"""Operators on several threads at once. Each thread has its own device and tensors.

Each result of a thread must equal the result that the same thread gets when it runs alone.
"""

import random
import sys
import threading

import torch
from assay.checks import Case
from assay.values.own_torch import torch as own_torch
from suites.operators.every_operator import OF_ROWS, operands

THREADS, ROUNDS = 4, 2
GIVEN = operands(torch.float32, 4, 3)


def values(results):
    return [one.cpu() for one in ([results] if isinstance(results, torch.Tensor) else results)]


class ManyThreads(Case):
    def test_side_by_side(self):
        """operators.results_are_the_same_on_several_threads"""
        self.need_any_kind()
        self.put_device_back()
        alone, wrong = self.alone(), []
        self.places = self.devices if self.can_switch() else self.devices[:1]
        if not alone:
            return
        threads = [threading.Thread(target=self.work, args=(number, alone, wrong), daemon=True) for number in range(THREADS)]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)  # short, so that threads switch within calls
        try:
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        finally:
            sys.setswitchinterval(interval)
        self.expect(not wrong, "an operator gives the same result on each of several threads as on one thread", "; ".join(wrong[:3]))

    def can_switch(self):
        """Returns whether the current device can be set. Setting the current device is only a means here."""
        try:
            torch.accelerator.set_device_index(self.device.index)
        except Exception:
            return False
        return True

    def alone(self):
        """Maps each operator to the values that this thread gets."""
        found, refused = {}, {}
        for name, call in OF_ROWS.items():
            try:
                found[name] = values(call(*map(self.on_device, GIVEN)))
            except Exception as error:  # other checks test whether the operator works
                refused[name] = error, self.refused_means(error) or name
        self.undecided_if_mostly_refused(refused, OF_ROWS)
        return found

    def work(self, number, alone, wrong):
        device = self.places[number % len(self.places)]
        order = random.Random(number)
        if len(self.places) > 1:
            torch.accelerator.set_device_index(device.index)
        for name in (one for _ in range(ROUNDS) for one in order.sample(sorted(alone), len(alone))):
            said = self.difference(name, device, alone[name])
            if said:
                wrong.append(f"{name} on thread {number}, {device}: {said}")
                return

    def difference(self, name, device, wanted):
        try:
            # a device without an index is the thread's current device
            given = [one.to(self.device_name if len(self.places) > 1 else device) for one in GIVEN]
            seen = values(OF_ROWS[name](*given))
        except Exception as error:
            return f"raised {type(error).__name__}: {str(error).splitlines()[:1]}"
        if any(one.device != device for one in given):
            return f"a tensor was made on {given[0].device}"
        same = all(own_torch.allclose(one, other, equal_nan=True) for one, other in zip(seen, wanted, strict=True))
        return None if same else "other values"
