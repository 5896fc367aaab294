# SPDX-License-Identifier: BSD-3-Clause
"""Work of a check in other processes: forked children, and interpreters that load the target again. See processes.py."""

import importlib.metadata
import os
import re

from assay.checks import processes

TAKEN = re.compile(r"Tried to register multiple backend fallbacks for the same dispatch key \w*PrivateUse1")


class Processes:
    """Methods of Case that need the load steps of the target."""

    def forked(self, work, what, seconds=None):
        """Returns the result of `work()` in a forked child. If the child does not answer, `what` is violated. If the
        child ends the check, for example because a means is refused, the check ends with the finding of the child."""
        try:
            answer = processes.in_forked_child(work, seconds or self.seconds_left)
        except processes.Dead as death:
            self.require(self.expect(False, what, f"the child {'hung' if death.hung else 'ended'}: {death}"))
        self.report_again(answer["findings"])
        self.require(answer.get("error") != "Ended")
        return answer

    def in_child(self, work):
        """Returns the result of `work()` in a forked child, or None if `work` raises an exception or ends the process.

        For means that may crash the process. Call this function before the first use of the device: a backend may
        refuse to work in a child that is forked after that.
        """
        try:
            return processes.in_forked_child(work, self.seconds_left / 4).get("value")
        except processes.Dead:
            return None

    def fresh(self, code, what, ends=False, **environment):
        """Returns the variable `answer` that `code` sets in another interpreter. This interpreter loads the target
        again. With `ends`, the interpreter must also exit with status 0. The name SAMPLE in `code` is replaced by a
        sample tensor."""
        return self._answer_of(code, self.steps(), what, environment, ends=ends)

    def fresh_torch(self, code, what):
        """Runs `code` with PyTorch alone. No backend is loaded."""
        return self._answer_of(code, [], what, {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})

    def fresh_autoload(self, code, what, first=(), new=False, **environment):
        """Runs `code`, which imports torch, in an interpreter in which `import torch` autoloads the installed backend.

        `first`: folders to put at the front of sys.path. If `new` is not set, `import torch` has already reached the
        entry points before `code` begins.
        """
        environment = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "1", **environment}
        return self._answer_of(code, [], what, environment, first=first, new=new)

    def without_devices(self):
        """The environment variable that hides the devices from another interpreter. The profile gives the variable in
        ASSAY_ABSENT as NAME=VALUE. Without ASSAY_ABSENT, the check ends."""
        name, sign, value = os.environ.get("ASSAY_ABSENT", "").partition("=")
        if not sign:
            self.cannot_observe("ASSAY_ABSENT", "the profile does not say how to hide the devices")
        return {name: value}

    def _answer_of(self, code, steps, what, environment, **how):
        if "SAMPLE" in code:
            code = code.replace("SAMPLE", self.sample_as_code())
        try:
            # The child may use the whole time of the check.
            return processes.in_fresh_process(code, steps, environment, **how)
        except processes.Dead as death:
            self._look_for_rivals(environment, str(death))
            self.require(self.expect(False, what, f"the process ended: {death}"))

    def _look_for_rivals(self, environment, words):
        """Ends the check if several backends are installed. PyTorch itself ends a process that loads two backends, so
        the target does not cause this."""
        points = importlib.metadata.entry_points(group="torch.backends")
        # several entry points of one package are a fault of this package, not competing backends
        names = sorted({point.dist.name for point in points if point.dist})
        loads_all = environment.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "1"
        if loads_all and len(names) > 1 and TAKEN.search(words):
            self.cannot_observe("torch.backends", f"PyTorch takes one backend, and several are installed here: {', '.join(names)}")
