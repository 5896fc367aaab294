# SPDX-License-Identifier: BSD-3-Clause
"""Compares the settings that a backend must compile with: language standard and ABI. Called by result.py."""

from assay.drift.entry import Entry


def build_entries(old, new):
    """Compares only settings that both sides state."""
    for identity, was in old.facts.items():
        now = new.facts.get(identity)
        if was["kind"] == "build" and now and was["value"] != now["value"]:
            yield Entry(identity, "build", change_of(identity, was["value"], now["value"]), now["header"], 0, was["value"], now["value"])


def change_of(identity, was, now):
    if identity == "build:cxx11_abi":
        return "library_abi"
    if identity == "build:cxx_floor":
        return "cxx_floor" if int(now) > int(was) else "lower_standard"
    return "cxx_standard" if int(now) > int(was) else "lower_standard"
