# SPDX-License-Identifier: BSD-3-Clause
"""A digest of the text of each anchor in each supported torch, stored in suites/anchors.tsv.

If the text of an anchor differs in a new release, a person verifies its clauses again and adds a row to
suites/readings.tsv. A torch that is newer than all supported releases is compared with the newest of them.
"""

import csv
import hashlib
import re

from assay import contract
from assay.anchors.requirements import SUITES, places
from assay.anchors.text import file_of, text_of
from assay.facts.side import read_version

TABLE, READINGS = "anchors.tsv", "readings.tsv"
ABSENT, UNREADABLE, UNKNOWN = "-", "!", "?"
EVERY = "*"  # in the column "clause": all clauses that this release promises
MOST_NAMED = 6


def label(place):
    return f"{place.file}:{place.name}" if place.file and place.name else place.file or place.name


def digest_of(packages, place):
    try:
        text = text_of(packages, place.file, place.name)
    except (SyntaxError, ValueError):  # the file uses syntax that this Python does not know
        return UNREADABLE
    return ABSENT if text is None else hashlib.sha256(text.encode()).hexdigest()[:10]


def read_table(suites=SUITES):
    """Returns ({label: {release: digest}}, releases from oldest to newest)."""
    with open(suites / TABLE, encoding="utf-8") as file:
        head, *rows = csv.reader(file, delimiter="\t")
    return {row[0]: dict(zip(head[1:], row[1:])) for row in rows}, head[1:]


def digests(packages, suites=SUITES):
    return {label(place): digest_of(packages, place) for place in sorted(set(map(without_clause, places(suites))))}


def without_clause(place):
    return place._replace(requirement="")


def clauses_by_place(suites=SUITES):
    found = {}
    for place in places(suites):
        found.setdefault(label(place), set()).add(place.requirement)
    return found


# ---- clauses that nobody has verified


def read_readings(suites=SUITES):
    """Rows with the columns clause, release, shown (run, header, source), what."""
    with open(suites / READINGS, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def promises(releases, suites=SUITES):
    """Returns {release: ids of the clauses that it promises}."""
    return {release: {clause["id"] for clause in contract.clauses(suites.parent, release)} for release in releases}


def unread(table, releases, readings, clauses, promised):
    """Returns (clause, release, labels that differ) for each clause that has no valid reading for a release.

    A reading for one release also applies to each release in which all anchors of the clause have the same text."""
    read = {}
    for row in readings:
        read.setdefault(row["clause"], set()).add(row["release"])
    found = []
    labels = {}
    for place, names in clauses.items():
        for clause in names:
            labels.setdefault(clause, []).append(place)
    for clause, where in sorted(labels.items()):
        known = [seen(table, where, release) for release in releases if release in read.get(clause, set()) | read.get(EVERY, set())]
        for release in releases:
            now = seen(table, where, release)
            if clause in promised[release] and now not in known:
                nearest = known[-1] if known else {}
                found.append((clause, release, [place for place in where if now[place] != nearest.get(place)]))
    return found


def seen(table, where, release):
    return {place: table.get(place, {}).get(release, UNKNOWN) for place in where}


# ---- a torch that is newer than all supported releases


def numbers(version):
    return tuple(map(int, re.findall(r"\d+", re.match(r"[\d.]*", version)[0])))


def is_newer(version, releases):
    """Also True for a pre-release of the newest supported version, because the release may differ from it."""
    return numbers(version) > numbers(releases[-1]) or (
        numbers(version)[:3] == numbers(releases[-1]) and not re.match(r"[\d.]+(\+|$)", version))


def changed(packages, suites=SUITES, release=None):
    """Returns ([labels whose text differs from `release`, by default the newest one], number of all labels)."""
    table, releases = read_table(suites)
    now = digests(packages, suites)
    return [place for place, digest in now.items() if digest != table.get(place, {}).get(release or releases[-1])], len(now)


def sentence(packages, suites=SUITES):
    """A sentence for the user if this torch is newer than all supported releases, else ""."""
    _, releases = read_table(suites)
    version, _ = read_version(packages / "torch/version.py")
    if not numbers(version) or not is_newer(version, releases):
        return ""
    places_changed, count = changed(packages, suites)
    about = f"the contract is verified up to torch {releases[-1]}"
    if not places_changed:
        return f"{about}; the text of all {count} anchors is the same in this one"
    by_place = clauses_by_place(suites)
    clauses = sorted(set().union(*(by_place[place] for place in places_changed)))
    named = ", ".join(clauses[:MOST_NAMED]) + (f" and {len(clauses) - MOST_NAMED} more" if len(clauses) > MOST_NAMED else "")
    return f"{about}; the text of {len(places_changed)} of {count} anchors differs in this one: verify {named} again (assay drift anchors {packages})"


def stamp(packages, suites=SUITES):
    """A digest of the sizes and times of the files that the anchors name."""
    digest = hashlib.sha256((suites / TABLE).read_bytes())
    for name in sorted({place.file for place in places(suites) if place.file} | {"torch/version.py", "torch/_C/__init__.pyi"}):
        path = file_of(packages, name)
        for each in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            facts = each.stat() if each.exists() else None
            digest.update(f"{each}\0{facts and (facts.st_size, facts.st_mtime_ns)}\0".encode())
    return digest.hexdigest()[:16]
