# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.history dashboard [OPTION VALUE]... -- build|losses HISTORY: started by `assay dashboard`."""

import json
import sys

from .losses import losses_of
from .past_view import Past
from .record import Refused
from .site_build import build

USAGE, INPUT, SYSTEM = 64, 65, 71


def complain(status, sentence):
    print(f"assay: {sentence}", file=sys.stderr)
    return status


def show_losses(options, history):
    json.dump(losses_of(Past(history)), sys.stdout, indent=1)
    print()


def build_site(options, history):
    print(f"{build(history, options['out'])} pages: {options['out']}/index.html")


def main(arguments):
    cut = arguments.index("--")
    options, words = dict(zip(arguments[1:cut:2], arguments[2:cut:2], strict=True)), arguments[cut + 1:]
    verbs = {"build": build_site, "losses": show_losses}
    if len(words) != 2 or words[0] not in verbs:
        return complain(USAGE, "give: dashboard build HISTORY --out FOLDER, or dashboard losses HISTORY")
    if words[0] == "build" and "out" not in options:
        return complain(USAGE, "give --out, the folder of the site")
    try:
        verbs[words[0]](options, words[1])
    except Refused as refusal:
        return complain(INPUT, refusal)
    except OSError as error:
        return complain(SYSTEM, f"cannot write the dashboard: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
