# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of `assay dashboard`. Their help is in harness/command/cmd_dashboard.c."""

import json
import sys

from .losses import losses_of
from .past_view import Past
from .site_build import build
from .verb import Usage, Verb


def build_site(path, options, _):
    if "out" not in options:
        raise Usage("give --out, the folder of the site", "dashboard")
    print(f"{build(path, options['out'])} pages: {options['out']}/index.html")


def show_losses(path, options, _):
    json.dump(losses_of(Past(path)), sys.stdout, indent=1)
    print()


VERBS = {"build": Verb(build_site), "losses": Verb(show_losses)}
