# SPDX-License-Identifier: BSD-3-Clause
"""libraries.<library>.<family>: three steps of training with a small model of an installed library, compared with the
CPU.

Runs in float32 and under autocast with 16 bits, with each implementation of attention that the family has, twice on
the device. If a model does not work on the CPU, it is not tested on the device, and the reason is noted.
"""


import torch
from assay.checks.mixed_precision import low_precision
from assay.host import report
from assay.programs import run as program_run
from assay.programs.judge import WIDE, ProgramCase
from suites.libraries import library_table
from suites.libraries.tiny_model import Unfit, in_words, training

PRELOAD = ("torch._dynamo",)  # optimizers import this module on first use


class LibraryModel(ProgramCase):
    def __init__(self, identity):
        super().__init__()
        self.identity = identity

    def runTest(self):
        try:
            tinies = library_table.tinies(self.identity)
        except Unfit as why:
            self.does_not_apply(str(why))
        unfit = [why for tiny in tinies if (why := self.ask(training(tiny), tiny.way))]
        if len(unfit) == len(tinies):
            self.does_not_apply(unfit[0])

    def ask(self, program, way):
        """Returns why the CPU gives no reference, or None."""
        with_way = f" with {way} attention" if way else ""
        wide, why = self.on_the_cpu(program, WIDE, None, None, with_way)
        own, why = (None, why) if why else self.on_the_cpu(program, torch.float32, None, wide, with_way)
        if why:
            return why
        with self.clause("LIBR-001"):
            self.ask_device(program, wide, own, None, f"trains in float32{with_way} as on the CPU")
        with self.clause("LIBR-002"):
            self.ask_in_low_precision(program, wide, with_way)
        return None

    def on_the_cpu(self, program, dtype, low, wide, with_way):
        """Returns the values that the program recorded on the CPU, or None and the reason why there is no reference."""
        try:
            seen = self.run_on_cpu(program, dtype, low)
        except Exception as error:
            why = in_words(error)
        else:
            if wide is None or [one.name for one in seen] == [one.name for one in wide]:
                return seen, None
            why = "the program takes another path in that dtype than in double"
        why = f"on the CPU itself{with_way}{f', under autocast with {low}' if low else ''}: {why}"
        self.note("not tested", why)
        return None, why

    def ask_in_low_precision(self, program, wide, with_way):
        low = self.low_precision()
        own = self.on_the_cpu(program, torch.float32, low, wide, with_way)[0] if low else None
        if own is not None:
            self.ask_device(program, wide, own, low, f"trains under autocast with {low}{with_way} as on the CPU")

    def low_precision(self):
        if not hasattr(self.device_module, "get_amp_supported_dtype"):
            return None
        listed = self.device_module.get_amp_supported_dtype()
        return torch.bfloat16 if torch.bfloat16 in listed else low_precision(self)

    def ask_device(self, program, wide, own, low, what):
        seen = self.judge_on(self.device, program, (torch.float32, low), wide, own, what)
        if seen is None:
            return
        again, _ = program_run.finished(program, program_run.Run(self.device, torch.float32, low))
        pairs = zip(seen, again.seen, strict=False)
        unlike = next((one.name for one, other in pairs if not _same(one.value, other.value)), None)
        with self.clause("LIBR-003"):
            if unlike:
                report.finding(report.NOTED, f"{what}, with the same result twice", f"{unlike} differs in the second run")


def _same(one, other):
    if isinstance(one, torch.Tensor):
        return torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))
    return one == other


class Family:
    """All families of the libraries in this run."""

    def warm(self):
        library_table.warm((report.order("listed") or "").split(","))

    def has(self, identity):
        return identity.startswith("libraries.")

    def case(self, identity):
        return LibraryModel(identity)


FAMILY = Family()
