# SPDX-License-Identifier: BSD-3-Clause
"""Makes nightly results of many backends on many versions of torch, as JSON lines for `assay history import`. Events
are planted at known places, so that tests can look for them.

  make_year.py LINES [--planted FILE] [--backends 20] [--torches 6] [--nights 365] [--checks 1000]

Every night, 0.5 % of the checks of a series change between "noted" and "passed", which is not an event. 20 checks are
flaky. The file `planted` lists all other changes."""

import argparse
import datetime
import functools
import json
import random

FIRST = datetime.date(2025, 12, 1)
CAUSES = ("1111111111111111", "2222222222222222")
CAPABILITIES = ("streams", "generator", "amp", "serialization")
RANKS = ("fail", "notrun", "skip", "noted", "pass")
QUIET = {"pass": "noted", "noted": "pass", "skip": "unobservable", "unobservable": "skip"}


class Series:
    """One backend on one version of torch: its verdicts in this night, and the state that the last line described."""

    def __init__(self, year, backend, torch):
        self.year, self.backend, self.torch = year, backend, torch
        self.random = random.Random(f"{year.seed} {backend} {torch}")
        self.says, self.told, self.clauses, self.after = {}, {}, {}, None
        for number in range(year.checks):
            self.says[year.check(number)] = "skip" if number % 17 == 3 else "pass"
        self.says.update(year.at_first.get((backend, torch), {}))

    def quiet_changes(self):
        names = [name for name in self.year.plain if name in self.says]
        for name in self.random.sample(names, len(self.says) // 200):
            self.says[name] = QUIET[self.says[name]]
        for name in self.year.flaky:
            if name in self.says:
                self.says[name] = self.random.choice(("pass", "fail"))

    def line(self, night):
        """Returns None if there is no run in this night."""
        year = self.year
        self.quiet_changes()
        for name, verdict in year.planted_for(self.backend, self.torch, night):
            self.says.pop(name, None)
            if verdict:
                self.says[name] = verdict
        if (self.backend, self.torch, night) in year.missing:
            return None
        torn = (self.backend, self.torch, night) in year.torn
        half = len(self.says) // 2
        tonight = {name: "notrun" if torn and place > half else verdict
                   for place, (name, verdict) in enumerate(self.says.items())}
        changes = self.changes_to(tonight)
        total = len(self.clauses)
        kept = total - sum(verdict == "fail" for verdict in self.clauses.values())
        date = f"{FIRST + datetime.timedelta(days=night)}T03:17:00Z"
        state = "undecided" if torn else "compatible" if kept == total else "incompatible"
        line = {"schema": "assay/history-run/1", "target": self.backend, "release": self.torch, "asked": "",
                "date": date, "torch": f"{self.torch}.0.dev{night:03}", "git": f"{night:03}{self.torch}".encode().hex()[:12],
                "backend": year.revision(self.backend, night), "contract": 1, "digest": f"contract-{year.contract_of(night)}",
                "state": state, "must_kept": kept, "must_total": total, "must_promised": total,
                "whole": True, "after": self.after, "changes": changes}
        self.after = date
        return json.dumps(line, separators=(",", ":"))

    def changes_to(self, tonight):
        """Differences from the previous line, for checks and for the clauses that they cover."""
        changes = [] if self.after else [{"kind": "stage", "name": "reached", "verdict": "usable"}] + [
            {"kind": "capability", "name": name, "verdict": "proven"} for name in CAPABILITIES]
        touched = set()
        for name, verdict in tonight.items():
            if self.told.get(name) != verdict:
                touched.add(self.year.clause(name))
                changes.append(self.check_fact(name, verdict))
        for name in self.told.keys() - tonight.keys():
            touched.add(self.year.clause(name))
            changes.append({"kind": "check", "name": name, "verdict": "gone"})
        self.told = tonight
        of_clause = {}
        for name, verdict in tonight.items() if touched else ():
            of_clause.setdefault(self.year.clause(name), []).append(verdict.replace("unobservable", "skip"))
        for clause in sorted(touched):
            worst = min(of_clause[clause], key=RANKS.index)
            if self.clauses.get(clause) != worst:
                self.clauses[clause] = worst
                changes.append({"kind": "clause", "name": clause, "verdict": worst, "level": "must",
                                "seen": f"The demand of {clause}."})
        return changes

    def check_fact(self, name, verdict):
        fact = {"kind": "check", "name": name, "verdict": verdict, "level": "must", "covers": self.year.clause(name)}
        return fact if verdict != "fail" else fact | {"cause": CAUSES[len(name) % 2], "seen": "returned 1, expected 0"}


class Year:
    def __init__(self, backends, torches, nights, checks, seed=1):
        self.backends = [f"backend{number:02}" for number in range(backends)]
        self.torches = [f"2.{9 + number}" for number in range(torches)]
        self.nights, self.checks, self.seed = nights, checks, seed
        names = [self.check(number) for number in range(checks)]
        self.flaky = names[-20:] if checks >= 100 else names[-2:]
        self.special = names[:12]
        self.plain = [name for name in names if name not in self.flaky and name not in self.special]
        self.at_first, self.missing, self.torn, self.plans, self.planted = {}, set(), set(), {}, []
        self.new_checks = [f"module9.new_{number}" for number in range(3)]
        self.plant()

    @staticmethod
    def check(number):
        return f"module{number % 10}.does_what_clause_{number}_says"

    @staticmethod
    @functools.cache
    def clause(name):
        return "M" + name.split(".")[0][6:] + "-" + ("".join(c for c in name.split(".")[1] if c.isdigit()) or "0")

    def contract_of(self, night):
        return 1 + (night >= self.nights // 2) + (night >= 3 * self.nights // 4)

    @staticmethod
    def revision(backend, night):
        return f"{backend}-{night // 7:03}"

    def planted_for(self, backend, torch, night):
        return self.plans.get((backend, torch, night), ()) or ()

    def expect(self, kind, backend, torch, night, name, **more):
        self.planted.append({"kind": kind, "target": backend, "release": torch, "check": name,
                             "date": str(FIRST + datetime.timedelta(days=night)), **more})

    def say(self, backend, torch, night, name, verdict):
        self.plans.setdefault((backend, torch, night), []).append((name, verdict))

    def plant(self):
        """Plants every kind of event once. Nights are fractions of the year, so that a short year contains them too."""
        part = max(2, self.nights // 12)
        one, last = self.backends[0], self.backends[-1]
        torch, newest = self.torches[0], self.torches[-1]
        broke, missing_broke, failing, both, torn, renamed = self.special[:6]
        self.say(one, newest, part, broke, "fail")
        self.expect("broke", one, newest, part, broke, after=str(FIRST + datetime.timedelta(days=part - 1)))
        self.missing |= {(last, newest, 2 * part + offset) for offset in (0, 1)}
        self.say(last, newest, 2 * part + 1, missing_broke, "fail")
        self.expect("broke", last, newest, 2 * part + 2, missing_broke,
                    after=str(FIRST + datetime.timedelta(days=2 * part - 1)))
        self.at_first[one, torch] = {failing: "fail"}
        self.expect("fails at first", one, torch, 0, failing)
        self.say(one, torch, 3 * part, failing, "pass")
        self.expect("repaired", one, torch, 3 * part, failing)
        self.say(last, torch, part, both, "fail")
        self.say(last, torch, 2 * part, both, "pass")
        self.expect("broke", last, torch, part, both)
        self.expect("repaired", last, torch, 2 * part, both)
        self.torn.add((last, torch, 4 * part))
        self.say(one, torch, 4 * part, torn, "skip")
        self.expect("lost", one, torch, 4 * part, torn)
        self.plant_contract(renamed)
        for name in self.flaky:
            for backend in self.backends:
                for release in self.torches:
                    self.expect("flaky", backend, release, 0, name)

    def plant_contract(self, renamed):
        """In the middle of the year, three checks are added. One of them fails for one backend. Later, a check is
        renamed."""
        half, later = self.nights // 2, 3 * self.nights // 4
        new_name = renamed.replace("does_what", "keeps_what")
        for backend in self.backends:
            for torch in self.torches:
                for name in self.new_checks:
                    fails = name is self.new_checks[0] and (backend, torch) == (self.backends[0], self.torches[0])
                    self.say(backend, torch, half, name, "fail" if fails else "pass")
                    self.expect("fails at first" if fails else "new", backend, torch, half, name)
                self.say(backend, torch, later, renamed, None)
                self.say(backend, torch, later, new_name, "pass")
                self.expect("renamed", backend, torch, later, new_name, old=renamed)

    def write(self, out):
        for backend in self.backends:
            for torch in self.torches:
                series = Series(self, backend, torch)
                for night in range(self.nights):
                    line = series.line(night)
                    if line:
                        out.write(line + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lines")
    parser.add_argument("--planted")
    for name, usual in (("backends", 20), ("torches", 6), ("nights", 365), ("checks", 1000)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    year = Year(asked.backends, asked.torches, asked.nights, asked.checks)
    with open(asked.lines, "w", encoding="utf-8") as out:
        year.write(out)
    if asked.planted:
        with open(asked.planted, "w", encoding="utf-8") as out:
            json.dump(year.planted, out, indent=1)


if __name__ == "__main__":
    main()
