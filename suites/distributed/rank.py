# SPDX-License-Identifier: BSD-3-Clause
"""The process of one rank. Reads a request of ranks.py from standard input, loads the target, runs one function and
writes its results as lines of JSON.

The ranks run the cases of a function in step. After each case the ranks compare through the store whether the case
returned on all ranks, raised on all ranks, or neither. If a case neither returned nor raised on all ranks, the ranks
are out of step, and the rank ends.
"""

import contextlib
import datetime
import importlib
import json
import os
import sys
import traceback
from datetime import timedelta

import torch
import torch.distributed as dist
from assay.host import engine_threads, load_steps
from assay.refusals import shape

HOST = "127.0.0.1"
ALL = "all_reduce of all ranks"


class OutOfStep(BaseException):
    """A case raised on some ranks and returned on others. This class is not derived from Exception, so that no case
    catches it."""


class Alone(BaseException):
    """Ends a function without meeting the other ranks, of which one is dead."""


class Rank:
    """The argument of each function of a rank_*.py file: its rank, its device, and the cases that it reports."""

    def __init__(self, request, output):
        self.rank, self.size, self.seed = request["rank"], request["size"], request["seed"]
        self.name, self.device_type = request["backend"], request["device_name"]
        self.patience = timedelta(seconds=request["patience"])
        indices = request["devices"]
        self.device = torch.device(self.device_type, indices[self.rank % len(indices)])
        self._port, self._output, self._count = request["port"], output, 0
        self.is_special = False  # set by a function whose further cases are special cases
        self.store = self.connect()

    def connect(self):
        return dist.TCPStore(HOST, self._port, None, False, timeout=self.patience)

    # ---- the group ------------------------------------------------------------------------------

    def join(self, backend=None, prefix="group", **options):
        """init_process_group with the registered name, unless another name is given. `prefix` must be new in each call.
        """
        store = dist.PrefixStore(prefix, self.connect())
        options = {"timeout": self.patience, **options}
        dist.init_process_group(backend or self.name, store=store, rank=self.rank, world_size=self.size, **options)

    def use_device(self):
        torch.accelerator.set_device_index(self.device.index or 0)

    # ---- tensors --------------------------------------------------------------------------------

    def on(self, values, dtype=torch.float32):
        return torch.as_tensor(values, dtype=dtype).to(self.device)

    # ---- results --------------------------------------------------------------------------------

    def say(self, **message):
        self._output.write(json.dumps(message, default=plain) + "\n")
        self._output.flush()

    @contextlib.contextmanager
    def case(self, name):
        """Reports the value that the block puts into the list, or its exception. Then meets the other ranks.

            with rank.case("sum of float32") as out:
                out.append(x)
        """
        self.say(begin=name)
        out, result = [], {}
        try:
            yield out
            result = {"value": plain(out[0]) if out else None}
        except Exception as error:
            result = told(error, self.is_special)
        self.say(case=name, **result)
        self.meet("raised" if "error" in result else "returned")

    def attempt(self, name, call, *arguments, **options):
        with self.case(name) as out:
            out.append(call(*arguments, **options))

    def sum_all(self):
        """The first case of many functions. If it fails, the ranks cannot work together at all."""
        with self.case(ALL) as out:
            x = self.on([1.0])
            dist.all_reduce(x)
            out.append(x)

    def meet(self, state="done"):
        """Waits for the other ranks through the store. The process group is not used, because it may have failed."""
        self._count += 1
        self.store.set(f"meet/{self._count}/{self.rank}", state)
        keys = [f"meet/{self._count}/{rank}" for rank in range(self.size)]
        self.store.wait(keys, self.patience + timedelta(seconds=2))
        if len({self.store.get(key) for key in keys}) > 1:
            raise OutOfStep(state)


def told(error, is_special=False):
    """The exception as the check reads it. `means` is the refused means if the exception is a clear refusal, or else
    None. In a special case, only PyTorch's words count as a refusal."""
    module = getattr(torch, torch._C._get_privateuse1_backend_name(), None)
    return {
        "error": type(error).__name__, "text": str(error).partition("\nException raised from")[0][:1500],
        "means": shape.means_of(str(error) if is_special else error, module), "kinds": [kind.__name__ for kind in type(error).__mro__],
        "trace": traceback.format_exc()[-1500:],
    }


def plain(value):
    """The value with tensors as lists. Complex numbers become pairs."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return plain(torch.view_as_real(value) if value.is_complex() else value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (torch.dtype, torch.device, datetime.timedelta)):
        return str(value)
    return value


def main():
    request = json.load(sys.stdin)
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the backend may print; only this file writes to the pipe
    torch.set_num_threads(1)
    for step in request["steps"]:
        load_steps.run(*step)
    rank = Rank(request, output)
    function = getattr(importlib.import_module(f"suites.distributed.{request['module']}"), request["function"])
    try:
        rank.say(value=plain(function(rank, *request["arguments"])))
        rank.meet()
        rank.say(end="whole")
    except OutOfStep:
        rank.say(end="out of step")
        with contextlib.suppress(Exception):
            rank.meet()
    except Alone:
        rank.say(end="whole")
    except Exception as error:
        rank.say(end="raised", **told(error))
    if not request["ends"]:
        os._exit(0)  # only the checks of the exit are about exit handlers and destructors
    rank.say(begin="its exit")
    output.close()
    engine_threads.let_finish()
