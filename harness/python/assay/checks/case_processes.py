# SPDX-License-Identifier: BSD-3-Clause
"""Work of a check in other processes: forked children, and interpreters that load the target again. See processes.py."""

import importlib.metadata
import re

from assay.checks import processes

TAKEN = re.compile(r"Tried to register multiple backend fallbacks for the same dispatch key \w*PrivateUse1")


class Processes:
    """For Case, which knows the load steps of the target."""

    def forked(self, work, what, seconds=None):
        """The result of `work()` in a forked child; its death or silence is a violation of `what`."""
        try:
            return processes.in_forked_child(work, seconds or self.seconds_left)
        except processes.Dead as death:
            self.require(self.expect(False, what, f"the child {'hung' if death.hung else 'ended'}: {death}"))

    def in_child(self, work):
        """The result of `work()` in a forked child; None if it raises there or ends the process.

        For what a check leans on, and may be broken altogether. To be tried before the first use of the
        device: a forked child may refuse it after that.
        """
        try:
            return processes.in_forked_child(work, self.seconds_left / 4).get("value")
        except processes.Dead:
            return None

    def fresh(self, code, what, ends=False, **environment):
        """The `answer` of `code` in another interpreter with the target loaded again. With `ends`, it must
        also exit with status 0. SAMPLE in `code` is a sample."""
        return self._answer_of(code, self.steps(), what, environment, ends=ends)

    def fresh_torch(self, code, what):
        """The same of PyTorch alone: no backend is loaded."""
        return self._answer_of(code, [], what, {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})

    def fresh_autoload(self, code, what, first=(), new=False, **environment):
        """The same in an interpreter in which `import torch` loads what is installed; `code` does it.

        `first`: folders in front of its sys.path. Unless it is `new`, `import torch` has come to the entry points before
        `code` begins.
        """
        environment = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "1", **environment}
        return self._answer_of(code, [], what, environment, first=first, new=new)

    def _answer_of(self, code, steps, what, environment, **how):
        if "SAMPLE" in code:
            code = code.replace("SAMPLE", self.sample_as_code())
        try:
            return processes.in_fresh_process(code, steps, environment, **how)  # as long as the check may take
        except processes.Dead as death:
            self._look_for_rivals(environment, str(death))
            self.require(self.expect(False, what, f"the process ended: {death}"))

    def _look_for_rivals(self, environment, words):
        """Core ends a process that loads two backends by itself. Which ones are installed is nothing of the target's."""
        points = importlib.metadata.entry_points(group="torch.backends")
        names = sorted({point.dist.name for point in points if point.dist})  # one package may have several: that is its own doing
        loads_all = environment.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "1"
        if loads_all and len(names) > 1 and TAKEN.search(words):
            self.cannot_observe("torch.backends", f"PyTorch takes one backend, and several are installed here: {', '.join(names)}")
