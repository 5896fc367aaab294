# SPDX-License-Identifier: BSD-3-Clause
"""Rules for GitHub workflows and actions, one function per rule; applied by workflow_test.py.

Each rule takes a Document and yields sentences. actionlint has more rules, but its package downloads a program during
installation. These rules find the most harmful mistakes: keys that GitHub ignores, references to nothing, untrusted
text in a shell, and write tokens where untrusted code runs.
"""

import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW_KEYS = set("name run-name on permissions env defaults concurrency jobs".split())
JOB_KEYS = set(
    "name needs if runs-on permissions environment concurrency outputs env defaults "
    "timeout-minutes strategy continue-on-error container services steps".split()
)
STEP_KEYS = set(
    "id if name uses run shell with env continue-on-error timeout-minutes working-directory".split()
)
COMPOSITE_STEP_KEYS = STEP_KEYS - {"timeout-minutes"}
ACTION_KEYS = set("name description author inputs outputs runs branding".split())
PERMISSIONS = set(
    "actions attestations checks contents deployments discussions id-token issues packages pages "
    "pull-requests security-events statuses".split()
)
CONTEXTS = set("github env vars job steps runner secrets strategy matrix needs inputs".split())
FUNCTIONS = set(
    "hashFiles cancelled success failure always contains startsWith endsWith format join toJSON "
    "fromJSON".split()
)
# GitHub's own actions are referenced by major version, PyTorch's by main, as PyTorch does.
TRUSTED = re.compile(r"actions/[\w-]+@v\d+|pytorch/[\w./-]+@main")
OURS = re.compile(r"OWNER/assay/ci/github@main")  # the publisher replaces OWNER and the branch
PINNED = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40}")


class Job:
    def __init__(self, name, body, is_composite=False):
        self.name, self.body, self.is_composite = name, body, is_composite
        self.steps = body.get("steps") or []

    def matrix(self):
        matrix = (self.body.get("strategy") or {}).get("matrix") or {}
        extra = {key for item in matrix.get("include") or [] for key in item}
        return (set(matrix) | extra) - {"include", "exclude"}


class Document:
    """A workflow or an action. An action has one unnamed job in `jobs`."""

    def __init__(self, path, text=None):
        self.path = path
        # YAML 1.1 reads the key `on` as true; GitHub does not
        body = yaml.safe_load(path.read_text() if text is None else text) or {}
        self.body = {("on" if key is True else key): value for key, value in body.items()}
        self.is_action = "runs" in self.body
        self.inputs = set(self.body.get("inputs") or {})
        if self.is_action:
            self.jobs = [Job("", self.body["runs"], True)]
        else:
            self.jobs = [Job(name, job) for name, job in (self.body.get("jobs") or {}).items()]

    def steps(self):
        """The steps of all jobs."""
        return [step for job in self.jobs for step in job.steps]

    def triggers(self):
        on = self.body.get("on")
        return {on} if isinstance(on, str) else set(on or ())


def step_name(step):
    return step.get("name") or step.get("id") or step.get("uses") or str(step.get("run"))[:30]


def unknown(where, keys, known):
    for key in sorted(set(map(str, keys)) - known):
        yield f"{where}: GitHub knows no key {key!r} here"


def keys_are_known(document):
    yield from unknown("top", document.body, ACTION_KEYS if document.is_action else WORKFLOW_KEYS)
    for job in document.jobs:
        if not job.is_composite:
            yield from unknown(f"job {job.name}", job.body, JOB_KEYS)
        known = COMPOSITE_STEP_KEYS if job.is_composite else STEP_KEYS
        for step in job.steps:
            yield from unknown(f"step {step_name(step)}", step, known)


def jobs_say_where_and_how_long(document):
    for job in document.jobs:
        if not job.is_composite:
            for key in ("runs-on", "timeout-minutes", "steps"):
                if key not in job.body:
                    yield f"job {job.name}: {key} is missing"


def steps_do_one_thing(document):
    for job in document.jobs:
        ids = [step["id"] for step in job.steps if "id" in step]
        for name in sorted({name for name in ids if ids.count(name) > 1}):
            yield f"two steps have the id {name}"
        for step in job.steps:
            if ("run" in step) == ("uses" in step):
                yield f"step {step_name(step)}: give either run or uses"
            if job.is_composite and "run" in step and "shell" not in step:
                yield f"step {step_name(step)}: a composite action must name the shell"


def actions_are_pinned(document):
    """The action and the example workflow run in other repositories, so they name the commit of every action."""
    for_others = document.is_action or "scaffold" in document.path.parts
    allowed = (OURS, PINNED) if for_others else (OURS, PINNED, TRUSTED)
    for step in document.steps():
        uses = step.get("uses", "./")
        if not uses.startswith("./") and not any(form.fullmatch(uses) for form in allowed):
            yield f"step {step_name(step)}: name the commit of the action"


def actions_beside_a_write_token_are_a_commit(document):
    """A tag can be moved to other code. In a job with a write token, even GitHub's own actions are referenced by
    commit."""
    for job in document.jobs:
        if job.is_composite or not (writes(job.body.get("permissions")) or writes(document.body.get("permissions"))):
            continue
        for step in job.steps:
            uses = step.get("uses", "./")
            if not uses.startswith("./") and not PINNED.fullmatch(uses) and not uses.startswith("pytorch/"):
                yield f"step {step_name(step)}: name the commit, because the job has a write token"


def local_actions_are_called_right(document):
    for step in document.steps():
        if not step.get("uses", "").startswith("./"):
            continue
        path = ROOT / step["uses"] / "action.yml"
        if not path.is_file():
            yield f"step {step_name(step)}: there is no {step['uses']}/action.yml"
            continue
        for key in sorted(set(step.get("with") or {}) - Document(path).inputs):
            yield f"step {step_name(step)}: {step['uses']} has no input {key}"


