# SPDX-License-Identifier: BSD-3-Clause
"""Ranges of torch releases in table rows: "from 2.12", "before 2.15", "from 2.12, before 2.15", "" (all)."""


def number_of(version):
    return [int(part) for part in version.split(".")[:2]]


def is_of(releases, version):
    """True if a row applies to this torch ("2.15", "2.14.1+cu130")."""
    bounds = dict(bound.split() for bound in (releases or "").split(",") if bound)
    return (number_of(bounds.get("from", "0.0")) <= number_of(version)
            and ("before" not in bounds or number_of(version) < number_of(bounds["before"])))
