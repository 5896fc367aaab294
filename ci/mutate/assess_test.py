# SPDX-License-Identifier: BSD-3-Clause
"""Tests the order of the pairs and what counts as a kill, with given results of proofs."""

import collections
import tempfile
import unittest

import assess


class Checks:
    """A proof with given results: a verdict for each (number, check)."""

    def __init__(self, answers, reached, dear):
        self.answers = {pair: list(verdicts) for pair, verdicts in answers.items()}
        self.reached, self.lists, self.groups = reached, [], []
        self.costs = dict.fromkeys((check for checks in reached.values() for check in checks), 1)
        self.costs.update(dict.fromkeys(dear, assess.ALONE_MS + 1))
        self.asked, self.kills = collections.Counter(), collections.Counter()

    def checks_for(self, number, at_load):
        return self.reached.get(number, [])

    affordable = assess.Proof.affordable

    def run_together(self, groups, _tell):
        self.groups.append(groups)
        return [(members, check, self.answer_of(members, check)) for members, check in groups]

    def answer_of(self, members, check):
        given = [self.answers.get((number, check), ["pass"])[0] for number in members]
        both = self.answers.get((tuple(members), check), ["pass"])[0]
        return next((verdict for verdict in [*given, both] if verdict not in assess.GOOD), "pass")

    def run(self, pairs, _tell):
        self.lists.append(pairs)
        rows, over = [], set()
        for switch, check, *_ in pairs:
            if switch in over:
                rows.append((switch, check, "blocked"))
                continue
            verdict = self.answers.get((assess.number_of(switch), check), ["pass"])
            rows.append((switch, check, verdict.pop(0) if len(verdict) > 1 else verdict[0]))
            if rows[-1][2] in assess.KILLS:
                over.add(switch)
        return rows


