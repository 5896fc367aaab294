/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the decision with a table of runs and the expected decision, rules, labels and counts.
 */
#include "decision_write.h"
#include "fixtures/gate_fixture.h"
#include "unit_test.h"

struct row {
    const char *name;
    struct fixture_run head, base, unadapted;
    int with_base, with_unadapted, reference, overridden;
    int later; /* v.a applies to later releases of torch only */
    enum ci_decision decision;
    const char *causes, *warnings; /* names of rules, each followed by a space */
    int add;                       /* 1: add, -1: remove, 0: leave the label */
    int adapt;                     /* counts.adaptation */
};

/* clang-format off */
static const struct row rows[] = {
    {"clean", .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"without a base", .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"regression", .head = {.verdicts = "pf"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "regression ", .warnings = ""},
    {"crash and timeout", .head = {.verdicts = "ct"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "regression ", .warnings = ""},
    {"should fails", .head = {.verdicts = "pppppf"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "regression ", .add = -1},
    {"advisory fails", .head = {.verdicts = "pppppppf"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"unlisted without a base", .head = {.verdicts = "f"}, .decision = CI_BLOCKED, .causes = "violation ", .warnings = ""},
    {"already broken", .head = {.verdicts = "f"}, .base = {.verdicts = "c"}, .with_base = 1, .decision = CI_PASS, .causes = "already_broken ", .warnings = "", .add = -1},
    {"another clause broke", .head = {.verdicts = "f", .clauses = "ff"}, .base = {.verdicts = "f", .clauses = "fp"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "regression ", .warnings = ""},
    {"another clause is not reached any more", .head = {.verdicts = "f", .clauses = "f-"}, .base = {.verdicts = "f", .clauses = "fp"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "lost ", .warnings = ""},
    {"the same clauses are broken", .head = {.verdicts = "f", .clauses = "f-"}, .base = {.verdicts = "f", .clauses = "f-"}, .with_base = 1, .decision = CI_PASS, .causes = "already_broken ", .warnings = "", .add = -1},
    {"a clause is seen for the first time", .head = {.verdicts = "f", .clauses = "pf"}, .base = {.verdicts = "f", .clauses = "f-"}, .with_base = 1, .decision = CI_PASS, .causes = "already_broken ", .warnings = "", .add = -1},
    {"base says nothing of clauses", .head = {.verdicts = "f", .clauses = "ff"}, .base = {.verdicts = "f"}, .with_base = 1, .decision = CI_PASS, .causes = "already_broken ", .warnings = "", .add = -1},
    {"a clause was lost with what it builds on", .head = {.verdicts = "Xp", .clauses = "xx"}, .base = {.verdicts = "f", .clauses = "fp"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "lost ", .warnings = ""},
    {"hidden on base", .head = {.verdicts = "pf"}, .base = {.verdicts = "fx"}, .with_base = 1, .decision = CI_PASS, .causes = "hidden_before ", .warnings = "", .add = -1},
    {"skipped on base", .head = {.verdicts = "f"}, .base = {.verdicts = "s"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "new_violation ", .warnings = ""},
    {"flaky on base", .head = {.verdicts = "f"}, .base = {.verdicts = "y"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "base_unsure ", .warnings = ""},
    {"broken on base", .head = {.verdicts = "f"}, .base = {.verdicts = "b"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "base_unsure ", .warnings = ""},
    {"not in base", .head = {.verdicts = "ppppf"}, .base = {.checks = 4}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "base_unsure ", .warnings = ""},
    {"lost with its cause", .head = {.verdicts = "fx"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "regression lost ", .warnings = ""},
    {"lost operator", .head = {.verdicts = "pX"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "lost ", .warnings = ""},
    {"blocked by undecided", .head = {.verdicts = "bx"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "could_not_decide ", .warnings = ""},
    {"blocked on both", .head = {.verdicts = "fx"}, .base = {.verdicts = "fx"}, .with_base = 1, .decision = CI_PASS, .causes = "already_broken ", .warnings = "", .add = -1},
    {"capability lost", .head = {.verdicts = "s"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "capability_lost ", .warnings = ""},
    {"kernel lost", .head = {.verdicts = "k"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "kernel_lost ", .warnings = ""},
    {"capability shrunk", .head = {.verdicts = "s"}, .base = {.verdicts = "k"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "capability_shrunk ", .add = -1},
    {"failure vanished", .head = {.verdicts = "s"}, .base = {.verdicts = "f"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "failure_vanished ", .add = -1},
    {"skipped on both", .head = {.verdicts = "s"}, .base = {.verdicts = "s"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"flaky", .head = {.verdicts = "y"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "flaky ", .add = -1},
    {"unobserved", .head = {.verdicts = "u"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "unobserved ", .add = -1},
    {"fixed", .base = {.verdicts = "f"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"broken", .head = {.verdicts = "b"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "could_not_decide ", .warnings = ""},
    {"blocked outweighs undecided", .head = {.verdicts = "bf"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "regression could_not_decide ", .warnings = ""},
    {"cut off", .head = {.verdicts = "pp------", .cut = 1}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "head_incomplete could_not_decide ", .warnings = "could_not_decide "},
    {"fewer checks", .head = {.checks = 7}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "fewer_checks ", .warnings = ""},
    {"not of its torch", .later = 1, .head = {.checks = 7}, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"not of its torch, nor on base", .later = 1, .head = {.checks = 7}, .base = {.checks = 7}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"not of its torch, it says, but base has it", .later = 1, .head = {.checks = 7}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "fewer_checks ", .warnings = ""},
    {"mostly skipped", .head = {.verdicts = "sss"}, .decision = CI_UNDECIDED, .causes = "head_silent ", .warnings = ""},
    {"mostly silent, on base too", .head = {.verdicts = "suX"}, .base = {.verdicts = "suX"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "head_silent ", .warnings = ""},
    {"half of it silent", .head = {.verdicts = "ss"}, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"other contract", .head = {.contract = 2}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "contract_differs ", .warnings = ""},
    {"base of another contract", .base = {.contract = 2}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "contract_differs ", .warnings = ""},
    {"other suite", .head = {.digest = "d2"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "suite_differs ", .warnings = ""},
    {"other target", .head = {.target = "bar"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "target_differs ", .warnings = ""},
    {"no build", .head = {.verdicts = "--------", .why = "build step 1 (g++) ended with exit status 1; its words"}, .with_base = 1, .decision = CI_BLOCKED, .causes = "backend_unbuildable ", .warnings = ""},
    {"no build in time", .head = {.verdicts = "--------", .why = "build step 1 (g++) did not end within 9 s; its words"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "backend_step_undecided ", .warnings = ""},
    {"no build on either", .head = {.verdicts = "--------", .why = "build step 1 (g++) ended with exit status 1; x"}, .base = {.verdicts = "--------", .why = "build step 1 (g++) ended with exit status 1; x"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "backend_unbuildable_before ", .warnings = ""},
    {"no build on base", .base = {.verdicts = "--------", .why = "build step 1 (g++) ended with exit status 1; x"}, .with_base = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"no load", .head = {.verdicts = "lllllxll", .reason = "load: undefined symbol: _ZN3c103fooEv"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "backend_not_loaded ", .warnings = ""},
    {"no load without a base", .head = {.verdicts = "llllllll", .reason = "load: undefined symbol: _ZN3c103fooEv"}, .decision = CI_UNDECIDED, .causes = "backend_not_loaded ", .warnings = ""},
    {"no load on either", .head = {.verdicts = "llllllll", .reason = "load: no"}, .base = {.verdicts = "llllllll", .reason = "load: no"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "backend_unbuildable_before ", .warnings = ""},
    {"some load", .head = {.verdicts = "lp"}, .with_base = 1, .decision = CI_UNDECIDED, .causes = "could_not_decide ", .warnings = ""},
    {"unadapted as good", .with_base = 1, .with_unadapted = 1, .reference = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"reference changed", .with_base = 1, .reference = 1, .decision = CI_PASS, .causes = "adapt_reference ", .warnings = "", .add = 1},
    {"unadapted fails", .unadapted = {.verdicts = "fx"}, .with_base = 1, .with_unadapted = 1, .decision = CI_PASS, .causes = "adapt_checks ", .warnings = "", .add = 1, .adapt = 2},
    {"unadapted fails without a base", .unadapted = {.verdicts = "f"}, .with_unadapted = 1, .decision = CI_PASS, .causes = "adapt_checks ", .warnings = "", .add = 1, .adapt = 1},
    {"unadapted should fails", .unadapted = {.verdicts = "pppppf"}, .with_base = 1, .with_unadapted = 1, .decision = CI_PASS, .causes = "", .warnings = "adapt_checks ", .add = -1, .adapt = 1},
    {"unadapted as broken as base", .base = {.verdicts = "f"}, .unadapted = {.verdicts = "f"}, .with_base = 1, .with_unadapted = 1, .decision = CI_PASS, .causes = "", .warnings = "", .add = -1},
    {"unadapted unsure", .unadapted = {.verdicts = "b"}, .with_base = 1, .with_unadapted = 1, .decision = CI_UNDECIDED, .causes = "adapt_unsure ", .warnings = ""},
    {"unadapted has fewer", .unadapted = {.checks = 4}, .with_base = 1, .with_unadapted = 1, .decision = CI_UNDECIDED, .causes = "adapt_unsure ", .warnings = "adapt_unsure "},
    {"unadapted no build", .unadapted = {.verdicts = "--------", .why = "build step 1 (g++) ended with exit status 1; x"}, .with_base = 1, .with_unadapted = 1, .decision = CI_PASS, .causes = "adapt_build ", .warnings = "", .add = 1},
    {"unadapted killed", .unadapted = {.verdicts = "--------", .why = "build step 1 (g++) died of signal 9; x"}, .with_base = 1, .with_unadapted = 1, .decision = CI_UNDECIDED, .causes = "adapt_unsure ", .warnings = ""},
    {"unadapted of another torch", .unadapted = {.git = "def"}, .with_base = 1, .with_unadapted = 1, .decision = CI_UNDECIDED, .causes = "torch_differs ", .warnings = ""},
    {"regression and adaptation", .head = {.verdicts = "f"}, .unadapted = {.verdicts = "pf"}, .with_base = 1, .with_unadapted = 1, .decision = CI_BLOCKED, .causes = "regression adapt_checks ", .warnings = "", .adapt = 1},
    {"overridden", .head = {.verdicts = "f"}, .with_base = 1, .overridden = 1, .decision = CI_BLOCKED, .causes = "regression ", .warnings = ""},
};
/* clang-format on */

static void decide(const struct row *row, struct hn_arena *arena, struct ci_result *result)
{
    struct ci_promise checks[FIXTURE_IDS];
    struct ci_policy policy = fixture_policy();
    const struct ci_change change = {.reference_file = row->reference ? "backend/x.cc" : NULL,
                                     .overridden = row->overridden};
    struct ci_case now = {.head = fixture_side(&row->head, arena)};
    struct hn_error error;
    memcpy(checks, policy.checks, sizeof checks);
    policy.checks = checks;
    if (row->later)
        checks[FIXTURE_IDS - 1].torch.since = "2.14";
    if (row->with_base)
        now.base = fixture_side(&row->base, arena);
    if (row->with_unadapted)
        now.unadapted = fixture_side(&row->unadapted, arena);
    ck_assert_int_eq(ci_gate_decide(&policy, &change, &now, 1, arena, result, &error), 0);
    ci_side_finish(&now.head);
    ci_side_finish(&now.base);
    ci_side_finish(&now.unadapted);
}

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST_EACH(gate_decide_follows_the_table, rows)
{
    const struct row *row = &rows[_i];
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct ci_result result;
    char causes[400] = "", warnings[400] = "";
    decide(row, arena, &result);
    fixture_rules(result.causes, result.cause_count, causes, sizeof causes);
    fixture_rules(result.warnings, result.warning_count, warnings, sizeof warnings);
    ck_assert_msg(strcmp(causes, row->causes) == 0, "%s: causes are %s", row->name, causes);
    ck_assert_msg(strcmp(warnings, row->warnings) == 0, "%s: warnings are %s", row->name, warnings);
    ck_assert_msg(result.decision == row->decision, "%s: %s", row->name, result.summary);
    ck_assert_msg(result.add_label - result.remove_label == row->add, "%s: label", row->name);
    ck_assert_uint_eq(result.counts.of[CI_COUNT_ADAPTATION], (size_t)row->adapt);
    static const int statuses[CI_DECISIONS] = {[CI_PASS] = 0, [CI_BLOCKED] = 1, [CI_UNDECIDED] = 2};
    ck_assert_int_eq(ci_exit_status(&result), row->overridden ? 0 : statuses[row->decision]);
    hn_arena_destroy(arena);
}

TEST(gate_decide_says_checks_reasons_and_interfaces)
{
    const struct row row = {"", .head = {.verdicts = "fff", .reason = "1 != 2\x1b[2J"},
                            .with_base = 1};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct ci_result result;
    decide(&row, arena, &result);
    ck_assert_uint_eq(result.causes[0].check_count, 3);
    ck_assert_str_eq(result.causes[0].checks[2], "m.c");
    ck_assert_str_eq(result.causes[0].interface_name, "A.h:a");
    ck_assert_ptr_nonnull(strstr(result.causes[0].text, "m.a (fail: 1 != 2\\x1b[2J), m.b (fail"));
    ck_assert_ptr_nonnull(strstr(result.causes[0].text, "it tests PyTorch, not a backend)"));
    ck_assert_ptr_nonnull(strstr(result.causes[0].text, " Interface: A.h:a; B.h:b."));
    ck_assert_str_eq(result.summary, "blocked: Passed on base, fails on head (m.a and 2 more)");
    ck_assert_str_eq(result.date, "2026-11-21T10:00:00Z");
    ck_assert_uint_eq(result.counts.of[CI_COUNT_REGRESSED], 3);
    ck_assert_uint_eq(result.counts.of[CI_COUNT_GOOD], 5);
    hn_arena_destroy(arena);
}

TEST(gate_decide_counts_only_what_is_shown_in_a_text)
{
    const struct row row = {"", .head = {.verdicts = "fffffxx"}, .with_base = 1};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct hn_buffer out;
    struct ci_result result;
    const struct ci_policy policy = fixture_policy();
    decide(&row, arena, &result);
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(ci_decision_markdown(&policy, &result, &out), 0);
    ck_assert_ptr_nonnull(strstr(out.text, "### Caused by this pull request"));
    ck_assert_ptr_nonnull(strstr(out.text, "### Remarks that decide nothing"));
    ck_assert_ptr_nonnull(strstr(out.text, "may override this with the label `override`"));
    hn_buffer_clear(&out);
    ck_assert_int_eq(ci_decision_json(&policy, &result, &out), 0);
    ck_assert_ptr_nonnull(strstr(out.text, "\"schema\": \"assay/decision/1\""));
    ck_assert_ptr_nonnull(strstr(out.text, "\"override\": \"override\""));
    hn_buffer_finish(&out);
    hn_arena_destroy(arena);
}

TEST(gate_decide_shows_the_target_as_the_run_was_given_it)
{
    static const struct {
        const char *command, *shown;
    } table[] = {
        {"assay run --target=ci/mine.yaml --out=x", "--target ci/mine.yaml`"},
        {"assay run --out x --target fakedev_faulty", "--target fakedev_faulty`"},
        {"assay run --out x", "--target foo`"},
        {"assay run --target=`x` --out y", NULL},
        {"assay run --target=--gdb", NULL},
    };
    const struct ci_policy policy = fixture_policy();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct row row = {"", .head = {.verdicts = "f", .command = table[i].command}};
        struct hn_arena *arena = hn_arena_create(1 << 24);
        struct hn_buffer out;
        struct ci_result result;
        decide(&row, arena, &result);
        hn_buffer_init(&out, 1 << 20);
        ck_assert_int_eq(ci_decision_markdown(&policy, &result, &out), 0);
        const char *const tried = strstr(out.text, "try: `assay repro ");
        ck_assert_msg(table[i].shown ? tried && strstr(tried, table[i].shown) : !tried, "row %zu",
                      i);
        hn_buffer_finish(&out);
        hn_arena_destroy(arena);
    }
}

TEST(gate_decide_out_of_memory_says_so_and_never_passes)
{
    const struct ci_policy policy = fixture_policy();
    const struct ci_change change = {.reference_file = "x"};
    const struct fixture_run bad = {.verdicts = "fbsxky"}, good = {.verdicts = ""};
    struct hn_arena *big = hn_arena_create(1 << 24);
    struct ci_case now = {
        fixture_side(&bad, big), fixture_side(&good, big), fixture_side(&bad, big), NULL, 0, NULL};
    int seen = 0;
    for (size_t room = 1; room < 200000 && !seen; room += room < 4000 ? 61 : 1009) {
        struct hn_arena *arena = hn_arena_create(room);
        struct hn_error error;
        struct ci_result result;
        if (ci_gate_decide(&policy, &change, &now, 1, arena, &result, &error) == 0)
            seen = result.decision == CI_BLOCKED;
        else
            ck_assert_int_eq(error.code, HN_ENOMEM);
        hn_arena_destroy(arena);
    }
    ck_assert_int_eq(seen, 1);
    ci_side_finish(&now.head);
    ci_side_finish(&now.base);
    ci_side_finish(&now.unadapted);
    hn_arena_destroy(big);
}

TEST(gate_decide_of_many_targets_takes_the_worst_and_the_latest_date)
{
    const struct ci_policy policy = fixture_policy();
    const struct ci_change change = {0};
    const struct fixture_run good = {.date = "2026-11-22T00:00:00Z"}, bad = {.verdicts = "b"};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct ci_case now[3] = {{.head = fixture_side(&good, arena)},
                             {.head = fixture_side(&bad, arena)},
                             {.head = {.given = 1, .refusal = "Gone."}}};
    struct ci_result result;
    struct hn_error error;
    struct hn_buffer out;
    ck_assert_int_eq(ci_gate_decide(&policy, &change, now, 3, arena, &result, &error), 0);
    ck_assert_int_eq(result.decision, CI_UNDECIDED);
    ck_assert_uint_eq(result.target_count, 3);
    ck_assert_int_eq(result.targets[0].decision, CI_PASS);
    ck_assert_str_eq(result.date, "2026-11-22T00:00:00Z");
    ck_assert_uint_eq(result.counts.of[CI_COUNT_CHECKS], 2 * FIXTURE_IDS);
    hn_buffer_init(&out, 1 << 20);
    ci_decision_markdown(&policy, &result, &out);
    ck_assert_ptr_nonnull(strstr(out.text, "- **undecided** (foo): "));
    hn_buffer_finish(&out);
    ci_side_finish(&now[0].head);
    ci_side_finish(&now[1].head);
    hn_arena_destroy(arena);
}