# ---- expressions ---------------------------------------------------------------------------------


def texts(value):
    if isinstance(value, dict):
        for member in value.values():
            yield from texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, str):
        yield value


def expressions(body):
    """Expressions inside ${{ }}, and those of `if:`, which needs no braces."""
    for text in texts({key: value for key, value in body.items() if key != "steps"}):
        yield from re.findall(r"\$\{\{(.*?)\}\}", text, re.S)
    for step in body.get("steps") or [body]:
        for text in texts(step):
            yield from re.findall(r"\$\{\{(.*?)\}\}", text, re.S)
        condition = str(step.get("if", ""))
        if condition and "${{" not in condition:
            yield condition
    if "steps" in body and body.get("if") and "${{" not in str(body["if"]):
        yield str(body["if"])


def names_in(expression):
    """Returns ("steps", ["run", "outputs", "folder"]) for each dotted name. A function has no parts."""
    bare = re.sub(r"'(?:[^']|'')*'", "''", expression)
    for match in re.finditer(r"[A-Za-z_][\w-]*(?:\.[\w*-]+)*(\s*\()?", bare):
        parts = match[0].rstrip("( ").split(".")
        if parts[0] not in ("true", "false", "null"):
            yield parts[0], parts[1:], bool(match[1])


def expressions_refer_to_what_exists(document):
    jobs = {job.name: job for job in document.jobs}
    for job in document.jobs:
        needs = job.body.get("needs") or []
        needs = [needs] if isinstance(needs, str) else needs
        for name in needs:
            if name not in jobs:
                yield f"job {job.name}: needs {name}, which does not exist"
        known = {
            "steps": {step.get("id") for step in job.steps},
            "matrix": job.matrix(),
            "needs": set(needs),
            "inputs": document.inputs,
        }
        where = f"job {job.name}" if job.name else "action"
        body = {**job.body, "outputs": [job.body.get("outputs"), document.body.get("outputs")]}
        for expression in expressions(body):
            for root, parts, is_call in names_in(expression):
                if is_call:
                    if root not in FUNCTIONS:
                        yield f"{where}: no function {root}() in {expression.strip()!r}"
                elif root not in CONTEXTS:
                    yield f"{where}: no context {root} in {expression.strip()!r}"
                elif root in known and (not parts or parts[0] not in known[root]):
                    yield f"{where}: {'.'.join([root, *parts])} refers to nothing"


def shells_see_no_expression(document):
    """A title or a branch name may contain $(...). Such text must be passed through env, so that the shell does not
    evaluate it."""
    for step in document.steps():
        if "${{" in str(step.get("run", "")):
            yield f"step {step_name(step)}: pass values to run through env"


# ---- tokens --------------------------------------------------------------------------------------


def writes(permissions):
    if isinstance(permissions, str):
        return {"everything"} if permissions == "write-all" else set()
    return {name for name, level in (permissions or {}).items() if level == "write"}


def tokens_are_small(document):
    if document.is_action:
        return
    if "permissions" not in document.body:
        yield "permissions are missing at the top, so the token may have write access"
    scopes = [("top", document.body.get("permissions"))]
    scopes += [(f"job {job.name}", job.body.get("permissions")) for job in document.jobs]
    for where, permissions in scopes:
        if isinstance(permissions, dict):
            yield from unknown(f"permissions of {where}", permissions, PERMISSIONS)
        if where == "top" and writes(permissions):
            yield "a write permission belongs to the job that needs it, not to the top"
        if writes(permissions) and "pull_request" in document.triggers():
            yield f"{where}: write permission on pull_request, which runs untrusted code"


def privileged_jobs_run_no_foreign_code(document):
    if not document.triggers() & {"workflow_run", "pull_request_target", "issue_comment"}:
        return
    for step in document.steps():
        if not step.get("uses", "").startswith("actions/checkout@"):
            continue
        given = step.get("with") or {}
        # pull_request.py gets the base commit from GitHub; this commit is on a branch of this repository
        is_base = given.get("ref") == "${{ steps.pull.outputs.base }}" and "path" in given
        if ("ref" in given and not is_base) or "${{" in str(given.get("repository", "")):
            yield f"step {step_name(step)}: checks out untrusted code"


def schedules_have_five_fields(document):
    on = document.body.get("on")
    for item in (on.get("schedule") or []) if isinstance(on, dict) else []:
        if len(str(item.get("cron")).split()) != 5:
            yield f"schedule {item.get('cron')!r}: five fields"


def shell_of_steps_passes_shellcheck(document):
    for step in document.steps():
        if "run" not in step or step.get("shell", "bash") != "bash":
            continue
        done = subprocess.run(
            ["shellcheck", "--shell=bash", "--format=gcc", "-"],
            input=step["run"] + "\n",
            capture_output=True,
            text=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            yield f"step {step_name(step)}: {line.removeprefix('-:')}"


RULES = (
    keys_are_known,
    jobs_say_where_and_how_long,
    steps_do_one_thing,
    actions_are_pinned,
    actions_beside_a_write_token_are_a_commit,
    local_actions_are_called_right,
    expressions_refer_to_what_exists,
    shells_see_no_expression,
    tokens_are_small,
    privileged_jobs_run_no_foreign_code,
    schedules_have_five_fields,
    shell_of_steps_passes_shellcheck,
)


def is_workflow(path):
    parts = path.relative_to(ROOT).as_posix()
    return path.suffix in (".yml", ".yaml") and (
        "/workflows/" in parts or parts.startswith("ci/github/pytorch/") or path.stem == "action"
    )
