# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of `assay dashboard`. The help texts are in harness/command/cmd_dashboard.c."""

import json
import sys

from assay.command import USAGE, Refused

from .losses import losses_of
from .past_view import Past
from .site_build import build
from .verb import Verb


def build_site(path, options, _):
    if "out" not in options:
        raise Refused("give --out, the folder of the site\nSee: assay dashboard --help", USAGE)
    print(f"{build(path, options['out'])} pages: {options['out']}/index.html")


def show_losses(path, options, _):
    json.dump(losses_of(Past(path)), sys.stdout, indent=1)
    print()


VERBS = {"build": Verb(build_site), "losses": Verb(show_losses)}