class Kills(unittest.TestCase):
    def assess(self, answers, reached, at_load=(), dear=(), place_of=lambda number: number):
        self.checks = Checks(answers, reached, dear)
        outcomes = assess.Assessment(self.checks, set(at_load), place_of=place_of).assess(list(reached))
        return {one.number: one for one in outcomes}

    def test_a_kill_is_one_three_times_of_three_and_the_first_is_enough(self):
        seen = self.assess({(1, "b"): ["fail"], (1, "c"): ["crash"], (2, "a"): ["timeout"]},
                           {1: ["a", "b", "c"], 2: ["a"]})
        self.assertEqual((seen[1].verdict, seen[1].check, seen[1].how), ("killed", "b", "fail"))
        self.assertEqual(seen[2].how, "timeout")
        self.assertEqual(self.checks.lists[1], [("mutant.1.2", "b"), ("mutant.1.3", "b"), ("mutant.2.2", "a"), ("mutant.2.3", "a"), ("mutant.0", "a")])

    def test_what_hangs_without_the_mutation_as_well_is_no_kill(self):
        seen = self.assess({(1, "a"): ["timeout"], (0, "a"): ["timeout"]}, {1: ["a"]})
        self.assertEqual((seen[1].verdict, seen[1].flaky), ("undecided", ("a",)))

    def test_what_fails_once_is_no_kill_and_the_other_checks_are_asked(self):
        seen = self.assess({(1, "a"): ["fail", "fail", "pass"], (1, "b"): ["fail"], (2, "a"): ["fail", "pass"]},
                           {1: ["a", "b"], 2: ["a", "b"]})
        self.assertEqual((seen[1].verdict, seen[1].check, seen[1].flaky), ("killed", "b", ("a",)))
        self.assertEqual((seen[2].verdict, seen[2].flaky), ("survived", ("a",)))

    def test_a_refusal_of_any_kind_is_no_kill(self):
        answers = {(1, check): [check] for check in ("skip", "blocked", "unobservable", "noted")}
        self.assertEqual(self.assess(answers, {1: ["skip", "blocked", "unobservable", "noted"]})[1].verdict, "survived")

    def test_what_no_check_comes_by_is_unreached_and_what_has_no_answer_undecided(self):
        seen = self.assess({(2, "a"): ["notrun"]}, {1: [], 2: ["a"]})
        self.assertEqual((seen[1].verdict, seen[2].verdict), ("unreached", "undecided"))

    def test_a_check_that_cannot_decide_says_nothing_unless_others_do(self):
        seen = self.assess({(1, "a"): ["broken"], (2, "a"): ["broken"]}, {1: ["a"], 2: ["a", "b"]})
        self.assertEqual((seen[1].verdict, seen[2].verdict), ("undecided", "survived"))

    def test_a_list_without_an_answer_is_halved_until_the_one_that_takes_the_others_with_it_is_alone(self):
        class Fragile(assess.Proof):
            def prove(self, pairs, *_):
                if any(switch == "mutant.3" for switch, _ in pairs):
                    raise assess.Lost("gone")
                return [(*pair, "pass") for pair in pairs]

        with tempfile.TemporaryDirectory() as folder:
            proof = Fragile("assay", "profile", folder, 1)
            rows = proof.run([(f"mutant.{number}", check) for number in range(5) for check in "ab"], lambda _: None)
        self.assertEqual({switch for switch, *_ in rows}, {f"mutant.{number}" for number in (0, 1, 2, 4)})
        self.assertEqual(len(rows), 8)

    def test_what_is_cheap_and_comes_by_few_others_is_asked_first(self):
        proof = assess.Proof("assay", "profile", "folder", 1)
        proof.costs = {"everywhere": 10, "narrow": 30, "dear": 900, "elsewhere": 1}
        proof.reached = {"everywhere": {1, 2, 3, 4, 5}, "narrow": {1}, "dear": {1, 2}, "elsewhere": {2}}
        self.assertEqual(proof.checks_for(1, at_load=False), ["narrow", "everywhere", "dear"])
        self.assertEqual(proof.checks_for(1, at_load=True), ["narrow", "everywhere", "dear", "elsewhere"])

    def test_what_killed_before_is_asked_sooner_and_what_did_not_later(self):
        proof = assess.Proof("assay", "profile", "folder", 1)
        proof.costs = {"often": 10, "never": 10, "new": 10}
        proof.reached = {name: {1, 2, 3, 4} for name in proof.costs}
        proof.asked.update({"often": 4, "never": 4})
        proof.kills.update({"often": 3})
        self.assertEqual(proof.checks_for(1, at_load=False), ["often", "new", "never"])

    def test_the_first_batch_is_small_and_none_is_left_out(self):
        parts = assess.batches(list(range(20)), 8)
        self.assertEqual([len(part) for part in parts], [2, 8, 8, 2])
        self.assertEqual([number for part in parts for number in part], list(range(20)))
        self.assertEqual(assess.batches([], 8), [])

    def test_what_was_asked_and_what_killed_is_counted(self):
        self.assess({(1, "b"): ["fail"]}, {1: ["a", "b", "c"], 2: ["a"]})
        self.assertEqual((self.checks.asked, self.checks.kills), ({"a": 2, "b": 1}, {"b": 1}))

    def test_a_dear_check_is_asked_of_several_at_once(self):
        seen = self.assess({(1, "a"): ["fail"]}, {1: ["a", "d"], 2: ["a", "d"], 3: ["a", "d"]}, dear="d")
        self.assertEqual([seen[number].verdict for number in (1, 2, 3)], ["killed", "survived", "survived"])
        self.assertEqual(self.checks.groups, [[([2, 3], "d")]])
        self.assertEqual((seen[2].asked, self.checks.asked["d"]), (2, 2))

    def test_of_several_that_break_a_check_the_one_that_does_is_found_and_the_others_go_on(self):
        seen = self.assess({(2, "d"): ["crash"], (3, "e"): ["fail"]}, {1: ["d", "e"], 2: ["d", "e"], 3: ["d", "e"]}, dear="de")
        self.assertEqual([seen[number].verdict for number in (1, 2, 3)], ["survived", "killed", "killed"])
        self.assertEqual((seen[2].check, seen[3].check), ("d", "e"))

    def test_one_that_ends_a_check_without_a_kill_is_asked_alone(self):
        seen = self.assess({(1, "d"): ["skip"], (2, "e"): ["fail"]}, {1: ["d", "e"], 2: ["d", "e"]}, dear="de")
        self.assertEqual([seen[number].verdict for number in (1, 2)], ["survived", "killed"])
        self.assertEqual(self.checks.groups[-1], [([2], "e")])

    def test_what_breaks_a_check_only_together_is_asked_alone(self):
        seen = self.assess({((1, 2), "d"): ["fail"]}, {1: ["d", "e"], 2: ["d", "e"]}, dear="de")
        self.assertEqual([seen[number].verdict for number in (1, 2)], ["survived", "survived"])

    def test_mutations_of_one_place_are_not_on_at_once(self):
        self.assess({}, {1: ["d"], 2: ["d"], 3: ["d"]}, dear="d", place_of=lambda number: number % 2)
        self.assertEqual(self.checks.groups, [[([1, 2], "d"), ([3], "d")]])

    def test_a_dear_check_that_came_to_no_answer_leaves_it_undecided(self):
        seen = self.assess({(1, "d"): ["notrun"]}, {1: ["a", "d"], 2: ["d"]}, dear="d")
        self.assertEqual([seen[number].verdict for number in (1, 2)], ["undecided", "survived"])

    def test_what_acts_at_load_is_in_the_environment(self):
        self.assess({}, {1: ["a"], 2: ["a"]}, at_load=[2])
        self.assertEqual(self.checks.lists[0], [("mutant.1", "a"), ("mutant.2", "a", "ASSAY_MUTANT=2")])


if __name__ == "__main__":
    unittest.main()
